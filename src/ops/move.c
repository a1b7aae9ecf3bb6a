// Helpers of data-movement ops: readers and checks, each linear in the rank. (Uniqueness of
// dimension lists is quadratic in it, and ranks are at most MAX_RANK.)
#include "ops/move.h"

#include <string.h>

// ---- infer ----

static const TypeInfo *tensor_copy(Infer *cx, Type type) {
  return arena_copy(context_arena(cx->context), type_info(cx->context, type), sizeof(TypeInfo));
}

const TypeInfo *move_operand(Infer *cx, uint32_t i) {
  Type type = infer_operand(cx, i);
  if (!type_is_tensor(cx->context, type)) {
    infer_fail(cx, 0, "operand %u must be a ranked tensor, got %s", i, infer_text(cx, type));
    return NULL;
  }
  if (type_info(cx->context, type)->rank > MAX_RANK) {
    infer_fail(cx, 0, "operand %u has %u dimensions, expected at most %d", i,
               type_info(cx->context, type)->rank, MAX_RANK);
    return NULL;
  }
  return tensor_copy(cx, type);
}

const TypeInfo *move_result(Infer *cx, uint32_t i) {
  Type type = infer_result(cx, i);
  if (!type) return NULL;
  if (!type_is_tensor(cx->context, type)) {
    infer_fail(cx, 0, "result %u must be a ranked tensor, got %s", i, infer_text(cx, type));
    return NULL;
  }
  if (type_info(cx->context, type)->rank > MAX_RANK) {
    infer_fail(cx, 0, "result %u has %u dimensions, expected at most %d", i,
               type_info(cx->context, type)->rank, MAX_RANK);
    return NULL;
  }
  return tensor_copy(cx, type);
}

void move_bounds(const Infer *cx, uint32_t i, int64_t *out) {
  Type type = infer_operand(cx, i);
  for (uint32_t d = 0; d < type_info(cx->context, type)->rank; d++)
    out[d] = type_bound(cx->context, type, d);
}

bool move_ints(Infer *cx, const char *name, Ints *out) {
  *out = infer_ints(cx, name);
  return out->ok || infer_fail(cx, 0, "attribute '%s' must be a list of 64-bit integers", name);
}

bool move_ints_or_none(Infer *cx, const char *name, Ints *out) {
  if (!infer_attr(cx, name)) {
    *out = (Ints){.ok = true};
    return true;
  }
  return move_ints(cx, name, out);
}

bool move_field(Infer *cx, Attr attr, const char *name, Ints *out) {
  Attr field = attr_get(cx->context, attr, name);
  if (!field) {
    *out = (Ints){.ok = true};
    return true;
  }
  *out = attr_as_ints(cx->context, field);
  return out->ok || infer_fail(cx, 0, "'%s' must be a list of integers", name);
}

Ints move_constant(const Infer *cx, uint32_t i) {
  OpId def = value_def(cx->program, op_operand(cx->program, cx->op, i));
  if (!def || op_at(cx->program, def)->code != OP_constant) return (Ints){0};
  int64_t count;
  if (!type_count(cx->context, infer_operand(cx, i), &count) || count > MAX_RANK) return (Ints){0};
  Attr value = op_attr(cx->program, def, "value");
  const AttrInfo *info = attr_info(cx->context, value);
  if (info->kind != ATTR_DENSE || type_dtype(cx->context, info->type) == DT_i1) return (Ints){0};
  Ints ints = attr_as_ints(cx->context, value);
  if (ints.n != count) ints.ok = false;
  return ints;
}

const char *move_ints_text(Infer *cx, Ints ints) { return infer_dims_text(cx, ints.n, ints.v); }

bool move_integers(Infer *cx, uint32_t i, int rank) {
  const TypeInfo *type = move_operand(cx, i);
  if (!type) return false;
  DType dtype = type_dtype(cx->context, type->elem);
  bool integer =
      (dtype_is_integer(dtype) || dtype == DT_index) && !type_is_quant(cx->context, type->elem);
  if (integer && (rank < 0 || type->rank == (uint32_t)rank)) return true;
  if (rank < 0)
    return infer_fail(cx, 0, "operand %u must be a tensor of integers, got %s", i,
                      infer_text(cx, infer_operand(cx, i)));
  return infer_fail(cx, 0, "operand %u must be a %d-dimensional tensor of integers, got %s", i,
                    rank, infer_text(cx, infer_operand(cx, i)));
}

bool move_infer(Infer *cx, uint32_t i, Type elem, uint32_t rank, const int64_t *dims,
                const int64_t *bounds) {
  Attr encoding = 0;
  bool bounded = false;
  for (uint32_t d = 0; bounds && d < rank; d++) bounded |= bounds[d] != DIM_DYNAMIC;
  if (bounded) {
    NamedAttr field = {name_of(cx->context, "bounds"), attr_i64s(cx->context, rank, bounds)};
    encoding = attr_struct(cx->context, "stablehlo.bounds", 1, &field);
  }
  cx->out[i] = type_tensor(cx->context, elem, rank, dims, encoding);
  return true;
}

