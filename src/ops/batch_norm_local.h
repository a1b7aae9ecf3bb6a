// batch_norm_training and batch_norm_grad where the batch is cut: their columns.
#ifndef TESSERA_OPS_BATCH_NORM_LOCAL_H
#define TESSERA_OPS_BATCH_NORM_LOCAL_H

#include "ops/localize.h"

void batch_norm_splits(Localizer *cx);
Status *batch_norm_training_localize(Localizer *cx) MUST_USE;
Status *batch_norm_grad_localize(Localizer *cx) MUST_USE;

#endif
