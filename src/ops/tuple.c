// tuple, get_tuple_element and optimization_barrier: values are packed, unpacked or forwarded. They
// are shared, so each op is O(values).
#include "ops/move.h"

static bool infer_tuple(Infer *cx) {
  uint32_t n = infer_n_operands(cx);
  Type *items = ARENA_ARRAY(context_arena(cx->context), Type, n);
  for (uint32_t i = 0; i < n; i++) items[i] = infer_operand(cx, i);
  Type tuple = type_tuple(cx->context, n, items);
  REQUIRE(cx, 1, !infer_result(cx, 0) || infer_types_same(cx, infer_result(cx, 0), tuple),
          "the result has type %s, expected %s", infer_text(cx, infer_result(cx, 0)),
          infer_text(cx, tuple));
  cx->out[0] = tuple;
  return true;
}

static bool infer_element(Infer *cx) {
  const TypeInfo *tuple = infer_operand_info(cx, 0);
  int64_t index = infer_int(cx, "index", -1);
  REQUIRE(cx, 0, tuple->kind == TYPE_TUPLE, "the operand must be a tuple, got %s",
          infer_text(cx, infer_operand(cx, 0)));
  REQUIRE(cx, 1, 0 <= index && index < tuple->n_items, "index is %lld, expected it in [0, %u)",
          (long long)index, tuple->n_items);
  Type item = tuple->items[index];
  REQUIRE(cx, 2, !infer_result(cx, 0) || infer_types_same(cx, infer_result(cx, 0), item),
          "the result has type %s, expected that of element %lld, %s",
          infer_text(cx, infer_result(cx, 0)), (long long)index, infer_text(cx, item));
  cx->out[0] = item;
  return true;
}

static bool infer_barrier(Infer *cx) {
  uint32_t n = infer_n_operands(cx);
  if (!infer_per_tensor(cx)) return false;
  REQUIRE(cx, 1, infer_n_results(cx) == n,
          "the numbers of operands and results are %u and %u, expected equal", n,
          infer_n_results(cx));
  for (uint32_t i = 0; i < n; i++) {
    Type type = infer_operand(cx, i);
    REQUIRE(cx, 1, !infer_result(cx, i) || infer_types_same(cx, infer_result(cx, i), type),
            "operand and result %u have types %s and %s, expected the same", i,
            infer_text(cx, type), infer_text(cx, infer_result(cx, i)));
    cx->out[i] = type;
  }
  return true;
}

static Status *eval_tuple(EvalContext *cx, Literal *const *in, Literal **out) {
  *out = literal_tuple(cx->heap, LITERAL_TUPLE, cx->n_in, in);
  return NULL;
}

static Status *eval_element(EvalContext *cx, Literal *const *in, Literal **out) {
  *out = literal_retain(in[0]->items[eval_int(cx, "index", 0)]);
  return NULL;
}

static Status *eval_barrier(EvalContext *cx, Literal *const *in, Literal **out) {
  for (uint32_t i = 0; i < cx->n_in; i++) out[i] = literal_retain(in[i]);
  return NULL;
}

static uint32_t sample_values(Sample *cx, uint32_t most, ValueId *out) {
  uint32_t n = (uint32_t)sample_int(cx, 1, most);
  for (uint32_t i = 0; i < n; i++) {
    int64_t dims[3];
    uint32_t rank = sample_shape(cx, 3, dims);
    Type type;
    out[i] = move_sample(cx, "bsufc", rank, dims, &type);
  }
  return n;
}

static OpId sample_tuple(Sample *cx) {
  ValueId values[4];
  uint32_t n = sample_values(cx, 4, values);
  return sample_op(cx, OP_tuple, 0, n, values, 1, NULL, 0);
}

static OpId sample_element(Sample *cx) {
  OpId tuple = sample_tuple(cx);
  ValueId operand = op_result(cx->program, tuple, 0);
  int64_t index = sample_int(cx, 0, op_at(cx->program, tuple)->n_operands - 1);
  Attr attrs = move_attr(cx, 0, "index", attr_int(cx->context, type_scalar(DT_i32), index));
  return sample_op(cx, OP_get_tuple_element, attrs, 1, &operand, 1, NULL, 0);
}

static OpId sample_barrier(Sample *cx) {
  ValueId values[4];
  uint32_t n = sample_values(cx, 4, values);
  return sample_op(cx, OP_optimization_barrier, 0, n, values, n, NULL, 0);
}

const OpDef op_tuple = {
    .infer = infer_tuple, .eval = eval_tuple, .sample = sample_tuple, .constraints = 1};
const OpDef op_get_tuple_element = {
    .infer = infer_element, .eval = eval_element, .sample = sample_element, .constraints = 2};
const OpDef op_optimization_barrier = {.flow = FLOW_EACH,
                                       .infer = infer_barrier,
                                       .eval = eval_barrier,
                                       .sample = sample_barrier,
                                       .constraints = 1};
