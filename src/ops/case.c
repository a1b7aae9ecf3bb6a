// case and if: one of several regions runs and returns the results. An index out of range takes the
// last branch.
#include "ops/eval.h"
#include "ops/infer.h"
#include "ops/sample.h"

// Branches have no arguments and return the types of the results.
static bool infer_branches(Infer *cx, int no_inputs, int same_outputs, int results) {
  uint32_t n_regions = op_at(cx->program, cx->op)->n_regions, n = infer_region_n_returned(cx, 0);
  for (uint32_t r = 0; r < n_regions; r++)
    REQUIRE(cx, no_inputs, infer_region_n_args(cx, r) == 0,
            "branch %u takes %u arguments, expected none", r, infer_region_n_args(cx, r));
  for (uint32_t r = 1; r < n_regions; r++) {
    REQUIRE(cx, same_outputs, infer_region_n_returned(cx, r) == n,
            "branch %u returns %u values, expected %u as branch 0 returns", r,
            infer_region_n_returned(cx, r), n);
    for (uint32_t i = 0; i < n; i++)
      REQUIRE(
          cx, same_outputs,
          infer_types_same(cx, infer_region_returned(cx, r, i), infer_region_returned(cx, 0, i)),
          "branch %u returns %s as value %u, expected %s as branch 0 returns", r,
          infer_text(cx, infer_region_returned(cx, r, i)), i,
          infer_text(cx, infer_region_returned(cx, 0, i)));
  }
  REQUIRE(cx, results, infer_n_results(cx) == n,
          "has %u results, expected %u as its branches return", infer_n_results(cx), n);
  for (uint32_t i = 0; i < n; i++) {
    Type declared = infer_result(cx, i);
    cx->out[i] = declared ? declared : infer_region_returned(cx, 0, i);
    REQUIRE(cx, results, infer_types_same(cx, cx->out[i], infer_region_returned(cx, 0, i)),
            "result %u is %s, expected %s as its branches return", i, infer_text(cx, declared),
            infer_text(cx, infer_region_returned(cx, 0, i)));
  }
  return true;
}

static bool is_scalar_of(const Infer *cx, DType dtype) {
  const TypeInfo *info = infer_operand_info(cx, 0);
  return info->kind == TYPE_TENSOR && info->rank == 0 && info->elem == (Type)dtype;
}

static bool infer_case(Infer *cx) {
  REQUIRE(cx, 0, is_scalar_of(cx, DT_i32), "index is %s, expected tensor<i32>",
          infer_text(cx, infer_operand(cx, 0)));
  REQUIRE(cx, 1, op_at(cx->program, cx->op)->n_regions > 0,
          "has no branches, expected at least one");
  return infer_branches(cx, 2, 3, 4);
}

static Status *eval_case(EvalContext *cx, Literal *const *in, Literal **out) {
  int64_t index = literal_get(in[0], 0).i, n = op_at(cx->program, cx->op)->n_regions;
  if (index < 0 || index >= n) index = n - 1;
  return cx->host->run_region(cx, op_region(cx->program, cx->op, (uint32_t)index), 0, NULL,
                              cx->n_out, out);
}

static bool infer_if(Infer *cx) {
  const TypeInfo *info = infer_operand_info(cx, 0);
  bool dynamic = info->kind == TYPE_UNRANKED && info->elem == (Type)DT_i1;
  REQUIRE(cx, 0, dynamic || is_scalar_of(cx, DT_i1), "pred is %s, expected tensor<i1>",
          infer_text(cx, infer_operand(cx, 0)));
  return infer_branches(cx, 1, 2, 3);
}

static Status *eval_if(EvalContext *cx, Literal *const *in, Literal **out) {
  uint32_t branch = literal_get(in[0], 0).i != 0 ? 0 : 1;
  return cx->host->run_region(cx, op_region(cx->program, cx->op, branch), 0, NULL, cx->n_out, out);
}

// Every branch returns one of several values from outside, all of one type.
static OpId sample_branches(Sample *cx, uint16_t code, ValueId choice, uint32_t n) {
  Program *p = cx->program;
  Type type;
  int64_t dims[3];
  uint32_t rank = sample_shape(cx, 3, dims);
  type = type_tensor(cx->context, type_scalar(sample_dtype(cx, "bsufc")), rank, dims, 0);
  OpId op = sample_op(cx, code, 0, 1, &choice, 1, &type, n);
  for (uint32_t r = 0; r < n; r++) {
    BlockId block = region_add_block(p, op_region(p, op, r)), outside = cx->block;
    cx->block = block;
    ValueId value = sample_value(cx, type);
    cx->block = outside;
    OpSpec end = {.code = OP_return, .n_operands = 1, .operands = &value, .pos = POS_NONE};
    op_append(p, block, op_create(p, &end));
  }
  sample_infer(cx, op);
  return op;
}

static OpId sample_case(Sample *cx) {
  ValueId index = sample_constant_i(cx, type_tensor(cx->context, DT_i32, 0, NULL, 0), -1, 4);
  return sample_branches(cx, OP_case, index, (uint32_t)sample_int(cx, 1, 4));
}

static OpId sample_if(Sample *cx) {
  ValueId predicate = sample_constant_i(cx, type_tensor(cx->context, DT_i1, 0, NULL, 0), 0, 1);
  return sample_branches(cx, OP_if, predicate, 2);
}

const OpDef op_case = {.flow = FLOW_BRANCH,
                       .infer = infer_case,
                       .eval = eval_case,
                       .sample = sample_case,
                       .constraints = 4};
const OpDef op_if = {
    .flow = FLOW_BRANCH, .infer = infer_if, .eval = eval_if, .sample = sample_if, .constraints = 3};
