// Sorting a sharded dimension.
#ifndef TESSERA_OPS_SORT_LOCAL_H
#define TESSERA_OPS_SORT_LOCAL_H

#include "ops/localize.h"

// The columns of sort.
void sort_splits(Localizer *cx);
Status *sort_localize(Localizer *cx) MUST_USE;

// The scalar that sorts last in the total order of an element type (TOTALORDER for floats); the
// smallest if larger_first, else the largest.
ValueId sort_last(Builder *b, Type elem, bool larger_first);

#endif