bool move_same_elem(Infer *cx, int constraint, uint32_t result, Type elem) {
  Type declared = infer_result(cx, result);
  return !declared || type_elem(cx->context, declared) == elem ||
         infer_fail(cx, constraint, "the result's element type is %s, expected the operand's %s",
                    infer_text(cx, type_elem(cx->context, declared)), infer_text(cx, elem));
}

bool move_same_shape(Infer *cx, int constraint, uint32_t result, uint32_t rank,
                     const int64_t *dims) {
  const TypeInfo *declared = move_result(cx, result);
  if (!declared) return !cx->failed;
  bool same = declared->rank == rank;
  for (uint32_t d = 0; same && d < rank; d++) same = dim_compatible(declared->dims[d], dims[d]);
  return same || infer_fail(cx, constraint, "the result's shape is %s, expected %s",
                            infer_dims_text(cx, declared->rank, declared->dims),
                            infer_dims_text(cx, rank, dims));
}

bool move_same_elem_but_axis(const Context *context, Type a, Type b, bool values_too) {
  if (a == b) return true;
  const QuantInfo *qa = type_quant_info(context, a), *qb = type_quant_info(context, b);
  if (!qa || !qb || qa->axis < 0 || qb->axis < 0) return false;
  if (qa->storage != qb->storage || qa->expressed != qb->expressed || qa->min != qb->min ||
      qa->max != qb->max)
    return false;
  if (values_too) return true;
  return qa->count == qb->count &&
         memcmp(qa->scales, qb->scales, qa->count * sizeof *qa->scales) == 0 &&
         memcmp(qa->zero_points, qb->zero_points, qa->count * sizeof *qa->zero_points) == 0;
}

// The product of dims first … last-1; false if a dim is dynamic or the product overflows.
static bool dims_product(const int64_t *dims, uint32_t first, uint32_t last, int64_t *out) {
  int64_t product = 1;
  for (uint32_t d = first; d < last; d++)
    if (dims[d] == 0) {
      *out = 0;
      for (uint32_t e = first; e < last; e++)
        if (dims[e] == DIM_DYNAMIC) return false;
      return true;
    }
  for (uint32_t d = first; d < last; d++)
    if (dims[d] == DIM_DYNAMIC || __builtin_mul_overflow(product, dims[d], &product)) return false;
  *out = product;
  return true;
}

bool move_reshape_agrees(Infer *cx, const TypeInfo *from, const TypeInfo *to) {
  int64_t before, after;
  bool known = dims_product(from->dims, 0, from->rank, &before) &&
               dims_product(to->dims, 0, to->rank, &after);
  REQUIRE(cx, 2, !known || before == after,
          "the operand has %lld elements and the result %lld, expected equal numbers (shapes %s "
          "and %s)",
          (long long)before, (long long)after, infer_dims_text(cx, from->rank, from->dims),
          infer_dims_text(cx, to->rank, to->dims));
  const QuantInfo *qf = type_quant_info(cx->context, from->elem),
                  *qt = type_quant_info(cx->context, to->elem);
  if (!qf || qf->axis < 0) return true;
  REQUIRE(cx, 3, qt && qt->axis >= 0,
          "the operand is quantized per axis and the result is not, expected both");
  uint32_t af = (uint32_t)qf->axis, at = (uint32_t)qt->axis;
  REQUIRE(cx, 3, af < from->rank && at < to->rank,
          "the quantized dimensions are %u of the operand and %u of the result, beyond their ranks "
          "%u and %u",
          af, at, from->rank, to->rank);
  REQUIRE(
      cx, 3, dim_compatible(from->dims[af], to->dims[at]),
      "the quantized dimension has size %lld in the operand and %lld in the result, expected equal",
      (long long)from->dims[af], (long long)to->dims[at]);
  known = dims_product(from->dims, 0, af, &before) && dims_product(to->dims, 0, at, &after);
  REQUIRE(cx, 3, !known || before == after,
          "the sizes of the dimensions before the quantized one have product %lld in the operand "
          "and %lld in the result, expected equal",
          (long long)before, (long long)after);
  known = dims_product(from->dims, af + 1, from->rank, &before) &&
          dims_product(to->dims, at + 1, to->rank, &after);
  REQUIRE(cx, 3, !known || before == after,
          "the sizes of the dimensions after the quantized one have product %lld in the operand "
          "and %lld in the result, expected equal",
          (long long)before, (long long)after);
  return true;
}

bool ints_unique(Ints ints) { return ints_unique_together(ints, (Ints){.ok = true}); }

