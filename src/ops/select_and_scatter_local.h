// The columns of select_and_scatter for tiles.
#ifndef TESSERA_OPS_SELECT_AND_SCATTER_LOCAL_H
#define TESSERA_OPS_SELECT_AND_SCATTER_LOCAL_H

#include "ops/localize.h"

void select_and_scatter_splits(Localizer *cx);
Status *select_and_scatter_localize(Localizer *cx) MUST_USE;

#endif
