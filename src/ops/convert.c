// Ops that change the element type or format: convert (by value), reduce_precision (rounds to a
// coarser format), bitcast_convert (by bits; a change of width is along the last dimension).
// O(elements).
#include <string.h>

#include "ops/factors.h"
#include "ops/pointwise.h"

// ---- convert ----

static Scalar lane_get(DTypeKind kind, const void *lanes, int64_t i) {
  switch (kind) {
  case KIND_FLOAT: return scalar_f(((const double *)lanes)[i]);
  case KIND_COMPLEX:
    return scalar_c(((const double *)lanes)[2 * i], ((const double *)lanes)[2 * i + 1]);
  default: return scalar_i(((const int64_t *)lanes)[i]);
  }
}

static void lane_set(DTypeKind kind, void *lanes, int64_t i, Scalar value) {
  switch (kind) {
  case KIND_FLOAT: ((double *)lanes)[i] = value.f; break;
  case KIND_COMPLEX:
    ((double *)lanes)[2 * i] = value.f;
    ((double *)lanes)[2 * i + 1] = value.im;
    break;
  default: ((int64_t *)lanes)[i] = value.i;
  }
}

static void run_convert(const PointwiseCall *call, int64_t n, const void *const *in, void *out) {
  DType from = call->in[0], to = call->out;
  for (int64_t i = 0; i < n; i++)
    lane_set(dtype_kind(to), out, i, dtype_convert(from, to, lane_get(dtype_kind(from), in[0], i)));
}

// Float to float and complex to complex: the store rounds.
static void run_round(const PointwiseCall *call, int64_t n, const void *const *in, void *out) {
  memcpy(out, in[0], (size_t)n * (dtype_is_complex(call->out) ? 2 : 1) * sizeof(double));
}

static bool lanes_convert(PointwiseCall *call) {
  DTypeKind from = dtype_kind(call->in[0]), to = dtype_kind(call->out);
  call->run = from == to && (from == KIND_FLOAT || from == KIND_COMPLEX) ? run_round : run_convert;
  return from != KIND_OTHER && to != KIND_OTHER;
}

static Status *eval_convert(EvalContext *cx, Literal *const *in, Literal **out) {
  if (in[0]->elem != type_elem(cx->context, eval_result_type(cx, 0)))
    return pointwise_eval(cx, in, out);
  out[0] = literal_retain(in[0]);  // preserves NaN payloads
  return NULL;
}

static bool infer_convert(Infer *cx) {
  if (!infer_all_tensors(cx)) return false;
  Type operand = infer_operand(cx, 0), declared = infer_result(cx, 0);
  REQUIRE(cx, 0, type_is_tensor(cx->context, declared),
          "the result type must be given and a ranked tensor");
  REQUIRE(cx, 0, !type_is_quant(cx->context, operand) && !type_is_quant(cx->context, declared),
          "operand and result must not be quantized, got %s and %s; use uniform_quantize or "
          "uniform_dequantize",
          infer_text(cx, operand), infer_text(cx, declared));
  Type type = type_with_elem(cx->context, operand, type_elem(cx->context, declared));
  return infer_settle(cx, 1, type);
}

static OpId sample_convert(Sample *cx) {
  int64_t dims[3];
  uint32_t rank = sample_shape(cx, 3, dims);
  Type from = type_tensor(cx->context, type_scalar(sample_dtype(cx, "bsufc")), rank, dims, 0);
  Type to = type_tensor(cx->context, type_scalar(sample_dtype(cx, "bsufc")), rank, dims, 0);
  ValueId operand = sample_value(cx, from);
  return sample_op(cx, OP_convert, 0, 1, &operand, 1, &to, 0);
}

const OpDef op_convert = {.infer = infer_convert,
                          .eval = eval_convert,
                          .sample = sample_convert,
                          .lanes = lanes_convert,
                          .constraints = 1};

// ---- reduce_precision ----

// PointwiseCall.mode holds both numbers of bits.
enum { MODE_SHIFT = 16 };

