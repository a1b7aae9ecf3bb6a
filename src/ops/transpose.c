// transpose: result dimension j is operand dimension permutation[j]. One strided copy, O(elements).
#include "ops/factors.h"
#include "ops/move.h"
#include "tensor/strided.h"

static bool infer(Infer *cx) {
  const TypeInfo *operand = move_operand(cx, 0);
  Ints order;
  if (!operand || !move_ints(cx, "permutation", &order)) return false;
  REQUIRE(cx, 2,
          order.n == operand->rank && ints_unique(order) && ints_within(order, 0, operand->rank),
          "permutation is %s, expected a permutation of the operand's %u dimensions",
          move_ints_text(cx, order), operand->rank);
  int64_t dims[MAX_RANK], from[MAX_RANK], bounds[MAX_RANK];
  move_bounds(cx, 0, from);
  for (uint32_t d = 0; d < order.n; d++) {
    dims[d] = operand->dims[order.v[d]];
    bounds[d] = from[order.v[d]];
  }
  const TypeInfo *result = move_result(cx, 0);
  if (cx->failed) return false;
  Type elem = operand->elem;
  if (result) {
    REQUIRE(cx, 1, move_same_elem_but_axis(cx->context, elem, result->elem, false),
            "the result's element type is %s, expected the operand's %s",
            infer_text(cx, result->elem), infer_text(cx, elem));
    if (!move_same_shape(cx, 3, 0, order.n, dims)) return false;
  }
  const QuantInfo *quant = type_quant_info(cx->context, elem);
  if (quant && quant->axis >= 0) {
    int32_t axis = -1;
    for (uint32_t d = 0; d < order.n; d++)
      if (order.v[d] == quant->axis) axis = (int32_t)d;
    const QuantInfo *declared = result ? type_quant_info(cx->context, result->elem) : NULL;
    REQUIRE(cx, 4, !declared || declared->axis == axis,
            "the result is quantized along dimension %d, expected %d, to which the permutation "
            "moves the operand's quantized dimension %d",
            declared->axis, axis, quant->axis);
    QuantInfo moved = *quant;
    moved.axis = axis;
    elem = type_quant(cx->context, &moved);
  }
  return move_infer(cx, 0, elem, order.n, dims, bounds);
}

static Status *eval(EvalContext *cx, Literal *const *in, Literal **out) {
  const Literal *operand = in[0];
  Ints order = eval_ints(cx, "permutation");
  int64_t strides[MAX_RANK], dims[MAX_RANK], from[MAX_RANK];
  shape_strides(operand->rank, operand->dims, strides);
  for (uint32_t d = 0; d < order.n; d++) {
    dims[d] = operand->dims[order.v[d]];
    from[d] = strides[order.v[d]];
  }
  TRY(move_new(cx, 0, operand->elem, order.n, dims, out));
  strided_copy(*out, 0, NULL, operand, 0, from, order.n, dims);
  return NULL;
}

static OpId sample(Sample *cx) {
  int64_t dims[4], order[4];
  uint32_t rank = sample_shape(cx, 4, dims);
  Type type;
  ValueId operand = move_sample(cx, "bsufc", rank, dims, &type);
  move_sample_order(cx, rank, order);
  Attr attrs = move_attr(cx, 0, "permutation", attr_i64s(cx->context, rank, order));
  return sample_op(cx, OP_transpose, attrs, 1, &operand, 1, NULL, 0);
}

static bool factors(FactorContext *cx) {
  Ints from = factors_ints(cx, "permutation");
  for (uint32_t d = 0; d < from.n; d++) {
    uint32_t in = (uint32_t)from.v[d];
    factors_also(cx, factors_on(cx, factors_dim(cx, 0, in), FACTOR_PASS, 0, in),
                 factors_result(cx, 0), d);
  }
  return true;
}

const OpDef op_transpose = {
    .infer = infer, .eval = eval, .sample = sample, .constraints = 4, .factors = factors};
