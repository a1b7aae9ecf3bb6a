// broadcast_in_dim, dynamic_broadcast_in_dim and the older broadcast: operand dimension d becomes
// result dimension broadcast_dimensions[d]; the others repeat. One strided copy, with stride 0 in
// repeated dimensions. O(elements).
#include "ops/factors.h"
#include "ops/localize.h"
#include "ops/move.h"
#include "tensor/strided.h"

// (C6): the quantized dimension follows broadcast_dimensions; one of size 1 repeats its scale.
static bool quantized_axis_moves(Infer *cx, const TypeInfo *operand, const TypeInfo *result,
                                 Ints to) {
  const QuantInfo *before = type_quant_info(cx->context, operand->elem),
                  *after = type_quant_info(cx->context, result->elem);
  if (!after || after->axis < 0) return true;
  REQUIRE(cx, 6, before && (uint32_t)before->axis < to.n && after->axis == to.v[before->axis],
          "the result is quantized along dimension %d, expected the one to which "
          "broadcast_dimensions %s maps the operand's quantized dimension %d",
          after->axis, move_ints_text(cx, to), before ? before->axis : -1);
  if (operand->dims[before->axis] != 1) return true;
  for (uint32_t i = 0; i < after->count; i++)
    REQUIRE(cx, 6,
            after->scales[i] == before->scales[0] &&
                after->zero_points[i] == before->zero_points[0],
            "scale and zero point %u of the result are %g and %lld, expected %g and %lld, the only "
            "ones of the operand",
            i, after->scales[i], (long long)after->zero_points[i], before->scales[0],
            (long long)before->zero_points[0]);
  return true;
}

// (C1)-(C6), the same in both forms.
static bool infer_common(Infer *cx, const TypeInfo *operand, const TypeInfo *result, Ints to) {
  REQUIRE(cx, 1, move_same_elem_but_axis(cx->context, operand->elem, result->elem, true),
          "the result's element type is %s, expected the operand's %s",
          infer_text(cx, result->elem), infer_text(cx, operand->elem));
  REQUIRE(
      cx, 2, to.n == operand->rank,
      "broadcast_dimensions %s has length %u, expected %u, one entry per dimension of the operand",
      move_ints_text(cx, to), to.n, operand->rank);
  REQUIRE(cx, 3, ints_within(to, 0, result->rank),
          "broadcast_dimensions are %s, expected each in [0, %u)", move_ints_text(cx, to),
          result->rank);
  REQUIRE(cx, 4, ints_unique(to), "broadcast_dimensions are %s, expected no dimension twice",
          move_ints_text(cx, to));
  for (uint32_t d = 0; d < to.n; d++)
    REQUIRE(cx, 5, operand->dims[d] == 1 || dim_compatible(operand->dims[d], result->dims[to.v[d]]),
            "dimension %u of the operand has size %lld and maps to dimension %lld of the result of "
            "size %lld, expected size 1 or equal sizes",
            d, (long long)operand->dims[d], (long long)to.v[d], (long long)result->dims[to.v[d]]);
  return quantized_axis_moves(cx, operand, result, to);
}

static bool infer(Infer *cx) {
  const TypeInfo *operand = move_operand(cx, 0), *result = move_result(cx, 0);
  Ints to;
  if (!operand || cx->failed || !move_ints(cx, "broadcast_dimensions", &to)) return false;
  return (!result || infer_common(cx, operand, result, to)) && infer_declared(cx);
}

static bool infer_dynamic(Infer *cx) {
  const TypeInfo *operand = move_operand(cx, 0);
  Ints to, expanding, same;
  if (!operand || !move_integers(cx, 1, 1) || !move_ints(cx, "broadcast_dimensions", &to) ||
      !move_ints_or_none(cx, "known_expanding_dimensions", &expanding) ||
      !move_ints_or_none(cx, "known_nonexpanding_dimensions", &same))
    return false;
  const TypeInfo *shape = move_operand(cx, 1), *result = move_result(cx, 0);
  if (cx->failed) return false;
  if (result) {
    if (!infer_common(cx, operand, result, to)) return false;
    REQUIRE(cx, 7, dim_compatible(shape->dims[0], result->rank),
            "output_dimensions has length %lld, expected %u, one entry per dimension of the result",
            (long long)shape->dims[0], result->rank);
  }
  REQUIRE(cx, 8, ints_unique_together(expanding, same),
          "known_expanding_dimensions %s and known_nonexpanding_dimensions %s name a dimension "
          "twice, expected each at most once",
          move_ints_text(cx, expanding), move_ints_text(cx, same));
  REQUIRE(cx, 9, ints_within(expanding, 0, operand->rank),
          "known_expanding_dimensions are %s, expected each in [0, %u)",
          move_ints_text(cx, expanding), operand->rank);
  REQUIRE(cx, 10, ints_within(same, 0, operand->rank),
          "known_nonexpanding_dimensions are %s, expected each in [0, %u)",
          move_ints_text(cx, same), operand->rank);
  Ints known = move_constant(cx, 1);
  if (known.ok && !move_same_shape(cx, 0, 0, known.n, known.v)) return false;
  return infer_declared(cx);
}

