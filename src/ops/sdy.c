// The sdy dialect on one device: shardings, and ops that move shards between devices, change no
// global value.
#include "ops/eval.h"
#include "ops/factors.h"
#include "ops/infer.h"
#include "ops/localize.h"
#include "ops/work.h"

static bool infer_nothing(Infer *cx) {
  (void)cx;
  return true;
}

static bool infer_same(Infer *cx) {
  cx->out[0] = infer_operand(cx, 0);
  return true;
}

static Status *eval_same(EvalContext *cx, Literal *const *in, Literal **out) {
  for (uint32_t i = 0; i < cx->n_out; i++) out[i] = literal_retain(in[i]);
  return NULL;
}

static Status *eval_nothing(EvalContext *cx, Literal *const *in, Literal **out) {
  (void)cx, (void)in, (void)out;
  return NULL;
}

static bool infer_constant(Infer *cx) {
  cx->out[0] = attr_info(cx->context, infer_attr(cx, "value"))->type;
  return true;
}

static Status *eval_constant(EvalContext *cx, Literal *const *in, Literal **out) {
  (void)in;
  out[0] = literal_from_dense(cx->heap, cx->context, eval_attr(cx, "value"));
  return NULL;
}

static bool infer_mesh(Infer *cx) {
  const AttrInfo *axes =
      attr_info(cx->context, attr_get(cx->context, infer_attr(cx, "mesh"), "axes"));
  for (uint32_t i = 0; i < axes->count; i++) {
    int64_t size = attr_as_int(cx->context, attr_get(cx->context, axes->items[i], "size"), 0);
    Name name = attr_as_name(cx->context, attr_get(cx->context, axes->items[i], "name"));
    REQUIRE(cx, 0, size > 0, "axis \"%s\" has size %lld, expected at least 1",
            name_text(cx->context, name), (long long)size);
    for (uint32_t k = 0; k < i; k++)
      REQUIRE(cx, 0,
              attr_as_name(cx->context, attr_get(cx->context, axes->items[k], "name")) != name,
              "has two axes named \"%s\"", name_text(cx->context, name));
  }
  return true;
}

// The body's arguments are the operands, its results the op's; a named computation has equal types.
static bool infer_named(Infer *cx) {
  uint32_t n = infer_n_operands(cx), n_out = infer_region_n_returned(cx, 0);
  REQUIRE(cx, 0, infer_region_n_args(cx, 0) == n, "body takes %u arguments, expected %u",
          infer_region_n_args(cx, 0), n);
  for (uint32_t i = 0; i < n; i++)
    REQUIRE(cx, 0, infer_region_arg(cx, 0, i) == infer_operand(cx, i),
            "argument %u of the body is %s, expected %s", i,
            infer_text(cx, infer_region_arg(cx, 0, i)), infer_text(cx, infer_operand(cx, i)));
  REQUIRE(cx, 0, infer_n_results(cx) == n_out, "has %u results, expected %u as its body returns",
          infer_n_results(cx), n_out);
  for (uint32_t i = 0; i < n_out; i++) {
    cx->out[i] = infer_region_returned(cx, 0, i);
    REQUIRE(cx, 0, !infer_result(cx, i) || infer_result(cx, i) == cx->out[i],
            "result %u is %s, expected %s as its body returns", i,
            infer_text(cx, infer_result(cx, i)), infer_text(cx, cx->out[i]));
  }
  return true;
}

static Status *eval_body(EvalContext *cx, Literal *const *in, Literal **out) {
  return cx->host->run_region(cx, op_region(cx->program, cx->op, 0), cx->n_in, in, cx->n_out, out);
}

const OpDef op_sdy_mesh = {.infer = infer_mesh};
const OpDef op_sdy_sharding_constraint = {
    .infer = infer_same, .eval = eval_same, .factors = factors_pointwise, .work = work_nothing};
const OpDef op_sdy_reshard = {
    .infer = infer_same, .eval = eval_same, .factors = factors_pointwise_own, .work = work_nothing};
const OpDef op_sdy_named_computation = {.flow = FLOW_BODY, .infer = infer_named, .eval = eval_body};
const OpDef op_sdy_sharding_group = {.infer = infer_nothing, .eval = eval_nothing};
const OpDef op_sdy_propagation_barrier = {.infer = infer_same, .eval = eval_same};
const OpDef op_sdy_data_flow_edge = {.infer = infer_same, .eval = eval_same};
const OpDef op_sdy_func_data_flow_edge = {.infer = infer_same, .eval = eval_same};
const OpDef op_sdy_return = {.infer = infer_nothing};
const OpDef op_sdy_constant = {.infer = infer_constant,
                               .eval = eval_constant,
                               .factors = factors_constant,
                               .splits = localize_constant_splits,
                               .localize = localize_constant};
const OpDef op_sdy_all_gather = {
    .infer = infer_same, .eval = eval_same, .factors = factors_pointwise_own};
const OpDef op_sdy_all_slice = {
    .infer = infer_same, .eval = eval_same, .factors = factors_pointwise_own};
const OpDef op_sdy_all_to_all = {
    .infer = infer_same, .eval = eval_same, .factors = factors_pointwise_own};
const OpDef op_sdy_collective_permute = {
    .infer = infer_same, .eval = eval_same, .factors = factors_pointwise_own};
const OpDef op_sdy_all_reduce = {
    .infer = infer_same, .eval = eval_same, .factors = factors_pointwise_own};
const OpDef op_sdy_reduce_scatter = {
    .infer = infer_same, .eval = eval_same, .factors = factors_pointwise_own};
const OpDef op_sdy_replicated_to_unreduced = {
    .infer = infer_same, .eval = eval_same, .factors = factors_pointwise_own};
const OpDef op_sdy_sharded_to_unreduced = {
    .infer = infer_same, .eval = eval_same, .factors = factors_pointwise_own};
const OpDef op_sdy_unreduced_to_replicated = {
    .infer = infer_same, .eval = eval_same, .factors = factors_pointwise_own};