bool ints_unique_together(Ints a, Ints b) {
  // Longer lists of dimensions repeat one or leave the range; avoid their quadratic cost.
  if (a.n > MAX_RANK || b.n > MAX_RANK) return false;
  for (uint32_t i = 0; i < a.n + b.n; i++)
    for (uint32_t j = 0; j < i; j++)
      if ((i < a.n ? a.v[i] : b.v[i - a.n]) == (j < a.n ? a.v[j] : b.v[j - a.n])) return false;
  return true;
}

bool ints_sorted(Ints ints) {
  for (uint32_t i = 1; i < ints.n; i++)
    if (ints.v[i - 1] > ints.v[i]) return false;
  return true;
}

bool ints_within(Ints ints, int64_t low, int64_t high) {
  for (uint32_t i = 0; i < ints.n; i++)
    if (ints.v[i] < low || ints.v[i] >= high) return false;
  return true;
}

// ---- eval ----

int64_t move_index(const Literal *literal, int64_t i) {
  Scalar value = literal_get(literal, i);
  if (dtype_kind(literal->dtype) == KIND_UINT)
    return value.u > INT64_MAX ? INT64_MAX : (int64_t)value.u;
  return value.i;
}

Ints move_indices(EvalContext *cx, const Literal *literal) {
  int64_t *values = ARENA_ARRAY(cx->scratch, int64_t, (size_t)literal->count);
  for (int64_t i = 0; i < literal->count; i++) values[i] = move_index(literal, i);
  return (Ints){.v = values, .n = (uint32_t)literal->count, .ok = true};
}

const char *move_dims_text(EvalContext *cx, uint32_t rank, const int64_t *dims) {
  const char *text = "[";
  for (uint32_t d = 0; d < rank; d++)
    text = arena_printf(cx->scratch, "%s%s%lld", text, d ? ", " : "", (long long)dims[d]);
  return arena_printf(cx->scratch, "%s]", text);
}

Status *move_new(EvalContext *cx, uint32_t i, Type elem, uint32_t rank, const int64_t *dims,
                 Literal **out) {
  for (uint32_t d = 0; d < rank; d++)
    if (dims[d] < 0)
      FAIL(INVALID_ARGUMENT, "the result would have the shape %s with a negative size",
           move_dims_text(cx, rank, dims));
  Type declared = eval_result_type(cx, i);
  const TypeInfo *info = type_info(cx->context, declared);
  if (info->kind == TYPE_TENSOR) {
    elem = info->elem;
    bool fits = info->rank == rank;
    for (uint32_t d = 0; fits && d < rank; d++) {
      int64_t bound =
          info->dims[d] == DIM_DYNAMIC ? type_bound(cx->context, declared, d) : DIM_DYNAMIC;
      fits = dim_compatible(info->dims[d], dims[d]) && (bound == DIM_DYNAMIC || dims[d] <= bound);
    }
    if (!fits)
      FAIL(INVALID_ARGUMENT,
           "the result has the shape %s at run time, which its type %s does not allow",
           move_dims_text(cx, rank, dims), type_text(cx->context, declared));
  }
  *out = literal_new(cx->heap, cx->context, elem, rank, dims);
  return NULL;
}

// ---- sample ----

ValueId move_sample(Sample *cx, const char *kinds, uint32_t rank, const int64_t *dims,
                    Type *out_type) {
  *out_type = type_tensor(cx->context, type_scalar(sample_dtype(cx, kinds)), rank, dims, 0);
  return sample_value(cx, *out_type);
}

Attr move_attr(Sample *cx, Attr dict, const char *name, Attr value) {
  return attr_dict_with(cx->context, dict, name, value);
}

void move_sample_order(Sample *cx, uint32_t n, int64_t *out) {
  for (uint32_t i = 0; i < n; i++) out[i] = i;
  for (uint32_t i = n; i > 1; i--) {
    uint32_t j = (uint32_t)sample_int(cx, 0, i - 1);
    int64_t kept = out[i - 1];
    out[i - 1] = out[j];
    out[j] = kept;
  }
}

ValueId move_sample_ints(Sample *cx, uint32_t n, const int64_t *values) {
  int64_t dims[1] = {n};
  bool wide = sample_chance(cx, 50);
  Type type = type_tensor(cx->context, type_scalar(wide ? DT_i64 : DT_i32), 1, dims, 0);
  int32_t *narrow = ARENA_ARRAY(cx->arena, int32_t, n + 1);
  for (uint32_t i = 0; i < n; i++) narrow[i] = (int32_t)values[i];
  const void *data = wide ? (const void *)values : narrow;
  Attr value = attr_dense(cx->context, type, data, n * (wide ? sizeof *values : sizeof *narrow));
  OpId op = sample_op(cx, OP_constant, move_attr(cx, 0, "value", value), 0, NULL, 1, &type, 0);
  return op_result(cx->program, op, 0);
}
