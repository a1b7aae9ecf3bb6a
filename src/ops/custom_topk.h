// The largest entries along a dimension: chlo.top_k and equivalent custom calls.
#ifndef TESSERA_OPS_CUSTOM_TOPK_H
#define TESSERA_OPS_CUSTOM_TOPK_H

#include "ops/eval.h"
#include "ops/localize.h"

// Each has the signature of an eval column; rows of custom_calls.def name them.

// mhlo.topk: (operand) -> (values, indices), k and `largest` in the attribute mhlo.attributes.
Status *custom_topk(EvalContext *cx, Literal *const *in, Literal **out);
// stablehlo.dynamic_top_k: (operand, k) -> (values, indices).
Status *custom_dynamic_top_k(EvalContext *cx, Literal *const *in, Literal **out);
// ApproxTopK and PartialReduce: (operands…, initial values…) -> (results…), ordered by a called
// comparator. The result is exact, which any recall target allows.
Status *custom_approx_top_k(EvalContext *cx, Literal *const *in, Literal **out);

// The columns of chlo.top_k and mhlo.topk (top_k_local.c).
void top_k_splits(Localizer *cx);
Status *top_k_localize(Localizer *cx) MUST_USE;
// The columns of ApproxTopK and PartialReduce.
void approx_top_k_splits(Localizer *cx);
Status *approx_top_k_localize(Localizer *cx) MUST_USE;

#endif
