// Ops that take places from indices, on tiles: an index speaks of the whole, a tile begins
// somewhere in it. An index is moved inside the whole first, where the op does that, then shifted
// by the tile's beginning; what lies in other tiles is masked.
//
// Reading (gather, dynamic_slice): each device gives what it has and what changes no sum elsewhere,
// so that the sum of all is the element itself, bit for bit.
#ifndef TESSERA_OPS_INDEX_LOCAL_H
#define TESSERA_OPS_INDEX_LOCAL_H

#include "ops/localize.h"

// ---- what these ops share ----

// How elements of which one device has each become a result in parts: by adding what changes
// nothing, where the type has that. COMBINE_NONE: it has not.
Combine index_parts(const Localizer *cx, uint32_t tensor);
// Whether dimension d of operand 0 is not so large that sizes with margins overflow.
bool index_has_room(const Localizer *cx, uint32_t d);
// Integers of any type as i64; those beyond its range as its largest.
ValueId index_i64(Builder *b, ValueId indices);
// Moved to lie in [0, most].
ValueId index_clamp(Builder *b, ValueId indices, int64_t most);
// With a tensor<i64> subtracted from each.
ValueId index_minus(Builder *b, ValueId indices, ValueId offset);
// Whether each lies in [0, size).
ValueId index_inside(Builder *b, ValueId indices, int64_t size);
// The same truth for all of one shape or a scalar; 0 = true.
ValueId index_and(Builder *b, ValueId x, ValueId y);

// ---- columns ----

void dynamic_slice_splits(Localizer *cx);
Status *dynamic_slice_localize(Localizer *cx) MUST_USE;
void dynamic_update_slice_splits(Localizer *cx);
Status *dynamic_update_slice_localize(Localizer *cx) MUST_USE;
void gather_splits(Localizer *cx);
Status *gather_localize(Localizer *cx) MUST_USE;
void torch_index_select_splits(Localizer *cx);
Status *torch_index_select_localize(Localizer *cx) MUST_USE;
void scatter_splits(Localizer *cx);
Status *scatter_localize(Localizer *cx) MUST_USE;

#endif
