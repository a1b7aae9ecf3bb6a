// chlo.broadcast_x: broadcasts the operands to one shape as NumPy does (dimensions align at the
// end, sizes of 1 expand), or by broadcast_dimensions for the lower-ranked one; then applies x.
// Also the constants of CHLO. O(elements of the result).
#include <string.h>

#include "ops/factors.h"
#include "ops/localize.h"
#include "ops/move.h"
#include "ops/pointwise.h"
#include "ops/quant.h"
#include "tensor/strided.h"

// The op on operands of equal shape.
static const uint16_t base_of[OP_COUNT] = {
#define POINTWISE(...)
#define BROADCAST(id, name, base) [OP_##id] = OP_##base,
#include "ops/pointwise.def"
    [OP_chlo_broadcast_compare] = OP_compare,
    [OP_chlo_broadcast_select] = OP_select,
};

// The result dimension (of rank `most`) of dimension d of an operand of rank `rank`.
static uint32_t target_dim(Ints where, uint32_t rank, uint32_t most, uint32_t d) {
  return where.ok && where.n == rank && rank < most ? (uint32_t)where.v[d] : most - rank + d;
}

// Merges one operand's dimension into the result's dimension *known; false if they disagree.
static bool meet(int64_t *known, int64_t dim) {
  if (*known == dim || dim == 1) return true;
  if (*known == 1) {
    *known = dim;
    return true;
  }
  if (*known == DIM_DYNAMIC) {
    *known = dim;
    return true;
  }
  return dim == DIM_DYNAMIC;
}

static bool infer(Infer *cx) {
  uint16_t base = base_of[op_at(cx->program, cx->op)->code];
  uint32_t n = infer_n_operands(cx), most = 0;
  if (!infer_all_tensors(cx)) return false;
  for (uint32_t i = 0; i < n; i++) {
    uint32_t rank = infer_operand_info(cx, i)->rank;
    most = rank > most ? rank : most;
  }
  REQUIRE(cx, 0, most <= MAX_RANK, "an operand has rank %u, at most %d is supported", most,
          MAX_RANK);
  Ints where = infer_ints(cx, "broadcast_dimensions");
  int64_t dims[MAX_RANK];
  for (uint32_t d = 0; d < most; d++) dims[d] = 1;
  for (uint32_t i = 0; i < n; i++) {
    const TypeInfo *info = infer_operand_info(cx, i);
    if (where.ok && info->rank < most) {
      REQUIRE(cx, 0, where.n == info->rank, "broadcast_dimensions must have length %u, got %s",
              info->rank, infer_dims_text(cx, where.n, where.v));
      for (uint32_t d = 0; d < where.n; d++)
        REQUIRE(cx, 0, where.v[d] >= (d ? where.v[d - 1] + 1 : 0) && where.v[d] < (int64_t)most,
                "broadcast_dimensions must be ascending and in [0, %u), got %s", most,
                infer_dims_text(cx, where.n, where.v));
    }
    for (uint32_t d = 0; d < info->rank; d++)
      REQUIRE(cx, 0, meet(&dims[target_dim(where, info->rank, most, d)], info->dims[d]),
              "operands cannot be broadcast to one shape, got %s and %s",
              infer_text(cx, infer_operand(cx, 0)), infer_text(cx, infer_operand(cx, i)));
  }
  uint32_t values = base == OP_select ? 1 : 0;
  Type elem = type_elem(cx->context, infer_operand(cx, values));
  for (uint32_t i = values + 1; i < n; i++)
    REQUIRE(cx, 0, infer_types_compatible(cx, elem, type_elem(cx->context, infer_operand(cx, i))),
            "operands must have the same element type, got %s and %s",
            infer_text(cx, infer_operand(cx, values)), infer_text(cx, infer_operand(cx, i)));
  if (base == OP_select)
    REQUIRE(cx, 0, type_elem(cx->context, infer_operand(cx, 0)) == type_scalar(DT_i1),
            "operand 0 must be bool, got %s", infer_text(cx, infer_operand(cx, 0)));
  Type given = elem;
  if (base == OP_compare)
    given = type_scalar(DT_i1);
  else if (base != OP_select && !type_is_quant(cx->context, elem))
    given = pointwise_result(base, type_dtype(cx->context, elem));
  REQUIRE(cx, 0, given, "operands have type %s, whose element type the op does not support",
          infer_text(cx, infer_operand(cx, 0)));
  return infer_settle(cx, 0, type_tensor(cx->context, given, most, most ? dims : NULL, 0));
}

