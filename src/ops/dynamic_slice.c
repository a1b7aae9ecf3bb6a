// dynamic_slice and dynamic_update_slice: read or overwrite a block at a start index given at run
// time, clamped so that the block lies inside the operand. One or two strided copies, O(elements).
#include "ops/factors.h"
#include "ops/index_local.h"
#include "ops/move.h"
#include "tensor/strided.h"

// Start indices are the operands from `first` on: one per dimension (`count_constraint`), all
// 0-dimensional integers of one type (`type_constraint`).
static bool infer_starts(Infer *cx, uint32_t first, uint32_t rank, int count_constraint,
                         int type_constraint) {
  uint32_t n = infer_n_operands(cx) < first ? 0 : infer_n_operands(cx) - first;
  REQUIRE(cx, count_constraint, n == rank,
          "the number of start indices is %u, expected %u, one per dimension", n, rank);
  for (uint32_t i = 0; i < n; i++) {
    if (!move_integers(cx, first + i, 0)) return false;
    REQUIRE(cx, type_constraint, infer_operand(cx, first + i) == infer_operand(cx, first),
            "start indices 0 and %u have types %s and %s, expected equal", i,
            infer_text(cx, infer_operand(cx, first)), infer_text(cx, infer_operand(cx, first + i)));
  }
  return true;
}

static bool infer_slice(Infer *cx) {
  REQUIRE(cx, 2, infer_n_operands(cx) > 0, "there is no operand to slice");
  const TypeInfo *operand = move_operand(cx, 0);
  Ints sizes;
  if (!operand || !infer_not_per_axis(cx, 0) || !move_ints(cx, "slice_sizes", &sizes) ||
      !move_same_elem(cx, 1, 0, operand->elem) || !infer_starts(cx, 1, operand->rank, 2, 3))
    return false;
  REQUIRE(cx, 2, sizes.n == operand->rank,
          "slice_sizes %s has length %u, expected %u, one entry per dimension",
          move_ints_text(cx, sizes), sizes.n, operand->rank);
  for (uint32_t d = 0; d < sizes.n; d++)
    REQUIRE(cx, 4,
            0 <= sizes.v[d] && (operand->dims[d] == DIM_DYNAMIC || sizes.v[d] <= operand->dims[d]),
            "slice_sizes are %s, expected each from 0 to the operand's %s",
            move_ints_text(cx, sizes), infer_dims_text(cx, operand->rank, operand->dims));
  return move_same_shape(cx, 5, 0, sizes.n, sizes.v) &&
         move_infer(cx, 0, operand->elem, sizes.n, sizes.v, NULL);
}

static bool infer_update(Infer *cx) {
  REQUIRE(cx, 4, infer_n_operands(cx) > 1,
          "there are %u operands, expected an operand and an update", infer_n_operands(cx));
  const TypeInfo *operand = move_operand(cx, 0), *update = move_operand(cx, 1);
  if (!operand || !update || !infer_not_per_axis(cx, 0) || !infer_not_per_axis(cx, 1)) return false;
  REQUIRE(cx, 2, update->elem == operand->elem,
          "update and operand have element types %s and %s, expected equal",
          infer_text(cx, update->elem), infer_text(cx, operand->elem));
  REQUIRE(cx, 3, update->rank == operand->rank,
          "update and operand have ranks %u and %u, expected equal", update->rank, operand->rank);
  if (!infer_starts(cx, 2, operand->rank, 4, 5)) return false;
  for (uint32_t d = 0; d < operand->rank; d++)
    REQUIRE(cx, 6,
            update->dims[d] == DIM_DYNAMIC || operand->dims[d] == DIM_DYNAMIC ||
                update->dims[d] <= operand->dims[d],
            "the update's shape is %s, expected each size at most the operand's %s",
            infer_dims_text(cx, update->rank, update->dims),
            infer_dims_text(cx, operand->rank, operand->dims));
  REQUIRE(cx, 1,
          !infer_result(cx, 0) || infer_types_same(cx, infer_result(cx, 0), infer_operand(cx, 0)),
          "the operand has type %s and the result %s, expected the same",
          infer_text(cx, infer_operand(cx, 0)), infer_text(cx, infer_result(cx, 0)));
  cx->out[0] = infer_operand(cx, 0);
  return true;
}

// The offset in elements of a block of size `sizes` at the start indices, after clamping.
static Status *clamped_offset(const Literal *operand, Literal *const *start, const int64_t *sizes,
                              const int64_t *strides, int64_t *out) {
  int64_t offset = 0;
  for (uint32_t d = 0; d < operand->rank; d++) {
    int64_t most = operand->dims[d] - sizes[d], at = move_index(start[d], 0);
    if (most < 0)
      FAIL(INVALID_ARGUMENT, "the slice has size %lld in dimension %u, expected at most %lld",
           (long long)sizes[d], d, (long long)operand->dims[d]);
    offset += (at < 0 ? 0 : at > most ? most : at) * strides[d];
  }
  *out = offset;
  return NULL;
}

static Status *eval_slice(EvalContext *cx, Literal *const *in, Literal **out) {
  const Literal *operand = in[0];
  Ints sizes = eval_ints(cx, "slice_sizes");
  int64_t strides[MAX_RANK], offset;
  TRY(move_new(cx, 0, operand->elem, operand->rank, sizes.v, out));
  shape_strides(operand->rank, operand->dims, strides);
  if (operand->count == 0) return NULL;
  TRY(clamped_offset(operand, in + 1, sizes.v, strides, &offset));
  strided_copy(*out, 0, NULL, operand, offset, strides, operand->rank, sizes.v);
  return NULL;
}

