// reverse: reverses the order of elements along some dimensions. One strided copy with negative
// strides, O(elements).
#include "ops/localize.h"
#include "ops/move.h"
#include "tensor/strided.h"

static bool infer(Infer *cx) {
  const TypeInfo *operand = move_operand(cx, 0);
  Ints dims;
  if (!operand || !infer_not_per_axis(cx, 0) || !move_ints(cx, "dimensions", &dims)) return false;
  REQUIRE(cx, 2, ints_unique(dims), "dimensions are %s, expected no dimension twice",
          move_ints_text(cx, dims));
  REQUIRE(cx, 3, ints_within(dims, 0, operand->rank), "dimensions are %s, expected each in [0, %u)",
          move_ints_text(cx, dims), operand->rank);
  REQUIRE(cx, 1,
          !infer_result(cx, 0) || infer_types_same(cx, infer_result(cx, 0), infer_operand(cx, 0)),
          "the operand has type %s and the result %s, expected the same",
          infer_text(cx, infer_operand(cx, 0)), infer_text(cx, infer_result(cx, 0)));
  cx->out[0] = infer_operand(cx, 0);
  return true;
}

static Status *eval(EvalContext *cx, Literal *const *in, Literal **out) {
  const Literal *operand = in[0];
  Ints dims = eval_ints(cx, "dimensions");
  TRY(move_new(cx, 0, operand->elem, operand->rank, operand->dims, out));
  if (operand->count == 0) return NULL;
  int64_t strides[MAX_RANK], offset = 0;
  shape_strides(operand->rank, operand->dims, strides);
  for (uint32_t i = 0; i < dims.n; i++) {
    offset += (operand->dims[dims.v[i]] - 1) * strides[dims.v[i]];
    strides[dims.v[i]] = -strides[dims.v[i]];
  }
  strided_copy(*out, 0, NULL, operand, offset, strides, operand->rank, operand->dims);
  return NULL;
}

static OpId sample(Sample *cx) {
  int64_t dims[4], order[4];
  uint32_t rank = sample_shape(cx, 4, dims);
  Type type;
  ValueId operand = move_sample(cx, "bsufc", rank, dims, &type);
  move_sample_order(cx, rank, order);
  uint32_t n = (uint32_t)sample_int(cx, 0, rank);
  Attr attrs = move_attr(cx, 0, "dimensions", attr_i64s(cx->context, n, order));
  return sample_op(cx, OP_reverse, attrs, 1, &operand, 1, NULL, 0);
}

static bool factors(FactorContext *cx) {
  Ints turned = factors_ints(cx, "dimensions");
  for (uint32_t d = 0; d < factors_rank(cx, 0); d++)
    factors_on_all(cx, factors_dim(cx, 0, d),
                   ints_contain(turned, d) ? FACTOR_PERMUTE : FACTOR_PASS, d);
  return true;
}

// The window of the operand whose reverse is the device's tile.
static BuildWindow window_of(const Localizer *cx, uint32_t d) {
  int64_t tile = localize_tile(cx, 0, d);
  return (BuildWindow){.first = localize_size(cx, 0, d) - tile, .step = -tile, .length = tile};
}

static void splits(Localizer *cx) {
  Ints turned = localize_ints(cx, "dimensions");
  for (uint32_t i = 0; i < turned.n; i++) {
    uint32_t d = (uint32_t)turned.v[i];
    int64_t devices = axes_size(localize_axes(cx, 0, d));
    if (devices > 1)
      cx->bytes +=
          build_window_received(cx->builder, localize_size(cx, 0, d), devices, window_of(cx, d)) *
          localize_bytes_across(cx, 0, d);
  }
}

static Status *localize(Localizer *cx) {
  Ints turned = localize_ints(cx, "dimensions");
  ValueId v = cx->in[0];
  for (uint32_t i = 0; i < turned.n; i++) {
    uint32_t d = (uint32_t)turned.v[i];
    AxisList axes = localize_axes(cx, 0, d);
    if (axes.n)
      v = build_window(cx->builder, v, d, axes, localize_size(cx, 0, d), window_of(cx, d), 0);
  }
  return localize_copy(cx, &v, 0);
}

const OpDef op_reverse = {.infer = infer,
                          .eval = eval,
                          .sample = sample,
                          .constraints = 3,
                          .factors = factors,
                          .splits = splits,
                          .localize = localize};