static Literal *spread(EvalContext *cx, const Literal *from, Ints where, uint32_t rank,
                       const int64_t *dims) {
  int64_t own[MAX_RANK], strides[MAX_RANK] = {0};
  shape_strides(from->rank, from->dims, own);
  for (uint32_t d = 0; d < from->rank; d++)
    if (from->dims[d] != 1) strides[target_dim(where, from->rank, rank, d)] = own[d];
  Literal *to = literal_new(cx->heap, cx->context, from->elem, rank, dims);
  strided_copy(to, 0, NULL, from, 0, strides, rank, dims);
  return to;
}

static Status *eval(EvalContext *cx, Literal *const *in, Literal **out) {
  uint16_t base = base_of[cx->code];
  uint32_t n = (uint32_t)op_row(cx->code)->operands, rank = 0;
  for (uint32_t i = 0; i < n; i++) rank = in[i]->rank > rank ? in[i]->rank : rank;
  Ints where = eval_ints(cx, "broadcast_dimensions");
  int64_t dims[MAX_RANK];
  for (uint32_t d = 0; d < rank; d++) dims[d] = 1;
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t d = 0; d < in[i]->rank; d++)
      if (!meet(&dims[target_dim(where, in[i]->rank, rank, d)], in[i]->dims[d]))
        FAIL(INVALID_ARGUMENT,
             "'%s': operand %u of shape %s cannot be broadcast to the result's shape",
             op_row(cx->code)->name, i, move_dims_text(cx, in[i]->rank, in[i]->dims));
  Literal *wide[POINTWISE_ARITY];
  for (uint32_t i = 0; i < n; i++) wide[i] = spread(cx, in[i], where, rank, dims);
  Type elem = type_elem(cx->context, eval_result_type(cx, 0));
  Type type = type_tensor(cx->context, elem, rank, dims, 0);
  TRY(eval_op(cx, base, cx->attrs, n, wide, 1, &type, out));
  for (uint32_t i = 0; i < n; i++) literal_release(wide[i]);
  return NULL;
}

// Two compatible shapes: one random, the other with some dimensions 1 and some leading ones
// dropped.
static OpId sample_broadcast(Sample *cx, uint16_t code) {
  uint16_t base = base_of[code];
  DType dtype;
  do dtype = sample_dtype(cx, base == OP_compare || base == OP_select ? "sf" : "bsufc");
  while (base != OP_compare && base != OP_select && !pointwise_result(base, dtype));
  if (base == OP_remainder && dtype_is_complex(dtype)) dtype = DT_f32;
  int64_t dims[3], other[3];
  uint32_t rank = sample_shape(cx, 3, dims), skip = (uint32_t)sample_int(cx, 0, rank);
  for (uint32_t d = skip; d < rank; d++) other[d - skip] = sample_chance(cx, 40) ? 1 : dims[d];
  Type full = type_tensor(cx->context, type_scalar(dtype), rank, dims, 0);
  Type part = type_tensor(cx->context, type_scalar(dtype), rank - skip, other, 0);
  Type pred = type_tensor(cx->context, type_scalar(DT_i1), rank - skip, other, 0);
  ValueId operands[3];
  uint32_t n = 0;
  if (base == OP_select) operands[n++] = sample_value(cx, pred);
  operands[n++] = sample_value(cx, full);
  operands[n++] = sample_value(cx, part);
  NamedAttr field = {name_of(cx->context, "comparison_direction"),
                     attr_enum(cx->context, "chlo.comparison_direction", "LE")};
  Attr attrs = base == OP_compare ? attr_dict(cx->context, 1, &field) : 0;
  return sample_op(cx, code, attrs, n, operands, 1, NULL, 0);
}

#define POINTWISE(...)
#define BROADCAST(id, name, base)                                                                  \
  static OpId sample_##id(Sample *cx) { return sample_broadcast(cx, OP_##id); }                    \
  const OpDef op_##id = {                                                                          \
      .infer = infer, .eval = eval, .sample = sample_##id, .factors = factors_broadcast};
