// torch_index_select: entries of one dimension of the operand, selected by index; leading batch
// dimensions are those of both. Indices are clamped as in gather. One block copy per index,
// O(elements).
#include "ops/factors.h"
#include "ops/index_local.h"
#include "ops/move.h"

// operand [batch, before, dim, after], index [batch, chosen] -> [batch, before, chosen, after]; dim
// counts from the end if negative. Returns the result's rank.
static uint32_t combine(uint32_t rank, const int64_t *dims, uint32_t index_rank,
                        const int64_t *index_dims, uint32_t dim, uint32_t batch, int64_t *out) {
  uint32_t n = 0;
  for (uint32_t d = 0; d < dim; d++) out[n++] = dims[d];
  for (uint32_t d = batch; d < index_rank; d++) out[n++] = index_dims[d];
  for (uint32_t d = dim + 1; d < rank; d++) out[n++] = dims[d];
  return n;
}

static bool infer(Infer *cx) {
  const TypeInfo *operand = move_operand(cx, 0), *index = move_operand(cx, 1);
  if (!operand || !index || !infer_not_per_axis(cx, 0) || !move_integers(cx, 1, -1) ||
      !move_same_elem(cx, 0, 0, operand->elem))
    return false;
  int64_t dim = infer_int(cx, "dim", 0), batch = infer_int(cx, "batch_dims", 0),
          rank = operand->rank;
  REQUIRE(cx, 0, -rank <= dim && dim < rank, "dim is %lld, expected it in [-%lld, %lld)",
          (long long)dim, (long long)rank, (long long)rank);
  if (dim < 0) dim += rank;
  if (batch < 0) batch += index->rank;
  REQUIRE(
      cx, 0, 0 <= batch && batch <= index->rank && batch <= dim,
      "batch_dims is %lld, expected at least 0, at most dim %lld and at most the index's rank %u",
      (long long)batch, (long long)dim, index->rank);
  for (uint32_t d = 0; d < batch; d++)
    REQUIRE(cx, 0, dim_compatible(operand->dims[d], index->dims[d]),
            "batch dimension %u has size %lld in the operand and %lld in the index, expected equal",
            d, (long long)operand->dims[d], (long long)index->dims[d]);
  REQUIRE(cx, 0, operand->rank - 1 + index->rank - (uint32_t)batch <= MAX_RANK,
          "the result has a rank above %d, which is not supported", MAX_RANK);
  int64_t dims[MAX_RANK];
  uint32_t n = combine(operand->rank, operand->dims, index->rank, index->dims, (uint32_t)dim,
                       (uint32_t)batch, dims);
  return move_same_shape(cx, 0, 0, n, dims) && move_infer(cx, 0, operand->elem, n, dims, NULL);
}

static Status *eval(EvalContext *cx, Literal *const *in, Literal **out) {
  const Literal *operand = in[0], *index = in[1];
  int64_t dim = eval_int(cx, "dim", 0), batch = eval_int(cx, "batch_dims", 0), dims[MAX_RANK];
  if (dim < 0) dim += operand->rank;
  if (batch < 0) batch += index->rank;
  for (uint32_t d = 0; d < batch; d++)
    if (operand->dims[d] != index->dims[d])
      FAIL(INVALID_ARGUMENT,
           "batch dimension %u has size %lld in the operand and %lld in the index, expected equal",
           d, (long long)operand->dims[d], (long long)index->dims[d]);
  uint32_t n = combine(operand->rank, operand->dims, index->rank, index->dims, (uint32_t)dim,
                       (uint32_t)batch, dims);
  TRY(move_new(cx, 0, operand->elem, n, dims, out));
  if ((*out)->count == 0) return NULL;
  if (operand->count == 0)
    FAIL(INVALID_ARGUMENT, "dimension %lld of the operand has size 0, expected at least 1",
         (long long)dim);
  int64_t batches = 1, before = 1, chosen = 1, after = 1, size = operand->dims[dim];
  for (uint32_t d = 0; d < batch; d++) batches *= operand->dims[d];
  for (uint32_t d = (uint32_t)batch; d < dim; d++) before *= operand->dims[d];
  for (uint32_t d = (uint32_t)batch; d < index->rank; d++) chosen *= index->dims[d];
  for (uint32_t d = (uint32_t)dim + 1; d < operand->rank; d++) after *= operand->dims[d];
  for (int64_t b = 0; b < batches; b++)
    for (int64_t p = 0; p < before; p++)
      for (int64_t c = 0; c < chosen; c++) {
        int64_t at = move_index(index, b * chosen + c);
        at = at < 0 ? 0 : at >= size ? size - 1 : at;
        literal_copy_elements(*out, ((b * before + p) * chosen + c) * after, operand,
                              ((b * before + p) * size + at) * after, after);
      }
  return NULL;
}

static OpId sample(Sample *cx) {
  int64_t dims[4], index_dims[4];
  uint32_t rank = sample_shape(cx, 4, dims);
  if (rank == 0) dims[rank++] = 3;
  int64_t dim = sample_int(cx, 0, rank - 1), batch = sample_int(cx, 0, dim < 2 ? dim : 2);
  if (dims[dim] == 0) dims[dim] = 1;
  uint32_t n = (uint32_t)batch;
  for (uint32_t d = 0; d < n; d++) index_dims[d] = dims[d];
  for (int64_t extra = sample_int(cx, 0, 2); extra > 0; extra--)
    index_dims[n++] = sample_int(cx, 0, 3);
  Type type, index_type = type_tensor(cx->context, type_scalar(DT_i32), n, index_dims, 0);
  ValueId operands[2] = {move_sample(cx, "bsufc", rank, dims, &type)};
  operands[1] = sample_constant_i(cx, index_type, -1, 5);
  Attr attrs = move_attr(cx, 0, "dim", attr_i64(cx->context, dim));
  attrs = move_attr(cx, attrs, "batch_dims", attr_i64(cx->context, batch));
  return sample_op(cx, OP_torch_index_select, attrs, 2, operands, 1, NULL, 0);
}

// As in gather: each device contributes the elements that it has and zeros elsewhere.
static bool factors(FactorContext *cx) {
  int64_t dim = factors_int(cx, "dim", 0), batch = factors_int(cx, "batch_dims", 0);
  uint32_t rank = factors_rank(cx, 0), index_rank = factors_rank(cx, 1), out = 0,
           result = factors_result(cx, 0);
  if (dim < 0) dim += rank;
  if (batch < 0) batch += index_rank;
  for (uint32_t d = 0; d < rank; d++) {
    uint32_t factor = factors_on(cx, factors_dim(cx, 0, d), FACTOR_PASS, 0, d);
    if (d != dim) {
      factors_also(cx, factor, result, out++);
      if (d < batch) factors_also(cx, factor, 1, d);
      continue;
    }
    factors_reduce(cx, factor, COMBINE_SUM);
    factors_set_kinds(cx, factor, cx->build.factors.items[factor].kinds | FACTOR_OFFSET);
    for (uint32_t i = (uint32_t)batch; i < index_rank; i++)
      factors_also(cx, factors_on(cx, factors_dim(cx, 1, i), FACTOR_PASS, 1, i), result, out++);
  }
  return true;
}

const OpDef op_torch_index_select = {.touch = TOUCH_PICKED,
                                     .infer = infer,
                                     .eval = eval,
                                     .sample = sample,
                                     .factors = factors,
                                     .splits = torch_index_select_splits,
                                     .localize = torch_index_select_localize};
