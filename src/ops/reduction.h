// What reduce, reduce_window, select_and_scatter share: bodies that combine scalars and may be
// wider than the inputs they combine.
#ifndef TESSERA_OPS_REDUCTION_H
#define TESSERA_OPS_REDUCTION_H

#include "ops/eval.h"
#include "ops/infer.h"

// Whether a value of element type `from` may enter a body written for `to`: same kind, at least as
// wide.
bool reduction_promotable(const Context *context, Type from, Type to);

// Verifies that region `region` has type (tensor<E0> … tensor<En-1>, again) -> (tensor<E0> …
// tensor<En-1>) and that elems[i] is promotable to Ei; writes Ei to out_elems.
bool reduction_check_body(Infer *cx, uint32_t region, uint32_t n, const Type *elems, int constraint,
                          Type *out_elems);

// The literal with its elements promoted to `elem` (itself, retained, if they are of that type).
// Owned. O(count).
Literal *reduction_promote(EvalContext *cx, Literal *literal, Type elem);

// The element types of the first n arguments of a region of cx->op.
void reduction_elems(const EvalContext *cx, uint32_t region, uint32_t n, Type *out_elems);

#endif