#include "ops/pointwise.def"

static OpId sample_compare(Sample *cx) { return sample_broadcast(cx, OP_chlo_broadcast_compare); }
const OpDef op_chlo_broadcast_compare = {
    .infer = infer, .eval = eval, .sample = sample_compare, .factors = factors_broadcast};

static OpId sample_select(Sample *cx) { return sample_broadcast(cx, OP_chlo_broadcast_select); }
const OpDef op_chlo_broadcast_select = {
    .infer = infer, .eval = eval, .sample = sample_select, .factors = factors_broadcast};

// ---- constants ----

static bool infer_constant(Infer *cx) {
  const AttrInfo *value = attr_info(cx->context, infer_attr(cx, "value"));
  REQUIRE(cx, 0, value->kind == ATTR_DENSE && type_is_tensor(cx->context, value->type),
          "attribute 'value' must be a dense tensor constant");
  return infer_settle(cx, 0, value->type);
}

static Status *eval_constant(EvalContext *cx, Literal *const *in, Literal **out) {
  (void)in;
  out[0] = literal_from_dense(cx->heap, cx->context, eval_attr(cx, "value"));
  return NULL;
}

static OpId sample_constant(Sample *cx) {
  int64_t dims[3];
  uint32_t rank = sample_shape(cx, 3, dims);
  Type type = type_tensor(cx->context, type_scalar(DT_i32), rank, dims, 0);
  int32_t seven = 7;
  int64_t count = 0;
  type_count(cx->context, type, &count);
  NamedAttr field = {name_of(cx->context, "value"),
                     attr_dense(cx->context, type, &seven, count ? sizeof seven : 0)};
  return sample_op(cx, OP_chlo_constant, attr_dict(cx->context, 1, &field), 0, NULL, 1, NULL, 0);
}

const OpDef op_chlo_constant = {.infer = infer_constant,
                                .eval = eval_constant,
                                .sample = sample_constant,
                                .factors = factors_constant,
                                .splits = localize_constant_splits,
                                .localize = localize_constant};

static DType number_type(const Context *context, Attr attr) {
  const AttrInfo *value = attr_info(context, attr);
  if (value->kind == ATTR_BOOL) return DT_i1;
  return value->kind == ATTR_INT || value->kind == ATTR_FLOAT ? type_dtype(context, value->type)
                                                              : DT_none_;
}

static bool infer_constant_like(Infer *cx) {
  if (!infer_all_tensors(cx)) return false;
  DType dtype = number_type(cx->context, infer_attr(cx, "value"));
  REQUIRE(cx, 0, dtype, "attribute 'value' must be a number");
  return infer_settle(cx, 0, type_with_elem(cx->context, infer_operand(cx, 0), type_scalar(dtype)));
}

static Status *eval_constant_like(EvalContext *cx, Literal *const *in, Literal **out) {
  const AttrInfo *value = attr_info(cx->context, eval_attr(cx, "value"));
  DType dtype = number_type(cx->context, eval_attr(cx, "value"));
  Scalar number = dtype_is_float(dtype) ? scalar_f(value->f) : scalar_i(value->i);
  out[0] = literal_like(in[0], cx->context, type_scalar(dtype));
  for (int64_t i = 0; i < out[0]->count; i++) literal_set(out[0], i, number);
  return NULL;
}

static OpId sample_constant_like(Sample *cx) {
  int64_t dims[3];
  uint32_t rank = sample_shape(cx, 3, dims);
  ValueId operand = sample_value(
      cx, type_tensor(cx->context, type_scalar(sample_dtype(cx, "sf")), rank, dims, 0));
  NamedAttr field = {name_of(cx->context, "value"),
                     attr_float(cx->context, type_scalar(DT_f32), 1.5)};
  return sample_op(cx, OP_chlo_constant_like, attr_dict(cx->context, 1, &field), 1, &operand, 1,
                   NULL, 0);
}

const OpDef op_chlo_constant_like = {.infer = infer_constant_like,
                                     .eval = eval_constant_like,
                                     .sample = sample_constant_like,
                                     .factors = factors_pointwise};
