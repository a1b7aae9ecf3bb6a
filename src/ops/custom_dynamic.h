// Custom calls that JAX emits for ops with dynamic shapes that have no dynamic StableHLO form.
#ifndef TESSERA_OPS_CUSTOM_DYNAMIC_H
#define TESSERA_OPS_CUSTOM_DYNAMIC_H

#include "ops/eval.h"

// Each has the signature of an eval column; rows of custom_calls.def name them.

// stablehlo.dynamic_rng_bit_generator: (state, shape) -> (state, bits), attribute rng_algorithm.
Status *custom_dynamic_rng_bit_generator(EvalContext *cx, Literal *const *in, Literal **out);
// stablehlo.dynamic_reduce_window: (inputs…, initial values…, window_dimensions, window_strides,
// base_dilations, window_dilations, padding) -> (results…), reduced by a called function.
// O(results * window) calls.
Status *custom_dynamic_reduce_window(EvalContext *cx, Literal *const *in, Literal **out);

#endif
