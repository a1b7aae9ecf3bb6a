// Quantized values: integers i of a storage type that represent (i - zero_point) * scale in a float
// type. Many ops dequantize, compute and quantize.
#ifndef TESSERA_OPS_QUANT_H
#define TESSERA_OPS_QUANT_H

#include "ops/eval.h"

// The floats that a quantized literal represents; each step is rounded to the expressed type. Owned
// by the caller. O(n).
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
// Dequantizes the quantized inputs, runs eval with expressed result types, and quantizes the
// results whose declared type is quantized.
Status *quant_wrap(EvalContext *cx, uint32_t n_in, Literal *const *in, uint32_t n_out,
                   Literal **out,
                   Status *(*eval)(EvalContext *cx, Literal *const *in, Literal **out));

// quant_wrap for products of operands 0 and 1 (dot_general, convolution …). If operands and result
// are quantized, lhs per tensor, with storage of at most 16 bits: `eval` runs on integers (storage
// values minus zero points), so that sums are exact, and the result is scaled once.
Status *quant_contract(EvalContext *cx, uint32_t n_in, Literal *const *in, Literal **out,
                       Status *(*eval)(EvalContext *cx, Literal *const *in, Literal **out));

// lhs + rhs of equal shape, as in the reference: both are requantized to the result's type, then
// added as integers. If their per-axis quantizations differ: through floats. O(n).
Literal *quant_add(const Context *context, const Literal *lhs, const Literal *rhs, Type quant_elem);

// Checks the spec's constraints C1 … C13 on a quantized tensor or element type. Returns a message
// in the context's arena, or NULL if they hold.
const char *quant_check(Context *context, Type type);

#endif