static bool infer_old(Infer *cx) {
  const TypeInfo *operand = move_operand(cx, 0);
  Ints sizes;
  if (!operand || !infer_not_per_axis(cx, 0) || !move_ints(cx, "broadcast_sizes", &sizes) ||
      !move_same_elem(cx, 0, 0, operand->elem))
    return false;
  REQUIRE(cx, 0, ints_within(sizes, 0, INT64_MAX),
          "broadcast_sizes are %s, expected sizes of at least 0", move_ints_text(cx, sizes));
  REQUIRE(cx, 0, sizes.n + operand->rank <= MAX_RANK,
          "the result has rank %u, at most %d is supported", sizes.n + operand->rank, MAX_RANK);
  int64_t dims[MAX_RANK], bounds[MAX_RANK];
  move_bounds(cx, 0, bounds + sizes.n);
  for (uint32_t d = 0; d < sizes.n; d++) {
    dims[d] = sizes.v[d];
    bounds[d] = DIM_DYNAMIC;
  }
  for (uint32_t d = 0; d < operand->rank; d++) dims[sizes.n + d] = operand->dims[d];
  uint32_t rank = sizes.n + operand->rank;
  return move_same_shape(cx, 0, 0, rank, dims) &&
         move_infer(cx, 0, operand->elem, rank, dims, bounds);
}

static Status *broadcast(EvalContext *cx, const Literal *operand, const int64_t *to, uint32_t rank,
                         const int64_t *dims, Literal **out) {
  int64_t strides[MAX_RANK], from[MAX_RANK] = {0};
  shape_strides(operand->rank, operand->dims, strides);
  for (uint32_t d = 0; d < operand->rank; d++) {
    if (to[d] < 0 || to[d] >= rank || (operand->dims[d] != 1 && operand->dims[d] != dims[to[d]]))
      FAIL(INVALID_ARGUMENT,
           "dimension %u of the operand %s cannot be broadcast to dimension %lld of the result %s",
           d, move_dims_text(cx, operand->rank, operand->dims), (long long)to[d],
           move_dims_text(cx, rank, dims));
    if (operand->dims[d] != 1) from[to[d]] = strides[d];
  }
  TRY(move_new(cx, 0, operand->elem, rank, dims, out));
  strided_copy(*out, 0, NULL, operand, 0, from, rank, dims);
  return NULL;
}

static Status *eval(EvalContext *cx, Literal *const *in, Literal **out) {
  const Literal *operand = in[0];
  Type declared = eval_result_type(cx, 0);
  const TypeInfo *type = type_info(cx->context, declared);
  Ints to = eval_ints(cx, "broadcast_dimensions");
  int64_t dims[MAX_RANK];
  for (uint32_t d = 0; d < type->rank; d++) dims[d] = type->dims[d];
  // A dynamic dim takes the size of the operand's dimension that maps to it.
  for (uint32_t d = 0; d < to.n; d++)
    if (dims[to.v[d]] == DIM_DYNAMIC && operand->dims[d] != 1) dims[to.v[d]] = operand->dims[d];
  for (uint32_t d = 0; d < type->rank; d++)
    if (dims[d] == DIM_DYNAMIC)
      FAIL(INVALID_ARGUMENT,
           "the dynamic size of dimension %u of the result %s is not known at run time", d,
           type_text(cx->context, declared));
  return broadcast(cx, operand, to.v, type->rank, dims, out);
}

static Status *eval_dynamic(EvalContext *cx, Literal *const *in, Literal **out) {
  if (in[1]->count > MAX_RANK)
    FAIL(INVALID_ARGUMENT, "output_dimensions has length %lld, at most %d is supported",
         (long long)in[1]->count, MAX_RANK);
  Ints dims = move_indices(cx, in[1]);
  return broadcast(cx, in[0], eval_ints(cx, "broadcast_dimensions").v, dims.n, dims.v, out);
}

static Status *eval_old(EvalContext *cx, Literal *const *in, Literal **out) {
  Ints sizes = eval_ints(cx, "broadcast_sizes");
  int64_t dims[MAX_RANK], to[MAX_RANK];
  for (uint32_t d = 0; d < sizes.n; d++) dims[d] = sizes.v[d];
  for (uint32_t d = 0; d < in[0]->rank; d++) {
    dims[sizes.n + d] = in[0]->dims[d];
    to[d] = sizes.n + d;
  }
  return broadcast(cx, in[0], to, sizes.n + in[0]->rank, dims, out);
}

// A random operand, result shape and broadcast_dimensions. Returns the result's rank.
static uint32_t sample_shapes(Sample *cx, Type *out_type, ValueId *out_operand, int64_t *to,
                              uint32_t *out_rank, int64_t *dims) {
  int64_t from[4];
  uint32_t rank = sample_shape(cx, 4, dims), n = (uint32_t)sample_int(cx, 0, rank);
  move_sample_order(cx, rank, to);
  for (uint32_t d = 0; d < n; d++) from[d] = sample_chance(cx, 30) ? 1 : dims[to[d]];
  *out_operand = move_sample(cx, "bsufc", n, from, out_type);
  *out_rank = n;
  return rank;
}

