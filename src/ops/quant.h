// Quantized values: integers of a storage type that stand for (i - zero_point) * scale in a float
// type. What ops whose meaning is "dequantize, compute, quantize" share.
#ifndef TESSERA_OPS_QUANT_H
#define TESSERA_OPS_QUANT_H

#include "ops/eval.h"

// The floats a quantized literal stands for, each step rounded to the expressed type. Owned by the
// caller. O(n).
Literal *quant_dequantize(const Context *context, const Literal *quantized);
// Floats to a quantized element type: divide by the scale, add the zero point, clamp to the storage
// range, round to nearest even; NaN gives storage 0, or the end of the range next to it. O(n).
Literal *quant_quantize(const Context *context, const Literal *floats, Type quant_elem);

// One quantization to another: scale and zero point of both are merged, result = x * scale +
// zero_point in the expressed type, clamped and rounded as above.
Literal *quant_requantize(const Context *context, const Literal *quantized, Type quant_elem);

// The type without quantization: a tensor of the expressed type; any other type itself.
Type quant_expressed_type(Context *context, Type type);

// Is any of the n arrays quantized?
bool quant_any(const Context *context, uint32_t n, Literal *const *literals);
// Dequantizes what is quantized among the inputs, runs eval with expressed result types, and
// quantizes the results whose declared type says so.
Status *quant_wrap(EvalContext *cx, uint32_t n_in, Literal *const *in, uint32_t n_out,
                   Literal **out,
                   Status *(*eval)(EvalContext *cx, Literal *const *in, Literal **out));

// quant_wrap for products of quantized operands 0 and 1 (dot_general, convolution …): where all of
// it is quantized, the products of storage values without their zero points are summed exactly, as
// integers, by `eval`, and scaled once.
Status *quant_contract(EvalContext *cx, uint32_t n_in, Literal *const *in, Literal **out,
                       Status *(*eval)(EvalContext *cx, Literal *const *in, Literal **out));

// lhs + rhs of equal shape, as the reference does it: both are requantized to the result's type,
// then added as integers. Where they are quantized per axis in different ways: through floats.
// O(n).
Literal *quant_add(const Context *context, const Literal *lhs, const Literal *rhs, Type quant_elem);

// The constraints of the spec on quantized types, C1 … C13: what is wrong with the tensor's (or
// element) type, or NULL. The message is in the context's arena.
const char *quant_check(Context *context, Type type);

#endif