// Rounds the bits to nearest even at the coarser format's last mantissa bit. Then values beyond its
// exponent range become infinity or a signed zero (its denormals too). NaN stays NaN if the format
// has mantissa bits.
static uint64_t reduce_bits(DType type, uint64_t bits, int exponent_bits, int mantissa_bits) {
  const DTypeInfo *info = dtype_info(type);
  int full_mantissa = info->mantissa_bits, full_exponent = info->exponent_bits;
  uint64_t one = 1, sign = bits & (one << (info->width - 1)), magnitude = bits ^ sign;
  uint64_t infinity = ((one << full_exponent) - 1) << full_mantissa;
  if (magnitude > infinity) return mantissa_bits > 0 ? bits : sign | infinity;
  if (mantissa_bits < full_mantissa) {
    int drop = full_mantissa - mantissa_bits;
    uint64_t half = (one << (drop - 1)) - 1, odd = (magnitude >> drop) & 1;
    magnitude = (magnitude + half + odd) & ~((one << drop) - 1);
  }
  if (exponent_bits < full_exponent) {
    int64_t bias = (int64_t)(one << (exponent_bits - 1)) - 1;
    int64_t exponent = (int64_t)(magnitude >> full_mantissa) - info->bias;
    if (exponent > bias) magnitude = infinity;
    if (exponent <= -bias) magnitude = 0;
  }
  return sign | (magnitude > infinity ? infinity : magnitude);
}

static void run_reduce(const PointwiseCall *call, int64_t n, const void *const *in, void *out) {
  const double *x = in[0];
  double *r = out;
  int exponent_bits = (int)(call->mode >> MODE_SHIFT),
      mantissa_bits = (int)(call->mode & ((1 << MODE_SHIFT) - 1));
  // Types without infinities are reduced as f32, which holds them; the store handles overflow.
  DType work = dtype_has_infinity(call->out) ? call->out : DT_f32;
  for (int64_t i = 0; i < n; i++) {
    uint64_t bits = dtype_bits(work, scalar_f(x[i]));
    r[i] = dtype_from_bits(work, reduce_bits(work, bits, exponent_bits, mantissa_bits)).f;
  }
}

static int64_t cap(int64_t bits) { return bits < 0 ? 0 : bits > 64 ? 64 : bits; }

static bool lanes_reduce(PointwiseCall *call) {
  int64_t exponent_bits =
      cap(attr_as_int(call->context, attr_get(call->context, call->attrs, "exponent_bits"), 0));
  int64_t mantissa_bits =
      cap(attr_as_int(call->context, attr_get(call->context, call->attrs, "mantissa_bits"), 0));
  call->run = run_reduce;
  call->mode = exponent_bits << MODE_SHIFT | mantissa_bits;
  return exponent_bits > 0 && dtype_kind(call->in[0]) == KIND_FLOAT && call->in[0] == call->out;
}

static bool infer_reduce(Infer *cx) {
  if (!infer_all_tensors(cx)) return false;
  Type operand = infer_operand(cx, 0);
  const QuantInfo *quant = type_quant_info(cx->context, operand);
  REQUIRE(cx, 0, (quant && quant->axis < 0) || dtype_is_float(type_dtype(cx->context, operand)),
          "operand 0 must be float or quantized per tensor, got %s", infer_text(cx, operand));
  int64_t exponent_bits = infer_int(cx, "exponent_bits", 0),
          mantissa_bits = infer_int(cx, "mantissa_bits", -1);
  REQUIRE(cx, 2, exponent_bits >= 1, "exponent_bits must be at least 1, got %lld",
          (long long)exponent_bits);
  REQUIRE(cx, 3, mantissa_bits >= 0, "mantissa_bits must be at least 0, got %lld",
          (long long)mantissa_bits);
  return infer_settle(cx, 1, operand);
}

