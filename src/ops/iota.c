// iota and dynamic_iota: every element is its index along one dimension. The numbers along that
// dimension are computed once and broadcast. O(elements).
#include "ops/localize.h"
#include "ops/move.h"
#include "ops/quant.h"
#include "tensor/strided.h"

static bool infer_elem(Infer *cx, const TypeInfo *result) {
  DType dtype = type_dtype(cx->context, result->elem);
  const QuantInfo *quant = type_quant_info(cx->context, result->elem);
  return (!quant || quant->axis < 0) &&
                 (dtype_is_integer(dtype) || dtype_is_float(dtype) || dtype_is_complex(dtype))
             ? true
             : infer_fail(cx, 0,
                          "the result must be a tensor of integers, floats or complex numbers, or "
                          "per-tensor quantized, got %s",
                          infer_text(cx, infer_result(cx, 0)));
}

static bool infer(Infer *cx) {
  const TypeInfo *result = move_result(cx, 0);
  int64_t d = infer_int(cx, "iota_dimension", -1);
  if (cx->failed || (result && !infer_elem(cx, result))) return false;
  REQUIRE(cx, 1, !result || (0 <= d && d < result->rank),
          "iota_dimension is %lld, expected it in [0, %u)", (long long)d, result->rank);
  return infer_declared(cx);
}

static bool infer_dynamic(Infer *cx) {
  if (!move_integers(cx, 0, 1)) return false;
  const TypeInfo *shape = move_operand(cx, 0), *result = move_result(cx, 0);
  int64_t d = infer_int(cx, "iota_dimension", -1);
  if (cx->failed || (result && !infer_elem(cx, result))) return false;
  REQUIRE(cx, 2, !result || dim_compatible(shape->dims[0], result->rank),
          "output_shape has length %lld, expected %u, one entry per dimension of the result",
          (long long)shape->dims[0], result->rank);
  REQUIRE(cx, 1,
          0 <= d &&
              (shape->dims[0] == DIM_DYNAMIC ? !result || d < result->rank : d < shape->dims[0]),
          "iota_dimension is %lld, expected it in [0, %lld)", (long long)d,
          (long long)(shape->dims[0] == DIM_DYNAMIC && result ? result->rank : shape->dims[0]));
  Ints known = move_constant(cx, 0);
  if (known.ok && !move_same_shape(cx, 0, 0, known.n, known.v)) return false;
  return infer_declared(cx);
}

// 0 … n-1 as the element type.
static Literal *count_up(EvalContext *cx, Type elem, int64_t n) {
  const QuantInfo *quant = type_quant_info(cx->context, elem);
  DType dtype = quant ? quant->expressed : type_dtype(cx->context, elem);
  Literal *values = literal_new(cx->heap, cx->context, type_scalar(dtype), 1, &n);
  for (int64_t i = 0; i < n; i++) literal_set(values, i, dtype_convert(DT_i64, dtype, scalar_i(i)));
  if (!quant) return values;
  Literal *quantized = quant_quantize(cx->context, values, elem);
  literal_release(values);
  return quantized;
}

static Status *iota(EvalContext *cx, uint32_t rank, const int64_t *dims, Literal **out) {
  int64_t along = eval_int(cx, "iota_dimension", 0), from[MAX_RANK] = {0};
  if (along >= rank)
    FAIL(INVALID_ARGUMENT, "iota_dimension is %lld, expected it in [0, %u)", (long long)along,
         rank);
  TRY(move_new(cx, 0, 0, rank, dims, out));
  if ((*out)->count == 0) return NULL;
  Literal *values = count_up(cx, (*out)->elem, dims[along]);
  from[along] = 1;
  strided_copy(*out, 0, NULL, values, 0, from, rank, dims);
  literal_release(values);
  return NULL;
}

static Status *eval(EvalContext *cx, Literal *const *in, Literal **out) {
  (void)in;
  Type declared = eval_result_type(cx, 0);
  const TypeInfo *type = type_info(cx->context, declared);
  if (!type_is_static(cx->context, declared))
    FAIL(INVALID_ARGUMENT, "the dynamic sizes of the result %s are not known at run time",
         type_text(cx->context, declared));
  return iota(cx, type->rank, type->dims, out);
}

static Status *eval_dynamic(EvalContext *cx, Literal *const *in, Literal **out) {
  if (in[0]->count > MAX_RANK)
    FAIL(INVALID_ARGUMENT, "output_shape has length %lld, at most %d is supported",
         (long long)in[0]->count, MAX_RANK);
  Ints dims = move_indices(cx, in[0]);
  return iota(cx, dims.n, dims.v, out);
}

static OpId sample_code(Sample *cx, uint16_t code) {
  int64_t dims[4];
  uint32_t rank = sample_shape(cx, 4, dims), n_in = code == OP_iota ? 0 : 1;
  if (rank == 0) dims[rank++] = 3;
  ValueId shape = 0;
  if (n_in) shape = move_sample_ints(cx, rank, dims);
  for (uint32_t d = 0; d < rank && n_in; d++)
    if (sample_chance(cx, 50)) dims[d] = DIM_DYNAMIC;
  Type result = type_tensor(cx->context, type_scalar(sample_dtype(cx, "sufc")), rank, dims, 0);
  Attr attrs =
      move_attr(cx, 0, "iota_dimension", attr_i64(cx->context, sample_int(cx, 0, rank - 1)));
  return sample_op(cx, code, attrs, n_in, &shape, 1, &result, 0);
}

static OpId sample(Sample *cx) { return sample_code(cx, OP_iota); }

static OpId sample_dynamic(Sample *cx) { return sample_code(cx, OP_dynamic_iota); }

static bool factors(FactorContext *cx) {
  uint32_t result = factors_result(cx, 0);
  int64_t along = factors_int(cx, "iota_dimension", 0);
  cx->build.own = true;
  if (cx->n_operands) factors_replicated(cx, 0);
  for (uint32_t d = 0; d < factors_rank(cx, result); d++)
    factors_on(cx, factors_dim(cx, result, d), d == along ? FACTOR_OFFSET : FACTOR_PASS, result, d);
  return true;
}

// Every dimension can be split, except for quantized elements, to which no offset can be added.
static void splits(Localizer *cx) {
  if (type_is_quant(cx->context, op_result_type(cx->program, cx->op, 0)))
    for (uint32_t f = 0; f < cx->map->n_factors; f++) localize_unsplit(cx, f);
}

// Global indices of the tile in i64, then one convert, so that rounding is that of the global op.
static Status *localize(Localizer *cx) {
  Builder *b = cx->builder;
  uint32_t along = (uint32_t)attr_as_int(cx->context, localize_attr(cx, "iota_dimension"), 0);
  if (!localize_axes(cx, 0, along).n) return localize_copy(cx, NULL, 0);
  ValueId v = build_iota(b, cx->out_types[0], along);
  ValueId offset = build_broadcast(b, localize_offset(cx, 0, along), value_type(b->p, v));
  v = build_binary(b, OP_add, v, offset);
  cx->out[0] = build_convert(b, v, type_elem(cx->context, cx->out_types[0]));
  return NULL;
}

const OpDef op_iota = {.infer = infer,
                       .eval = eval,
                       .sample = sample,
                       .constraints = 1,
                       .factors = factors,
                       .splits = splits,
                       .localize = localize};
const OpDef op_dynamic_iota = {.infer = infer_dynamic,
                               .eval = eval_dynamic,
                               .sample = sample_dynamic,
                               .constraints = 2,
                               .factors = factors};
