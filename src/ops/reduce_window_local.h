// The columns of reduce_window for tiles.
#ifndef TESSERA_OPS_REDUCE_WINDOW_LOCAL_H
#define TESSERA_OPS_REDUCE_WINDOW_LOCAL_H

#include "ops/localize.h"

void reduce_window_splits(Localizer *cx);
Status *reduce_window_localize(Localizer *cx) MUST_USE;

#endif
