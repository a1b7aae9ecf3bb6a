// after_all and create_token: tokens order side effects and carry no data. O(1).
#include "ops/move.h"

static bool infer(Infer *cx) {
  Type token = type_token(cx->context);
  for (uint32_t i = 0; i < infer_n_operands(cx); i++)
    REQUIRE(cx, 0, infer_operand(cx, i) == token, "operand %u must be a token, got %s", i,
            infer_text(cx, infer_operand(cx, i)));
  cx->out[0] = token;
  return true;
}

static Status *eval(EvalContext *cx, Literal *const *in, Literal **out) {
  (void)in;
  *out = literal_token(cx->heap);
  return NULL;
}

static OpId sample_create(Sample *cx) {
  return sample_op(cx, OP_create_token, 0, 0, NULL, 1, NULL, 0);
}

static OpId sample_after_all(Sample *cx) {
  ValueId tokens[3];
  uint32_t n = (uint32_t)sample_int(cx, 0, 3);
  for (uint32_t i = 0; i < n; i++) tokens[i] = op_result(cx->program, sample_create(cx), 0);
  return sample_op(cx, OP_after_all, 0, n, tokens, 1, NULL, 0);
}

const OpDef op_after_all = {.infer = infer, .eval = eval, .sample = sample_after_all};
const OpDef op_create_token = {.infer = infer, .eval = eval, .sample = sample_create};