static OpId sample_reduce(Sample *cx) {
  static const DType types[] = {DT_f16, DT_bf16, DT_f32, DT_f64};
  int64_t dims[3];
  uint32_t rank = sample_shape(cx, 3, dims);
  Type type = type_tensor(cx->context, type_scalar(types[sample_int(cx, 0, 3)]), rank, dims, 0);
  ValueId operand = sample_value(cx, type);
  NamedAttr fields[2] = {{name_of(cx->context, "exponent_bits"),
                          attr_int(cx->context, type_scalar(DT_i32), sample_int(cx, 1, 11))},
                         {name_of(cx->context, "mantissa_bits"),
                          attr_int(cx->context, type_scalar(DT_i32), sample_int(cx, 0, 52))}};
  return sample_op(cx, OP_reduce_precision, attr_dict(cx->context, 2, fields), 1, &operand, 1, NULL,
                   0);
}

const OpDef op_reduce_precision = {.infer = infer_reduce,
                                   .eval = pointwise_eval,
                                   .sample = sample_reduce,
                                   .lanes = lanes_reduce,
                                   .constraints = 3};

// ---- bitcast_convert ----

// The bits of an element of at most 64 bits, right aligned.
static uint64_t bits_get(const Literal *l, int64_t i) {
  size_t bytes = (size_t)dtype_bytes(l->dtype);
  uint64_t bits = 0;
  memcpy(&bits, (const char *)l->data + (size_t)i * bytes, bytes);
  return bits;
}

static void bits_set(Literal *l, int64_t i, uint64_t bits) {
  size_t bytes = (size_t)dtype_bytes(l->dtype);
  memcpy((char *)l->data + (size_t)i * bytes, &bits, bytes);
}

static Status *eval_bitcast(EvalContext *cx, Literal *const *in, Literal **out) {
  const Literal *from = in[0];
  Type elem = type_elem(cx->context, eval_result_type(cx, 0));
  DType to = type_dtype(cx->context, elem);
  int from_width = dtype_width(from->dtype), to_width = dtype_width(to);
  int64_t dims[MAX_RANK];
  uint32_t rank = from->rank;
  if (rank) memcpy(dims, from->dims, rank * sizeof *dims);
  if (to_width < from_width) {
    if (rank == MAX_RANK)
      FAIL(INVALID_ARGUMENT,
           "bitcast_convert: the result has a rank above %d, which is not supported", MAX_RANK);
    dims[rank++] = from_width / to_width;
  } else if (to_width > from_width) {
    if (!rank || dims[rank - 1] != to_width / from_width)
      FAIL(INVALID_ARGUMENT, "bitcast_convert: the last dimension of the operand must have size %d",
           to_width / from_width);
    rank--;
  }
  Literal *l = out[0] = literal_new(cx->heap, cx->context, elem, rank, dims);
  bool whole_bytes = from_width == 8 * dtype_bytes(from->dtype) && to_width == 8 * dtype_bytes(to);
  if (whole_bytes || from->dtype == to) {
    if (l->count) memcpy(l->data, from->data, (size_t)l->count * (size_t)dtype_bytes(to));
  } else if (to_width <= from_width) {
    int parts = from_width / to_width;
    uint64_t mask = UINT64_MAX >> (64 - to_width);
    for (int64_t i = 0; i < l->count; i++)
      bits_set(l, i, bits_get(from, i / parts) >> (i % parts * to_width) & mask);
  } else {
    int parts = to_width / from_width;
    for (int64_t i = 0; i < l->count; i++) {
      uint64_t bits = 0;
      for (int k = 0; k < parts; k++) bits |= bits_get(from, i * parts + k) << (k * from_width);
      bits_set(l, i, bits);
    }
  }
  return NULL;
}

