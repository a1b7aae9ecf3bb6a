// Sorting a dimension that is cut over devices.
#ifndef TESSERA_OPS_SORT_LOCAL_H
#define TESSERA_OPS_SORT_LOCAL_H

#include "ops/localize.h"

// The columns of sort.
void sort_splits(Localizer *cx);
Status *sort_localize(Localizer *cx) MUST_USE;

// A scalar that comes last in the total order of an element type's bits (that of the comparison
// TOTALORDER, and of integers), larger ones first or last.
ValueId sort_last(Builder *b, Type elem, bool larger_first);

#endif
