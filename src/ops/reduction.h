// Bodies of reduce, reduce_window and select_and_scatter: they combine scalars, in a type that may
// be wider than the inputs'.
#ifndef TESSERA_OPS_REDUCTION_H
#define TESSERA_OPS_REDUCTION_H

#include "ops/eval.h"
#include "ops/infer.h"

// May a body on element type `to` take values of `from`? True if they have the same kind and `to`
// is at least as wide.
bool reduction_promotable(const Context *context, Type from, Type to);

// Verifies that region `region` has type (tensor<E0> … tensor<En-1>, tensor<E0> … tensor<En-1>) ->
// (tensor<E0> … tensor<En-1>) and that elems[i] is promotable to Ei; writes Ei to out_elems.
bool reduction_check_body(Infer *cx, uint32_t region, uint32_t n, const Type *elems, int constraint,
                          Type *out_elems);

// The literal with its elements promoted to `elem`; the same literal, retained, if they have that
// type. Owned. O(count).
Literal *reduction_promote(EvalContext *cx, Literal *literal, Type elem);

// The element types of the first n arguments of a region of cx->op.
void reduction_elems(const EvalContext *cx, uint32_t region, uint32_t n, Type *out_elems);

#endif
