// infeed and outfeed: values from and to the host. interpreter.run_parallel provides the infeed
// queue.
#include "ops/eval.h"
#include "ops/infer.h"

static bool is_token(const Infer *cx, Type type) {
  return type_info(cx->context, type)->kind == TYPE_TOKEN;
}

static bool infer_infeed(Infer *cx) {
  uint32_t n = infer_n_results(cx);
  REQUIRE(cx, 1, n > 0, "has no results, expected at least a token");
  if (!infer_declared(cx)) return false;
  for (uint32_t i = 0; i + 1 < n; i++) {
    TypeKind kind = type_info(cx->context, cx->out[i])->kind;
    REQUIRE(cx, 2, kind == TYPE_TENSOR || kind == TYPE_UNRANKED || kind == TYPE_TUPLE,
            "result %u is %s, expected a tensor", i, infer_text(cx, cx->out[i]));
  }
  REQUIRE(cx, 3, is_token(cx, cx->out[n - 1]), "the last result is %s, expected !stablehlo.token",
          infer_text(cx, cx->out[n - 1]));
  REQUIRE(cx, 0, is_token(cx, infer_operand(cx, 0)), "operand is %s, expected !stablehlo.token",
          infer_text(cx, infer_operand(cx, 0)));
  return true;
}

static Status *eval_infeed(EvalContext *cx, Literal *const *in, Literal **out) {
  TRY(cx->host->infeed(cx, cx->n_out - 1, out));
  out[cx->n_out - 1] = literal_retain(in[0]);
  return NULL;
}

static bool infer_outfeed(Infer *cx) {
  uint32_t n = infer_n_operands(cx);
  REQUIRE(cx, 0, n > 0 && is_token(cx, infer_operand(cx, n - 1)),
          "the last operand is %s, expected !stablehlo.token",
          n > 0 ? infer_text(cx, infer_operand(cx, n - 1)) : "missing");
  for (uint32_t i = 0; i + 1 < n; i++) {
    TypeKind kind = type_info(cx->context, infer_operand(cx, i))->kind;
    REQUIRE(cx, 0, kind == TYPE_TENSOR || kind == TYPE_UNRANKED || kind == TYPE_TUPLE,
            "operand %u is %s, expected a tensor", i, infer_text(cx, infer_operand(cx, i)));
  }
  cx->out[0] = type_token(cx->context);
  return true;
}

static Status *eval_outfeed(EvalContext *cx, Literal *const *in, Literal **out) {
  TRY(cx->host->outfeed(cx, cx->n_in - 1, in));
  out[0] = literal_retain(in[cx->n_in - 1]);
  return NULL;
}

const OpDef op_infeed = {.infer = infer_infeed, .eval = eval_infeed, .constraints = 3};
const OpDef op_outfeed = {.infer = infer_outfeed, .eval = eval_outfeed};