static Status *eval_update(EvalContext *cx, Literal *const *in, Literal **out) {
  const Literal *operand = in[0], *update = in[1];
  int64_t to[MAX_RANK], from[MAX_RANK], offset;
  TRY(move_new(cx, 0, operand->elem, operand->rank, operand->dims, out));
  literal_copy_elements(*out, 0, operand, 0, operand->count);
  if (operand->count == 0 || update->count == 0) return NULL;
  shape_strides(operand->rank, operand->dims, to);
  shape_strides(update->rank, update->dims, from);
  TRY(clamped_offset(operand, in + 2, update->dims, to, &offset));
  strided_copy(*out, offset, to, update, 0, from, update->rank, update->dims);
  return NULL;
}

// Start indices of one random integer type, some outside.
static void sample_starts(Sample *cx, uint32_t rank, ValueId *out) {
  static const DType types[] = {DT_i32, DT_i64, DT_ui8, DT_ui32, DT_ui64, DT_i8};
  DType type = types[sample_int(cx, 0, 5)];
  Type scalar = type_tensor(cx->context, type_scalar(type), 0, NULL, 0);
  for (uint32_t d = 0; d < rank; d++)
    out[d] = sample_constant_i(cx, scalar, dtype_kind(type) == KIND_UINT ? 0 : -2, 6);
}

static OpId sample_slice(Sample *cx) {
  int64_t dims[4], sizes[4];
  uint32_t rank = sample_shape(cx, 4, dims);
  Type type;
  ValueId operands[5] = {move_sample(cx, "bsufc", rank, dims, &type)};
  sample_starts(cx, rank, operands + 1);
  for (uint32_t d = 0; d < rank; d++) sizes[d] = sample_int(cx, 0, dims[d]);
  Attr attrs = move_attr(cx, 0, "slice_sizes", attr_i64s(cx->context, rank, sizes));
  return sample_op(cx, OP_dynamic_slice, attrs, 1 + rank, operands, 1, NULL, 0);
}

static OpId sample_update(Sample *cx) {
  int64_t dims[4], sizes[4];
  uint32_t rank = sample_shape(cx, 4, dims);
  Type type;
  ValueId operands[6] = {move_sample(cx, "bsufc", rank, dims, &type)};
  for (uint32_t d = 0; d < rank; d++) sizes[d] = sample_int(cx, 0, dims[d]);
  operands[1] =
      sample_value(cx, type_tensor(cx->context, type_elem(cx->context, type), rank, sizes, 0));
  sample_starts(cx, rank, operands + 2);
  return sample_op(cx, OP_dynamic_update_slice, 0, 2 + rank, operands, 1, NULL, 0);
}

// A dimension that is sliced: each device contributes the elements that it has and zeros elsewhere;
// the sum is the result.
static bool factors_slice(FactorContext *cx) {
  factors_resize(cx, FACTOR_REPLICATE | FACTOR_BLOCK);
  if (type_is_quant(cx->context, factors_type(cx, 0)->elem)) return true;
  for (uint32_t f = 0; f < cx->build.factors.count; f++) {
    if (cx->build.factors.items[f].kinds == FACTOR_PASS) continue;
    factors_set_kinds(cx, f, FACTOR_REDUCE | FACTOR_OFFSET | FACTOR_BLOCK);
    factor_set_combine(&cx->build, f, COMBINE_SUM);
  }
  return true;
}

// The operand keeps its sharding; each device writes the elements of the update that lie in its
// tile, which depends on its offset.
static bool factors_update(FactorContext *cx) {
  uint32_t result = factors_result(cx, 0);
  bool constant = true;
  for (uint32_t i = 2; i < cx->n_operands; i++) constant &= factors_is_constant(cx, i);
  for (uint32_t d = 0; d < factors_rank(cx, 0); d++) {
    int64_t size = factors_dim(cx, 0, d), update = factors_dim(cx, 1, d);
    uint32_t factor = factors_on(cx, size, size == update ? FACTOR_PASS : FACTOR_OFFSET, 0, d);
    factors_also(cx, factor, result, d);
    if (size == update) {
      factors_also(cx, factor, 1, d);
      continue;
    }
    uint32_t own = factors_on(cx, update, constant ? FACTOR_PASS : FACTOR_REPLICATE, 1, d);
    factors_set_kinds(cx, own, FACTOR_REPLICATE);
  }
  return true;
}

const OpDef op_dynamic_slice = {.touch = TOUCH_PICKED,
                                .infer = infer_slice,
                                .eval = eval_slice,
                                .sample = sample_slice,
                                .constraints = 5,
                                .factors = factors_slice,
                                .splits = dynamic_slice_splits,
                                .localize = dynamic_slice_localize};
const OpDef op_dynamic_update_slice = {.touch = TOUCH_UPDATED,
                                       .infer = infer_update,
                                       .eval = eval_update,
                                       .sample = sample_update,
                                       .constraints = 6,
                                       .factors = factors_update,
                                       .splits = dynamic_update_slice_splits,
                                       .localize = dynamic_update_slice_localize};
