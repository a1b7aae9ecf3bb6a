// Quantization as the spec's `quantize` and `dequantize` define it. Sums, products and changes of
// quantization, which the spec leaves open, follow the reference interpreter. Every step is
// computed in double and rounded to the expressed type; for + - * / on at most 32 bits that is
// exactly the type's arithmetic. Per-axis parameters change every `inner` elements. O(n).
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
  for (uint32_t d = (uint32_t)quant->axis + 1; d < l->rank; d++)
    runs.inner = shape_times(runs.inner, l->dims[d]);
  runs.count = (int64_t)quant->count;
  return runs;
}

// The index of element i's scale and zero point.
static int64_t param_index(const QuantInfo *quant, Runs runs, int64_t i) {
  return quant->axis < 0 ? 0 : i / runs.inner % runs.count;
}

Literal *quant_dequantize(const Context *context, const Literal *quantized) {
  const QuantInfo *quant = type_quant_info(context, quantized->elem);
  DType type = quant->expressed;
  Literal *out = literal_like(quantized, context, type_scalar(type));
  Runs runs = runs_of(quant, quantized);
  for (int64_t i = 0; i < out->count; i++) {
    int64_t k = param_index(quant, runs, i);
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
    int64_t k = param_index(quant, runs, i);
    double scale = dtype_round(type, scalar_f(quant->scales[k])).f;
    double zero = dtype_round(type, scalar_f((double)quant->zero_points[k])).f;
    double scaled = dtype_round(type, scalar_f(literal_get(floats, i).f / scale)).f;
    double shifted = dtype_round(type, scalar_f(scaled + zero)).f;
    double clamped = shifted < low ? low : shifted > high ? high : shifted;
    Scalar integer = dtype_convert(DT_f64, DT_i64, scalar_f(nearbyint(clamped)));
    // A float type may be too coarse for the limits of the range.
    if (integer.i < quant->min) integer.i = quant->min;
    if (integer.i > quant->max) integer.i = quant->max;
    literal_set(out, i, integer);
  }
  return out;
}

// x * scale + zero_point with the merged parameters of element i, in the expressed type, before
// rounding to integers.
static double merged_value(const QuantInfo *from, Runs from_runs, const QuantInfo *to, Runs to_runs,
                           int64_t i, int64_t x) {
  int64_t k = param_index(from, from_runs, i), m = param_index(to, to_runs, i);
  DType type = to->expressed;
  double scale = from->scales[k] / to->scales[m];
  double zero = (double)to->zero_points[m] - (double)from->zero_points[k] * scale;
  double narrow = dtype_round(type, scalar_f(scale)).f;
  double product = dtype_round(type, scalar_f(dtype_round(type, scalar_f((double)x)).f * narrow)).f;
  return dtype_round(type, scalar_f(product + dtype_round(type, scalar_f(zero)).f)).f;
}

// Equal scales and zero points: requantization only clamps.
static bool same_params(const QuantInfo *a, const QuantInfo *b) {
  if (a->expressed != b->expressed || a->axis != b->axis || a->count != b->count) return false;
  for (uint32_t i = 0; i < a->count; i++)
    if (a->scales[i] != b->scales[i] || a->zero_points[i] != b->zero_points[i]) return false;
  return true;
}

static int64_t clamp_storage(const QuantInfo *quant, int64_t x) {
  return x < quant->min ? quant->min : x > quant->max ? quant->max : x;
}

// Element i in another quantization, as an integer that may be out of its storage range.
static int64_t requantized(const QuantInfo *from, Runs from_runs, const QuantInfo *to, Runs to_runs,
                           int64_t i, int64_t x) {
  return dtype_convert(DT_f64, DT_i64,
                       scalar_f(nearbyint(merged_value(from, from_runs, to, to_runs, i, x))))
      .i;
}

