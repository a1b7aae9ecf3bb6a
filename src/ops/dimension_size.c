// get_dimension_size and set_dimension_size: read the run-time size of a dimension, or set it.
// Values carry their run-time shape, so setting is a slice of the first elements. O(1) and
// O(elements).
#include "ops/factors.h"
#include "ops/move.h"
#include "tensor/strided.h"

static bool infer_get(Infer *cx) {
  const TypeInfo *operand = move_operand(cx, 0);
  if (!operand) return false;
  int64_t d = infer_int(cx, "dimension", -1);
  REQUIRE(cx, 1, 0 <= d && d < operand->rank, "dimension is %lld, expected it in [0, %u)",
          (long long)d, operand->rank);
  return move_infer(cx, 0, type_scalar(DT_i32), 0, NULL, NULL);
}

static bool infer_set(Infer *cx) {
  const TypeInfo *operand = move_operand(cx, 0);
  if (!operand || !move_integers(cx, 1, 0) || !move_same_elem(cx, 0, 0, operand->elem))
    return false;
  int64_t d = infer_int(cx, "dimension", -1);
  REQUIRE(cx, 0, 0 <= d && d < operand->rank, "dimension is %lld, expected it in [0, %u)",
          (long long)d, operand->rank);
  int64_t dims[MAX_RANK], bounds[MAX_RANK];
  move_bounds(cx, 0, bounds);
  for (uint32_t i = 0; i < operand->rank; i++) dims[i] = operand->dims[i];
  int64_t most = dims[d] != DIM_DYNAMIC ? dims[d] : bounds[d];
  Ints known = move_constant(cx, 1);
  if (known.ok)
    REQUIRE(cx, 0, 0 <= known.v[0] && (most == DIM_DYNAMIC || known.v[0] <= most),
            "the size is %lld, expected at least 0 and at most dimension %lld of the operand %s",
            (long long)known.v[0], (long long)d, infer_text(cx, infer_operand(cx, 0)));
  // If the size is known only at run time, the old size becomes the bound.
  dims[d] = known.ok ? known.v[0] : DIM_DYNAMIC;
  bounds[d] = known.ok ? DIM_DYNAMIC : most;
  return move_same_shape(cx, 0, 0, operand->rank, dims) &&
         move_infer(cx, 0, operand->elem, operand->rank, dims, bounds);
}

static Status *eval_get(EvalContext *cx, Literal *const *in, Literal **out) {
  int64_t size = in[0]->dims[eval_int(cx, "dimension", 0)];
  if (size > INT32_MAX) FAIL(OUT_OF_RANGE, "the size %lld does not fit in i32", (long long)size);
  *out = literal_scalar(cx->heap, DT_i32, scalar_i(size));
  return NULL;
}

static Status *eval_set(EvalContext *cx, Literal *const *in, Literal **out) {
  const Literal *operand = in[0];
  uint32_t d = (uint32_t)eval_int(cx, "dimension", 0);
  int64_t size = move_index(in[1], 0), dims[MAX_RANK], strides[MAX_RANK];
  if (size < 0 || size > operand->dims[d])
    FAIL(INVALID_ARGUMENT,
         "the size is %lld, expected at least 0 and at most the size of dimension %u, %lld",
         (long long)size, d, (long long)operand->dims[d]);
  for (uint32_t i = 0; i < operand->rank; i++) dims[i] = operand->dims[i];
  dims[d] = size;
  TRY(move_new(cx, 0, operand->elem, operand->rank, dims, out));
  shape_strides(operand->rank, operand->dims, strides);
  strided_copy(*out, 0, NULL, operand, 0, strides, operand->rank, dims);
  return NULL;
}

static OpId sample_get(Sample *cx) {
  int64_t dims[4];
  uint32_t rank = sample_shape(cx, 4, dims);
  if (rank == 0) dims[rank++] = 2;
  Type type;
  ValueId operand = move_sample(cx, "bsufc", rank, dims, &type);
  Attr attrs = move_attr(cx, 0, "dimension", attr_i64(cx->context, sample_int(cx, 0, rank - 1)));
  return sample_op(cx, OP_get_dimension_size, attrs, 1, &operand, 1, NULL, 0);
}

static OpId sample_set(Sample *cx) {
  int64_t dims[4];
  uint32_t rank = sample_shape(cx, 4, dims);
  if (rank == 0) dims[rank++] = 2;
  Type type, size = type_tensor(cx->context, type_scalar(DT_i32), 0, NULL, 0);
  ValueId operands[2] = {move_sample(cx, "bsufc", rank, dims, &type)};
  int64_t d = sample_int(cx, 0, rank - 1);
  operands[1] = sample_constant_i(cx, size, 0, dims[d]);
  Attr attrs = move_attr(cx, 0, "dimension", attr_i64(cx->context, d));
  return sample_op(cx, OP_set_dimension_size, attrs, 2, operands, 1, NULL, 0);
}

// The result is the global size.
static bool factors_get(FactorContext *cx) {
  cx->build.own = true;
  for (uint32_t d = 0; d < factors_rank(cx, 0); d++)
    factors_on(cx, factors_dim(cx, 0, d),
               d == factors_int(cx, "dimension", 0) ? FACTOR_OFFSET : FACTOR_PASS, 0, d);
  return true;
}

static bool factors_set(FactorContext *cx) {
  for (uint32_t d = 0; d < factors_rank(cx, 0); d++) {
    bool set = d == factors_int(cx, "dimension", 0);
    factors_on_all(cx, factors_dim(cx, 0, d), set ? FACTOR_REPLICATE | FACTOR_BLOCK : FACTOR_PASS,
                   d);
  }
  return true;
}

const OpDef op_get_dimension_size = {.infer = infer_get,
                                     .eval = eval_get,
                                     .sample = sample_get,
                                     .constraints = 1,
                                     .factors = factors_get};
const OpDef op_set_dimension_size = {
    .infer = infer_set, .eval = eval_set, .sample = sample_set, .factors = factors_set};
