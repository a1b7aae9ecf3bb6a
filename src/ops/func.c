// Functions, calls, modules and terminators.
#include "ops/eval.h"
#include "ops/infer.h"

static bool infer_nothing(Infer *cx) {
  (void)cx;
  return true;
}

static bool infer_func(Infer *cx) {
  const TypeInfo *type =
      type_info(cx->context, attr_info(cx->context, infer_attr(cx, "function_type"))->type);
  REQUIRE(cx, 0, type->kind == TYPE_FUNCTION, "has no function_type");
  BlockId block = region_block(cx->program, op_region(cx->program, cx->op, 0));
  if (!block) return true;  // a declaration
  uint32_t n = infer_region_n_args(cx, 0);
  REQUIRE(cx, 0, n == type->n_inputs, "body takes %u arguments, expected %u as in function_type", n,
          type->n_inputs);
  for (uint32_t i = 0; i < n; i++)
    REQUIRE(cx, 0, infer_region_arg(cx, 0, i) == type->items[i],
            "argument %u of the body is %s, expected %s as in function_type", i,
            infer_text(cx, infer_region_arg(cx, 0, i)), infer_text(cx, type->items[i]));
  return true;
}

// The verifier has the symbols: it compares operands, results and returned values with the callee.
static bool infer_call(Infer *cx) { return infer_declared(cx); }

static Status *eval_call(EvalContext *cx, Literal *const *in, Literal **out) {
  return cx->host->call(cx, attr_as_name(cx->context, eval_attr(cx, "callee")), cx->n_in, in,
                        cx->n_out, out);
}

// A cast between types with the same values forwards the value; other casts cannot be evaluated.
static Status *eval_cast(EvalContext *cx, Literal *const *in, Literal **out) {
  if (cx->n_in != cx->n_out)
    FAIL(UNIMPLEMENTED, "casts %u values to %u, expected equal numbers", cx->n_in, cx->n_out);
  for (uint32_t i = 0; i < cx->n_in; i++) out[i] = literal_retain(in[i]);
  return NULL;
}

const OpDef op_module = {.infer = infer_nothing};
const OpDef op_func_func = {.infer = infer_func};
const OpDef op_func_return = {.infer = infer_nothing};
const OpDef op_func_call = {.infer = infer_call, .eval = eval_call, .callee = "callee"};
const OpDef op_return = {.infer = infer_nothing};
const OpDef op_builtin_unrealized_conversion_cast = {.infer = infer_declared, .eval = eval_cast};
