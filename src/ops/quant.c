// Quantization as the spec's `quantize` and `dequantize` define it. Every step is computed in
// double and rounded to the expressed type, which for the four basic operations on at most 32 bits
// is exactly that type's arithmetic. Along the quantized axis parameters change every `inner`
// elements. O(n).
#include "ops/quant.h"

#include <math.h>

// Walks elements in runs that share one scale and zero point.
typedef struct Runs {
  int64_t inner;  // elements per run
  int64_t count;  // parameters
} Runs;

static Runs runs_of(const QuantInfo *quant, const Literal *l) {
  Runs runs = {l->count ? l->count : 1, 1};
  if (quant->axis < 0) return runs;
  runs.inner = 1;
  for (uint32_t d = (uint32_t)quant->axis + 1; d < l->rank; d++) runs.inner *= l->dims[d];
  runs.count = (int64_t)quant->count;
  return runs;
}

Literal *quant_dequantize(const Context *context, const Literal *quantized) {
  const QuantInfo *quant = type_quant_info(context, quantized->elem);
  DType type = quant->expressed;
  Literal *out = literal_like(quantized, context, type_scalar(type));
  Runs runs = runs_of(quant, quantized);
  for (int64_t i = 0; i < out->count; i++) {
    int64_t k = i / runs.inner % runs.count;
    double steps = (double)(literal_get(quantized, i).i - quant->zero_points[k]);
    double scale = dtype_round(type, scalar_f(quant->scales[k])).f;
    literal_set(out, i, scalar_f(dtype_round(type, scalar_f(steps)).f * scale));
  }
  return out;
}

Literal *quant_quantize(const Context *context, const Literal *floats, Type quant_elem) {
  const QuantInfo *quant = type_quant_info(context, quant_elem);
  DType type = quant->expressed;
  Literal *out = literal_like(floats, context, quant_elem);
  Runs runs = runs_of(quant, floats);
  double low = dtype_round(type, scalar_f((double)quant->min)).f;
  double high = dtype_round(type, scalar_f((double)quant->max)).f;
  for (int64_t i = 0; i < out->count; i++) {
    int64_t k = i / runs.inner % runs.count;
    double scale = dtype_round(type, scalar_f(quant->scales[k])).f;
    double zero = dtype_round(type, scalar_f((double)quant->zero_points[k])).f;
    double scaled = dtype_round(type, scalar_f(literal_get(floats, i).f / scale)).f;
    double shifted = dtype_round(type, scalar_f(scaled + zero)).f;
    double clamped = shifted < low ? low : shifted > high ? high : shifted;
    Scalar integer = dtype_convert(DT_f64, DT_i64, scalar_f(nearbyint(clamped)));
    // A float type may be too coarse for the ends of the range.
    if (integer.i < quant->min) integer.i = quant->min;
    if (integer.i > quant->max) integer.i = quant->max;
    literal_set(out, i, integer);
  }
  return out;
}

Type quant_expressed_type(Context *context, Type type) {
  const QuantInfo *quant = type_quant_info(context, type);
  if (!quant) return type;
  Type scalar = type_scalar(quant->expressed);
  return type_info(context, type)->kind == TYPE_QUANT ? scalar
                                                      : type_with_elem(context, type, scalar);
}

bool quant_any(const Context *context, uint32_t n, Literal *const *literals) {
  for (uint32_t i = 0; i < n; i++)
    if (literals[i]->kind == LITERAL_ARRAY && type_is_quant(context, literals[i]->elem))
      return true;
  return false;
}

Status *quant_wrap(EvalContext *cx, uint32_t n_in, Literal *const *in, uint32_t n_out,
                   Literal **out,
                   Status *(*eval)(EvalContext *cx, Literal *const *in, Literal **out)) {
  Literal **floats = ARENA_ARRAY(cx->scratch, Literal *, n_in + 1);
  for (uint32_t i = 0; i < n_in; i++) {
    bool quantized = in[i]->kind == LITERAL_ARRAY && type_is_quant(cx->context, in[i]->elem);
    floats[i] = quantized ? quant_dequantize(cx->context, in[i]) : literal_retain(in[i]);
  }
  Type *types = ARENA_ARRAY(cx->scratch, Type, n_out + 1);
  for (uint32_t i = 0; i < n_out; i++)
    types[i] = quant_expressed_type(cx->context, eval_result_type(cx, i));
  EvalContext inner = *cx;
  inner.result_types = types;
  TRY(eval(&inner, floats, out));
  for (uint32_t i = 0; i < n_in; i++) literal_release(floats[i]);
  for (uint32_t i = 0; i < n_out; i++) {
    Type declared = eval_result_type(cx, i);
    if (!type_is_quant(cx->context, declared)) continue;
    Literal *quantized = quant_quantize(cx->context, out[i], type_elem(cx->context, declared));
    literal_release(out[i]);
    out[i] = quantized;
  }
  return NULL;
}

const char *quant_check(Context *context, Type type) {
  const QuantInfo *q = type_quant_info(context, type);
  if (!q) return NULL;
  Arena *arena = context_arena(context);
  int storage_bits = dtype_width(q->storage), expressed_bits = dtype_width(q->expressed);
  if (!dtype_is_integer(q->storage) || !dtype_is_float(q->expressed))
    return arena_printf(arena,
                        "storage type must be an integer and expressed type a float, got %s and %s",
                        dtype_info(q->storage)->name, dtype_info(q->expressed)->name);
  // The spec wants the storage narrower; producers write i32:f32 for accumulators and the reference
  // takes it.
  if (storage_bits > expressed_bits)
    return arena_printf(
        arena, "C1: storage type of %d bits must not be wider than expressed type of %d bits",
        storage_bits, expressed_bits);
  int64_t lowest = dtype_lowest(q->storage).i, highest = dtype_max_finite(q->storage).i;
  if (q->min < lowest || q->min >= q->max || q->max > highest)
    return arena_printf(arena, "C4: storage range %lld:%lld must be a range within %lld:%lld",
                        (long long)q->min, (long long)q->max, (long long)lowest,
                        (long long)highest);
  for (uint32_t i = 0; i < q->count; i++) {
    if (!(q->scales[i] > 0))
      return arena_printf(arena, "C6: scale %g must be positive", q->scales[i]);
    if (!isfinite(q->scales[i]))
      return arena_printf(arena, "C7: scale %g must be finite", q->scales[i]);
    if (q->zero_points[i] < q->min || q->zero_points[i] > q->max)
      return arena_printf(arena, "C8: zero point %lld must be in the storage range %lld:%lld",
                          (long long)q->zero_points[i], (long long)q->min, (long long)q->max);
  }
  const TypeInfo *info = type_info(context, type);
  if (info->kind != TYPE_TENSOR || q->axis < 0) return NULL;
  if ((uint32_t)q->axis >= info->rank)
    return arena_printf(arena, "C12: quantization dimension %d must be below the rank %u",
                        (int)q->axis, info->rank);
  int64_t dim = info->dims[q->axis];
  if (dim != DIM_DYNAMIC && dim != (int64_t)q->count)
    return arena_printf(arena, "C13: %u scales for dimension %d of size %lld", q->count,
                        (int)q->axis, (long long)dim);
  return NULL;
}