static OpId sample(Sample *cx) {
  int64_t to[4], dims[4];
  Type type;
  ValueId operand;
  uint32_t n, rank = sample_shapes(cx, &type, &operand, to, &n, dims);
  Attr attrs = move_attr(cx, 0, "broadcast_dimensions", attr_i64s(cx->context, n, to));
  Type result = type_tensor(cx->context, type_elem(cx->context, type), rank, dims, 0);
  return sample_op(cx, OP_broadcast_in_dim, attrs, 1, &operand, 1, &result, 0);
}

static OpId sample_dynamic(Sample *cx) {
  int64_t to[4], dims[4];
  Type type;
  ValueId operands[2];
  uint32_t n, rank = sample_shapes(cx, &type, &operands[0], to, &n, dims);
  operands[1] = move_sample_ints(cx, rank, dims);
  for (uint32_t d = 0; d < rank; d++)
    if (sample_chance(cx, 50)) dims[d] = DIM_DYNAMIC;
  Attr attrs = move_attr(cx, 0, "broadcast_dimensions", attr_i64s(cx->context, n, to));
  Type result = type_tensor(cx->context, type_elem(cx->context, type), rank, dims, 0);
  return sample_op(cx, OP_dynamic_broadcast_in_dim, attrs, 2, operands, 1, &result, 0);
}

static OpId sample_old(Sample *cx) {
  int64_t dims[3], sizes[3];
  uint32_t rank = sample_shape(cx, 3, dims), n = sample_shape(cx, 3, sizes);
  Type type;
  ValueId operand = move_sample(cx, "bsufc", rank, dims, &type);
  Attr attrs = move_attr(cx, 0, "broadcast_sizes", attr_i64s(cx->context, n, sizes));
  return sample_op(cx, OP_broadcast, attrs, 1, &operand, 1, NULL, 0);
}

// to[k]: the result dimension of operand dimension k. A size of 1 that is expanded is a factor of
// its own.
static void factors_to(FactorContext *cx, const int64_t *to) {
  uint32_t result = factors_result(cx, 0), rank = factors_rank(cx, 0);
  for (uint32_t d = 0; d < factors_rank(cx, result); d++) {
    uint32_t from = 0;
    while (from < rank && to[from] != d) from++;
    int64_t size = factors_dim(cx, result, d), own = from < rank ? factors_dim(cx, 0, from) : 1;
    bool stretched = own == 1 && size != 1;
    if (from < rank && stretched) factors_on(cx, 1, FACTOR_PASS, 0, from);
    if (own == DIM_DYNAMIC) size = DIM_DYNAMIC;
    uint32_t factor = factors_on(cx, size, FACTOR_PASS, result, d);
    if (from < rank && !stretched) factors_also(cx, factor, 0, from);
  }
}

static bool factors(FactorContext *cx) {
  factors_to(cx, factors_ints(cx, "broadcast_dimensions").v);
  if (cx->n_operands > 1) factors_replicated(cx, 1);
  return true;
}

static bool factors_old(FactorContext *cx) {
  int64_t to[MAX_RANK];
  uint32_t first = factors_ints(cx, "broadcast_sizes").n;
  for (uint32_t d = 0; d < factors_rank(cx, 0); d++) to[d] = first + d;
  factors_to(cx, to);
  return true;
}

// If nothing is repeated it is a reshape: JAX adds dimensions of size 1 by broadcast_in_dim.
static uint32_t traits(const Program *p, OpId op) {
  int64_t before, after;
  bool same = type_count(p->context, value_type(p, op_operand(p, op, 0)), &before) &&
              type_count(p->context, op_result_type(p, op, 0), &after) && before == after;
  return same ? TRAIT_PASSES : 0;
}

const OpDef op_broadcast_in_dim = {.infer = infer,
                                   .eval = eval,
                                   .sample = sample,
                                   .constraints = 6,
                                   .factors = factors,
                                   .traits = traits};
const OpDef op_dynamic_broadcast_in_dim = {.infer = infer_dynamic,
                                           .eval = eval_dynamic,
                                           .sample = sample_dynamic,
                                           .constraints = 10,
                                           .factors = factors};
// broadcast_sizes are the new dimensions of the shard.
static Status *localize_old(Localizer *cx) {
  uint32_t n = localize_ints(cx, "broadcast_sizes").n;
  Attr sizes = attr_i64s(cx->context, n, type_info(cx->context, cx->out_types[0])->dims);
  return localize_copy(cx, cx->in, localize_with(cx, 0, "broadcast_sizes", sizes));
}

const OpDef op_broadcast = {.infer = infer_old,
                            .eval = eval_old,
                            .sample = sample_old,
                            .factors = factors_old,
                            .localize = localize_old};