static bool infer_bitcast(Infer *cx) {
  if (!infer_all_tensors(cx) || !infer_declared(cx)) return false;
  Type operand = infer_operand(cx, 0), result = infer_result(cx, 0);
  REQUIRE(cx, 0, type_is_tensor(cx->context, result), "result must be a ranked tensor, got %s",
          infer_text(cx, result));
  DType from = type_dtype(cx->context, operand), to = type_dtype(cx->context, result);
  REQUIRE(cx, 2, dtype_is_complex(from) == dtype_is_complex(to),
          "operand and result must both be complex or both not, got %s and %s",
          infer_text(cx, operand), infer_text(cx, result));
  const TypeInfo *wide = type_info(cx->context, operand), *narrow = type_info(cx->context, result);
  int wide_bits = dtype_width(from), narrow_bits = dtype_width(to);
  if (wide_bits < narrow_bits) {
    const TypeInfo *info = wide;
    int bits = wide_bits;
    wide = narrow, narrow = info;
    wide_bits = narrow_bits, narrow_bits = bits;
  }
  bool same = wide_bits == narrow_bits;
  REQUIRE(cx, 1, narrow_bits && wide_bits % narrow_bits == 0,
          "element types have %d and %d bits, expected one width to be a multiple of the other",
          wide_bits, narrow_bits);
  bool fits = narrow->rank == wide->rank + (same ? 0 : 1);
  for (uint32_t d = 0; fits && d < wide->rank; d++)
    fits = dim_compatible(wide->dims[d], narrow->dims[d]);
  if (fits && !same) fits = dim_compatible(narrow->dims[wide->rank], wide_bits / narrow_bits);
  REQUIRE(cx, 1, fits, "%s, got %s and %s",
          same ? "operand and result must have the same shape"
               : arena_printf(context_arena(cx->context),
                              "the type with the narrower elements must have one more dimension, "
                              "the last, of size %d",
                              wide_bits / narrow_bits),
          infer_text(cx, operand), infer_text(cx, result));
  return true;
}

static OpId sample_bitcast(Sample *cx) {
  static const DType types[] = {DT_i1,  DT_i4,  DT_i8,  DT_ui16, DT_f16,
                                DT_i32, DT_f32, DT_f64, DT_ui64};
  int64_t dims[4];
  uint32_t rank = sample_shape(cx, 3, dims);
  DType a = types[sample_int(cx, 0, 8)], b = types[sample_int(cx, 0, 8)];
  DType wide = dtype_width(a) >= dtype_width(b) ? a : b, narrow = wide == a ? b : a;
  dims[rank] = dtype_width(wide) / dtype_width(narrow);
  uint32_t more = dims[rank] > 1 ? 1 : 0;
  Type wide_type = type_tensor(cx->context, type_scalar(wide), rank, dims, 0);
  Type narrow_type = type_tensor(cx->context, type_scalar(narrow), rank + more, dims, 0);
  bool widen = sample_chance(cx, 50);
  ValueId operand = sample_value(cx, widen ? narrow_type : wide_type);
  Type result = widen ? wide_type : narrow_type;
  return sample_op(cx, OP_bitcast_convert, 0, 1, &operand, 1, &result, 0);
}

static bool factors_bitcast(FactorContext *cx) {
  uint32_t in = factors_rank(cx, 0), out = factors_rank(cx, 1), most = in < out ? in : out;
  for (uint32_t d = 0; d < most; d++) factors_on_all(cx, factors_dim(cx, 0, d), FACTOR_PASS, d);
  if (in != out) {
    uint32_t tensor = in > out ? 0 : 1;
    factors_on(cx, factors_dim(cx, tensor, most), FACTOR_REPLICATE, tensor, most);
  }
  return true;
}

// With equal widths the shape does not change.
static uint32_t traits_bitcast(const Program *p, OpId op) {
  const TypeInfo *in = type_info(p->context, op_operand_type(p, op, 0)),
                 *out = type_info(p->context, op_result_type(p, op, 0));
  return in->rank == out->rank ? TRAIT_ELEMENTWISE : 0;
}

const OpDef op_bitcast_convert = {.infer = infer_bitcast,
                                  .eval = eval_bitcast,
                                  .sample = sample_bitcast,
                                  .constraints = 2,
                                  .factors = factors_bitcast,
                                  .traits = traits_bitcast};
