// The columns of batch_norm_training and batch_norm_grad with a sharded batch.
#ifndef TESSERA_OPS_BATCH_NORM_LOCAL_H
#define TESSERA_OPS_BATCH_NORM_LOCAL_H

#include "ops/localize.h"

void batch_norm_splits(Localizer *cx);
Status *batch_norm_training_localize(Localizer *cx) MUST_USE;
Status *batch_norm_grad_localize(Localizer *cx) MUST_USE;

#endif
