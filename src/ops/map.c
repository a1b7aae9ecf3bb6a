// map: a body of scalars applied element by element to any number of arrays of one shape.
// O(elements * body).
#include "ops/eval.h"
#include "ops/factors.h"
#include "ops/pointwise.h"

static Status *eval(EvalContext *cx, Literal *const *in, Literal **out) {
  uint32_t n = cx->n_in;
  Type elem = type_elem(cx->context, eval_result_type(cx, 0));
  Type *elems = ARENA_ARRAY(cx->scratch, Type, n + 1);
  Scalar *args = ARENA_ARRAY(cx->scratch, Scalar, n + 1);
  for (uint32_t i = 0; i < n; i++) {
    elems[i] = in[i]->elem;
    if (!literal_same_shape(in[0], in[i]))
      FAIL(INVALID_ARGUMENT, "'stablehlo.map': operands differ in shape, expected equal shapes");
  }
  out[0] = literal_like(in[0], cx->context, elem);
  Reducer body;
  reducer_init(&body, cx, op_region(cx->program, cx->op, 0), n);
  for (int64_t at = 0; at < out[0]->count; at++) {
    Scalar result;
    for (uint32_t i = 0; i < n; i++) args[i] = literal_get(in[i], at);
    TRY(reducer_call(&body, n, elems, args, 1, &result));
    literal_set(out[0], at, result);
  }
  return NULL;
}

static bool infer(Infer *cx) {
  uint32_t n = infer_n_operands(cx);
  if (!infer_all_tensors(cx) || !infer_per_tensor(cx)) return false;
  REQUIRE(cx, 2, n > 0, "there are no operands, expected at least one");
  uint32_t rank = infer_operand_info(cx, 0)->rank;
  for (uint32_t i = 1; i < n; i++)
    REQUIRE(cx, 1, infer_shapes_compatible(cx, infer_operand(cx, 0), infer_operand(cx, i)),
            "operands must have the same shape, got %s and %s",
            infer_text(cx, infer_operand(cx, 0)), infer_text(cx, infer_operand(cx, i)));
  Ints dims = infer_ints(cx, "dimensions");
  bool all = dims.ok && dims.n == rank;
  for (uint32_t d = 0; all && d < rank; d++) all = dims.v[d] == d;
  if (!all) {
    int64_t *in_order = ARENA_ARRAY(context_arena(cx->context), int64_t, rank);
    for (uint32_t d = 0; d < rank; d++) in_order[d] = d;
    return infer_fail(cx, 3, "dimensions are %s, expected %s",
                      infer_dims_text(cx, dims.ok ? dims.n : 0, dims.v),
                      infer_dims_text(cx, rank, in_order));
  }
  REQUIRE(cx, 4, infer_region_n_args(cx, 0) == n, "the body must take %u arguments, got %u", n,
          infer_region_n_args(cx, 0));
  for (uint32_t i = 0; i < n; i++) {
    Type expected = type_tensor(cx->context, infer_operand_info(cx, i)->elem, 0, NULL, 0);
    REQUIRE(cx, 4, infer_region_arg(cx, 0, i) == expected,
            "argument %u of the body must be %s, got %s", i, infer_text(cx, expected),
            infer_text(cx, infer_region_arg(cx, 0, i)));
  }
  REQUIRE(cx, 4, infer_region_n_returned(cx, 0) == 1, "the body must return one value, got %u",
          infer_region_n_returned(cx, 0));
  Type returned = infer_region_returned(cx, 0, 0), declared = infer_result(cx, 0);
  REQUIRE(cx, 4,
          type_is_tensor(cx->context, returned) && type_info(cx->context, returned)->rank == 0,
          "the body must return a scalar, got %s", infer_text(cx, returned));
  Type type = infer_merged(cx, 0, n, type_elem(cx->context, returned));
  REQUIRE(cx, 1, type, "operands must have the same shape, got %s and others",
          infer_text(cx, infer_operand(cx, 0)));
  if (declared && type_is_tensor(cx->context, declared))
    REQUIRE(cx, 1, infer_shapes_compatible(cx, type, declared),
            "result must have the shape of %s, got %s", infer_text(cx, type),
            infer_text(cx, declared));
  return infer_settle(cx, 4, type);
}

static OpId sample(Sample *cx) {
  int64_t dims[3];
  uint32_t rank = sample_shape(cx, 3, dims);
  Type elem = type_scalar(sample_dtype(cx, "suf"));
  Type type = type_tensor(cx->context, elem, rank, dims, 0);
  ValueId operands[2] = {sample_value(cx, type), sample_value(cx, type)};
  int64_t all[3] = {0, 1, 2};
  NamedAttr field = {name_of(cx->context, "dimensions"), attr_i64s(cx->context, rank, all)};
  OpId op = sample_op(cx, OP_map, attr_dict(cx->context, 1, &field), 2, operands, 1, NULL, 1);
  sample_binary_body(cx, op, 0, elem, sample_chance(cx, 50) ? OP_add : OP_maximum);
  sample_infer(cx, op);
  return op;
}

const OpDef op_map = {
    .infer = infer, .eval = eval, .sample = sample, .constraints = 4, .factors = factors_pointwise};