Literal *quant_requantize(const Context *context, const Literal *quantized, Type quant_elem) {
  const QuantInfo *from = type_quant_info(context, quantized->elem),
                  *to = type_quant_info(context, quant_elem);
  Literal *out = literal_like(quantized, context, quant_elem);
  Runs from_runs = runs_of(from, quantized), to_runs = runs_of(to, quantized);
  bool same = same_params(from, to);
  for (int64_t i = 0; i < out->count; i++) {
    int64_t x = literal_get(quantized, i).i;
    int64_t y = same ? x : requantized(from, from_runs, to, to_runs, i, x);
    literal_set(out, i, scalar_i(clamp_storage(to, y)));
  }
  return out;
}

Literal *quant_add(const Context *context, const Literal *lhs, const Literal *rhs,
                   Type quant_elem) {
  const QuantInfo *l = type_quant_info(context, lhs->elem),
                  *r = type_quant_info(context, rhs->elem);
  const QuantInfo *to = type_quant_info(context, quant_elem);
  bool same_l = same_params(l, to), same_r = same_params(r, to);
  bool per_axis = l->axis >= 0 || r->axis >= 0 || to->axis >= 0;
  if (per_axis && !(same_l && same_r)) {
    Literal *x = quant_dequantize(context, lhs), *y = quant_dequantize(context, rhs);
    for (int64_t i = 0; i < x->count; i++)
      literal_set(x, i, scalar_f(literal_get(x, i).f + literal_get(y, i).f));
    Literal *out = quant_quantize(context, x, quant_elem);
    literal_release(x);
    literal_release(y);
    return out;
  }
  Literal *out = literal_like(lhs, context, quant_elem);
  Runs runs_l = runs_of(l, lhs), runs_r = runs_of(r, rhs), runs = runs_of(to, lhs);
  for (int64_t i = 0; i < out->count; i++) {
    int64_t x = literal_get(lhs, i).i, y = literal_get(rhs, i).i;
    if (!same_l) x = requantized(l, runs_l, to, runs, i, x);
    if (!same_r) y = requantized(r, runs_r, to, runs, i, y);
    literal_set(out, i,
                scalar_i(clamp_storage(to, x + y - to->zero_points[param_index(to, runs, i)])));
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

// Storage values minus their zero points.
static Literal *centred(const Context *context, const Literal *quantized) {
  const QuantInfo *quant = type_quant_info(context, quantized->elem);
  Literal *out = literal_like(quantized, context, type_scalar(DT_i64));
  Runs runs = runs_of(quant, quantized);
  for (int64_t i = 0; i < out->count; i++)
    literal_set(
        out, i,
        scalar_i(literal_get(quantized, i).i - quant->zero_points[param_index(quant, runs, i)]));
  return out;
}

// Converts integer sums to the result's quantization. A combined scale very close to 1 counts as 1,
// as in the reference: producers write the product of two scales with few digits.
static Literal *scale_sums(const Context *context, const Literal *sums, const QuantInfo *l,
                           const QuantInfo *r, Type quant_elem) {
  const double near_one = 0.001;
  const QuantInfo *to = type_quant_info(context, quant_elem);
  Literal *out = literal_like(sums, context, quant_elem);
  Runs runs = runs_of(to, sums);
  for (int64_t i = 0; i < out->count; i++) {
    int64_t k = param_index(to, runs, i), sum = literal_get(sums, i).i;
    double scale = l->scales[0] * r->scales[r->axis < 0 ? 0 : k] / to->scales[k];
    if (fabs(scale - 1) > near_one)
      sum = dtype_convert(DT_f64, DT_i64, scalar_f(nearbyint((double)sum * scale))).i;
    literal_set(out, i, scalar_i(clamp_storage(to, sum + to->zero_points[k])));
  }
  return out;
}

Status *quant_contract(EvalContext *cx, uint32_t n_in, Literal *const *in, Literal **out,
                       Status *(*eval)(EvalContext *cx, Literal *const *in, Literal **out)) {
  Type declared = eval_result_type(cx, 0);
  const QuantInfo *l = type_quant_info(cx->context, in[0]->elem),
                  *r = type_quant_info(cx->context, in[1]->elem);
  const QuantInfo *to = type_quant_info(cx->context, declared);
  // Products of 16-bit integers and their sums fit in 64 bits. A per-axis rhs scale must be a
  // per-axis scale of the result, else terms of one sum would have different scales.
  bool exact = l && r && to && l->axis < 0 && dtype_width(l->storage) <= 16 &&
               dtype_width(r->storage) <= 16 &&
               (r->axis < 0 || (to->axis >= 0 && to->count == r->count));
  if (!exact) return quant_wrap(cx, n_in, in, 1, out, eval);
  Literal **integers = ARENA_ARRAY(cx->scratch, Literal *, n_in);
  for (uint32_t i = 0; i < n_in; i++) integers[i] = i < 2 ? centred(cx->context, in[i]) : in[i];
  Type type = type_with_elem(cx->context, declared, type_scalar(DT_i64));
  EvalContext inner = *cx;
  inner.result_types = &type;
  Literal *sums = NULL;
  TRY(eval(&inner, integers, &sums));
  out[0] = scale_sums(cx->context, sums, l, r, type_elem(cx->context, declared));
  literal_release(sums);
  literal_release(integers[0]);
  literal_release(integers[1]);
  return NULL;
}

const char *quant_check(Context *context, Type type) {
  const QuantInfo *q = type_quant_info(context, type);
  if (!q) return NULL;
  Arena *arena = context_arena(context);
  if (!dtype_is_integer(q->storage) || !dtype_is_float(q->expressed))
    return arena_printf(arena,
                        "storage type must be an integer and expressed type a float, got %s and %s",
                        dtype_info(q->storage)->name, dtype_info(q->expressed)->name);
  int64_t lowest = dtype_lowest(q->storage).i, highest = dtype_max_finite(q->storage).i;
  if (q->min < lowest || q->min >= q->max || q->max > highest)
    return arena_printf(
        arena, "C3: the storage range is %lld:%lld, expected min < max within %lld:%lld",
        (long long)q->min, (long long)q->max, (long long)lowest, (long long)highest);
  for (uint32_t i = 0; i < q->count; i++) {
    if (!(q->scales[i] > 0))
      return arena_printf(arena, "C5: the scale is %g, expected a positive number", q->scales[i]);
    if (!isfinite(q->scales[i]))
      return arena_printf(arena, "C6: the scale is %g, expected a finite number", q->scales[i]);
    // Scales have the expressed type (C4), where they may underflow to 0 or overflow to infinity.
    double rounded = dtype_round(q->expressed, scalar_f(q->scales[i])).f;
    if (rounded == 0 || !isfinite(rounded))
      return arena_printf(arena, "C%d: the scale is %g, which is %s when rounded to %s",
                          rounded == 0 ? 5 : 6, q->scales[i], rounded == 0 ? "0" : "infinite",
                          dtype_info(q->expressed)->name);
    if (q->zero_points[i] < q->min || q->zero_points[i] > q->max)
      return arena_printf(arena,
                          "C7: the zero point is %lld, expected it in the storage range %lld:%lld",
                          (long long)q->zero_points[i], (long long)q->min, (long long)q->max);
  }
  const TypeInfo *info = type_info(context, type);
  if (info->kind != TYPE_TENSOR || q->axis < 0) return NULL;
  if ((uint32_t)q->axis >= info->rank)
    return arena_printf(
        arena, "C12: the quantized dimension is %d, expected it below the tensor's rank %u",
        (int)q->axis, info->rank);
  int64_t dim = info->dims[q->axis];
  if (dim != DIM_DYNAMIC && dim != (int64_t)q->count)
    return arena_printf(
        arena,
        "C13: there are %u scales for dimension %d of size %lld, expected one scale per element",
        q->count, (int)q->axis, (long long)dim);
  return NULL;
}
