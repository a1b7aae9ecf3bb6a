// The check dialect: ops that compare a value with another one, a constant, or one probed before. A
// failed check is reported to the host and does not end the run.
#include "ops/compare_values.h"
#include "ops/infer.h"

enum { DEFAULT_ULP = 3 };

static bool infer_pair(Infer *cx) {
  REQUIRE(cx, 0, infer_types_compatible(cx, infer_operand(cx, 0), infer_operand(cx, 1)),
          "operands must have the same type, got %s and %s", infer_text(cx, infer_operand(cx, 0)),
          infer_text(cx, infer_operand(cx, 1)));
  return true;
}

static bool infer_constant(Infer *cx) {
  Type type = attr_info(cx->context, infer_attr(cx, "value"))->type;
  REQUIRE(cx, 0, infer_shapes_compatible(cx, infer_operand(cx, 0), type),
          "operand and attribute 'value' must have the same shape, got %s and %s",
          infer_text(cx, infer_operand(cx, 0)), infer_text(cx, type));
  return true;
}

static bool infer_one(Infer *cx) {
  (void)cx;
  return true;
}

static Status *compare_constant(EvalContext *cx, Literal *actual, const Comparison *how) {
  Literal *expected = literal_from_dense(cx->heap, cx->context, eval_attr(cx, "value"));
  Status *status = compare_values(cx, actual, expected, how, NULL);
  literal_release(expected);
  return status;
}

static Comparison absolute(EvalContext *cx) {
  return (Comparison){.by = COMPARE_ABSOLUTE,
                      .tolerance = attr_as_float(cx->context, eval_attr(cx, "tolerance"), 0.0001)};
}

static Status *eval_expect_eq(EvalContext *cx, Literal *const *in, Literal **out) {
  (void)out;
  return compare_values(cx, in[0], in[1], &(Comparison){.by = COMPARE_EQUAL}, NULL);
}

static Status *eval_expect_eq_const(EvalContext *cx, Literal *const *in, Literal **out) {
  (void)out;
  return compare_constant(cx, in[0], &(Comparison){.by = COMPARE_EQUAL});
}

static Status *eval_expect_almost_eq(EvalContext *cx, Literal *const *in, Literal **out) {
  (void)out;
  Comparison how = absolute(cx);
  return compare_values(cx, in[0], in[1], &how, NULL);
}

static Status *eval_expect_almost_eq_const(EvalContext *cx, Literal *const *in, Literal **out) {
  (void)out;
  Comparison how = absolute(cx);
  return compare_constant(cx, in[0], &how);
}

static Status *eval_expect_close(EvalContext *cx, Literal *const *in, Literal **out) {
  (void)out;
  Comparison how = {.by = COMPARE_ULP,
                    .min_ulp = (uint64_t)eval_int(cx, "min_ulp_difference", 0),
                    .max_ulp = (uint64_t)eval_int(cx, "max_ulp_difference", DEFAULT_ULP)};
  return compare_values(cx, in[0], in[1], &how, NULL);
}

static Status *eval_expect_serialized_eq(EvalContext *cx, Literal *const *in, Literal **out) {
  (void)out;
  Str id = name_str(cx->context, attr_as_name(cx->context, eval_attr(cx, "probe_id")));
  int64_t k = eval_int(cx, "iter", 0);
  Literal *probed = k < 0 ? NULL : cx->host->probed(cx, id, (uint32_t)k);
  if (!probed)
    FAIL(NOT_FOUND, "iteration %lld of probe \"%.*s\" has no value", (long long)k, (int)id.n, id.s);
  return compare_values(cx, probed, in[0], &(Comparison){.by = COMPARE_BITS}, NULL);
}

const OpDef op_check_expect_eq = {.infer = infer_pair, .eval = eval_expect_eq};
const OpDef op_check_expect_eq_const = {.infer = infer_constant, .eval = eval_expect_eq_const};
const OpDef op_check_expect_almost_eq = {.infer = infer_pair, .eval = eval_expect_almost_eq};
const OpDef op_check_expect_almost_eq_const = {.infer = infer_constant,
                                               .eval = eval_expect_almost_eq_const};
const OpDef op_check_expect_close = {.infer = infer_pair, .eval = eval_expect_close};
const OpDef op_check_expect_serialized_eq = {.infer = infer_one, .eval = eval_expect_serialized_eq};
const OpDef op_check_eq = {.infer = infer_constant, .eval = eval_expect_almost_eq_const};
const OpDef op_check_almost_eq = {.infer = infer_constant, .eval = eval_expect_almost_eq_const};
