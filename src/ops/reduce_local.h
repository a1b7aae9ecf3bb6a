// The columns of reduce for tiles.
#ifndef TESSERA_OPS_REDUCE_LOCAL_H
#define TESSERA_OPS_REDUCE_LOCAL_H

#include "ops/localize.h"

void reduce_splits(Localizer *cx);
Status *reduce_localize(Localizer *cx) MUST_USE;

#endif
