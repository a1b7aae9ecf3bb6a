// Indexing ops (gather, scatter, dynamic slices) on shards. Problem: an index is global, and each
// device holds one tile of the indexed dimension.
//
// Idea: clamp the index to the global size first, if the op clamps; then subtract the tile's
// offset; then mask elements of other devices' tiles.
//
// Reading (gather, dynamic_slice): exactly one device has the element, the others contribute the
// identity. So the sum over devices is the element, bit for bit.
#ifndef TESSERA_OPS_INDEX_LOCAL_H
#define TESSERA_OPS_INDEX_LOCAL_H

#include "ops/localize.h"

// ---- shared helpers ----

// The reducer of a result whose elements one device has and the others fill with the identity: sum,
// or for i1 or. COMBINE_NONE: the element type has no identity (quantized, f8E8M0).
Combine index_reducer(const Localizer *cx, uint32_t tensor);
// Is dimension d of operand 0 small enough that sizes with margins do not overflow?
bool index_has_room(const Localizer *cx, uint32_t d);
// Converts integers of any type to i64; larger ones become INT64_MAX.
ValueId index_i64(Builder *b, ValueId indices);
// Clamps to [0, most].
ValueId index_clamp(Builder *b, ValueId indices, int64_t most);
// Subtracts a tensor<i64> from each.
ValueId index_minus(Builder *b, ValueId indices, ValueId offset);
// Predicate: each lies in [0, size).
ValueId index_inside(Builder *b, ValueId indices, int64_t size);
// x and y, predicates of one shape; 0 = true.
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
