// async_start and async_done: work that may overlap with other work. The evaluator runs it at the
// start; the future holds its results.
#include "ops/eval.h"
#include "ops/infer.h"

static bool infer_async_start(Infer *cx) {
  uint32_t n = infer_n_operands(cx), n_out = infer_region_n_returned(cx, 0);
  REQUIRE(cx, 0, infer_region_n_args(cx, 0) == n, "body takes %u arguments, expected %u",
          infer_region_n_args(cx, 0), n);
  for (uint32_t i = 0; i < n; i++)
    REQUIRE(cx, 0, infer_types_same(cx, infer_region_arg(cx, 0, i), infer_operand(cx, i)),
            "argument %u of the body is %s, expected %s", i,
            infer_text(cx, infer_region_arg(cx, 0, i)), infer_text(cx, infer_operand(cx, i)));
  Type *types = ARENA_ARRAY(context_arena(cx->context), Type, n_out ? n_out : 1);
  for (uint32_t i = 0; i < n_out; i++) types[i] = infer_region_returned(cx, 0, i);
  cx->out[0] = type_future(cx->context, n_out, types);
  Type declared = infer_result(cx, 0);
  REQUIRE(cx, 0, !declared || infer_types_same(cx, declared, cx->out[0]),
          "result is %s, expected %s as its body returns", infer_text(cx, declared),
          infer_text(cx, cx->out[0]));
  if (declared) cx->out[0] = declared;
  return true;
}

static Status *eval_async_start(EvalContext *cx, Literal *const *in, Literal **out) {
  uint32_t n = type_info(cx->context, eval_result_type(cx, 0))->n_items;
  Literal **items = ARENA_ARRAY(cx->scratch, Literal *, n ? n : 1);
  TRY(cx->host->run_region(cx, op_region(cx->program, cx->op, 0), cx->n_in, in, n, items));
  out[0] = literal_tuple(cx->heap, LITERAL_FUTURE, n, items);
  for (uint32_t i = 0; i < n; i++) literal_release(items[i]);
  return NULL;
}

static bool infer_async_done(Infer *cx) {
  const TypeInfo *future = infer_operand_info(cx, 0);
  REQUIRE(cx, 0, future->kind == TYPE_FUTURE, "operand is %s, expected a future",
          infer_text(cx, infer_operand(cx, 0)));
  REQUIRE(cx, 0, infer_n_results(cx) == future->n_items,
          "has %u results, expected %u, one per value of the future", infer_n_results(cx),
          future->n_items);
  for (uint32_t i = 0; i < future->n_items; i++) {
    Type declared = infer_result(cx, i);
    cx->out[i] = declared ? declared : future->items[i];
    REQUIRE(cx, 0, infer_types_same(cx, cx->out[i], future->items[i]),
            "result %u is %s, expected %s as in the future", i, infer_text(cx, declared),
            infer_text(cx, future->items[i]));
  }
  return true;
}

static Status *eval_async_done(EvalContext *cx, Literal *const *in, Literal **out) {
  if (in[0]->kind != LITERAL_FUTURE || in[0]->n_items != cx->n_out)
    FAIL(FAILED_PRECONDITION, "the future does not have one value per result");
  for (uint32_t i = 0; i < cx->n_out; i++) out[i] = literal_retain(in[0]->items[i]);
  return NULL;
}

const OpDef op_async_start = {.infer = infer_async_start, .eval = eval_async_start};
const OpDef op_async_done = {.infer = infer_async_done, .eval = eval_async_done};
