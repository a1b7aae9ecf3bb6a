// The sdy dialect on one device: shardings annotate and change no value, and so do ops that move
// its parts between devices.
#include "ops/eval.h"
#include "ops/factors.h"
#include "ops/infer.h"

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
    REQUIRE(cx, 0, size > 0, "axis \"%s\" has size %lld, expected above 0",
            name_text(cx->context, name), (long long)size);
    for (uint32_t k = 0; k < i; k++)
      REQUIRE(cx, 0,
              attr_as_name(cx->context, attr_get(cx->context, axes->items[k], "name")) != name,
              "has two axes named \"%s\"", name_text(cx->context, name));
  }
  return true;
}

// Bodies take the operands and give the results; those of a named computation with the same types.
static bool infer_named(Infer *cx) {
  uint32_t n = infer_n_operands(cx), n_out = infer_region_n_returned(cx, 0);
  REQUIRE(cx, 0, infer_region_n_args(cx, 0) == n, "body takes %u arguments, expected %u",
          infer_region_n_args(cx, 0), n);
  for (uint32_t i = 0; i < n; i++)
    REQUIRE(cx, 0, infer_region_arg(cx, 0, i) == infer_operand(cx, i),
            "argument %u of the body is %s, expected %s", i,
            infer_text(cx, infer_region_arg(cx, 0, i)), infer_text(cx, infer_operand(cx, i)));
  REQUIRE(cx, 0, infer_n_results(cx) == n_out, "has %u results, its body gives %u",
          infer_n_results(cx), n_out);
  for (uint32_t i = 0; i < n_out; i++) {
    cx->out[i] = infer_region_returned(cx, 0, i);
    REQUIRE(cx, 0, !infer_result(cx, i) || infer_result(cx, i) == cx->out[i],
            "result %u is %s, its body gives %s", i, infer_text(cx, infer_result(cx, i)),
            infer_text(cx, cx->out[i]));
  }
  return true;
}

static bool infer_manual(Infer *cx) {
  REQUIRE(cx, 0, infer_region_n_args(cx, 0) == infer_n_operands(cx),
          "body takes %u arguments, expected %u", infer_region_n_args(cx, 0), infer_n_operands(cx));
  REQUIRE(cx, 0, infer_region_n_returned(cx, 0) == infer_n_results(cx),
          "has %u results, its body gives %u", infer_n_results(cx), infer_region_n_returned(cx, 0));
  return infer_declared(cx);
}

static Status *eval_body(EvalContext *cx, Literal *const *in, Literal **out) {
  return cx->host->run_region(cx, op_region(cx->program, cx->op, 0), cx->n_in, in, cx->n_out, out);
}

static bool shapes_differ(const EvalContext *cx, Type a, Type b) {
  const TypeInfo *ia = type_info(cx->context, a), *ib = type_info(cx->context, b);
  if (ia->kind != TYPE_TENSOR || ib->kind != TYPE_TENSOR) return false;
  bool differ = ia->rank != ib->rank;
  for (uint32_t d = 0; !differ && d < ia->rank; d++) differ = ia->dims[d] != ib->dims[d];
  return differ;
}

// The size of an axis in the mesh a sharding names; 0 if there is no such mesh or axis.
static int64_t axis_size(const EvalContext *cx, Attr sharding, Name axis) {
  const Program *p = cx->program;
  Attr mesh = attr_get(cx->context, sharding, "mesh");
  if (attr_info(cx->context, mesh)->kind == ATTR_SYMBOL) {
    Name name = attr_as_name(cx->context, mesh);
    mesh = 0;
    for (OpId o = p->root; o && !mesh; o = op_walk_next(p, o, p->root))
      if (op_at(p, o)->code == OP_sdy_mesh &&
          attr_as_name(cx->context, op_attr(p, o, "sym_name")) == name)
        mesh = op_attr(p, o, "mesh");
  }
  const AttrInfo *axes = attr_info(cx->context, attr_get(cx->context, mesh, "axes"));
  for (uint32_t i = 0; i < axes->count; i++)
    if (attr_as_name(cx->context, attr_get(cx->context, axes->items[i], "name")) == axis)
      return attr_as_int(cx->context, attr_get(cx->context, axes->items[i], "size"), 0);
  return 0;
}

// With manual axes of size 1 the body is the computation; otherwise it is one device's part of it.
static Status *eval_manual(EvalContext *cx, Literal *const *in, Literal **out) {
  const Program *p = cx->program;
  BlockId block = region_block(p, op_region(p, cx->op, 0));
  const AttrInfo *axes =
      attr_info(cx->context, attr_get(cx->context, eval_attr(cx, "manual_axes"), "axes"));
  const AttrInfo *lists[2] = {
      attr_info(cx->context, attr_get(cx->context, eval_attr(cx, "in_shardings"), "shardings")),
      attr_info(cx->context, attr_get(cx->context, eval_attr(cx, "out_shardings"), "shardings"))};
  for (uint32_t i = 0; i < axes->count; i++) {
    Name axis = attr_as_name(cx->context, axes->items[i]);
    for (int k = 0; k < 2; k++)
      for (uint32_t s = 0; s < lists[k]->count; s++) {
        int64_t size = axis_size(cx, lists[k]->items[s], axis);
        if (size > 1)
          FAIL(UNIMPLEMENTED,
               "is manual over axis \"%s\" of %lld devices; the program must be partitioned before "
               "it is run, which this version cannot do yet",
               name_text(cx->context, axis), (long long)size);
      }
  }
  for (uint32_t i = 0; i < cx->n_in; i++)
    if (shapes_differ(cx, value_type(p, block_arg(p, block, i)), op_operand_type(p, cx->op, i)))
      FAIL(UNIMPLEMENTED,
           "runs on shards of its operands; the program must be partitioned before it is run");
  return eval_body(cx, in, out);
}

const OpDef op_sdy_mesh = {.infer = infer_mesh};
const OpDef op_sdy_sharding_constraint = {
    .infer = infer_same, .eval = eval_same, .factors = factors_pointwise};
const OpDef op_sdy_reshard = {
    .infer = infer_same, .eval = eval_same, .factors = factors_pointwise_own};
const OpDef op_sdy_manual_computation = {
    .flow = FLOW_BODY, .infer = infer_manual, .eval = eval_manual};
const OpDef op_sdy_named_computation = {.flow = FLOW_BODY, .infer = infer_named, .eval = eval_body};
const OpDef op_sdy_sharding_group = {.infer = infer_nothing, .eval = eval_nothing};
const OpDef op_sdy_propagation_barrier = {.infer = infer_same, .eval = eval_same};
const OpDef op_sdy_data_flow_edge = {.infer = infer_same, .eval = eval_same};
const OpDef op_sdy_func_data_flow_edge = {.infer = infer_same, .eval = eval_same};
const OpDef op_sdy_return = {.infer = infer_nothing};
const OpDef op_sdy_constant = {
    .infer = infer_constant, .eval = eval_constant, .factors = factors_constant};
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
