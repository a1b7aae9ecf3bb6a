// while: runs its body on the loop carry while the condition holds. Values of one iteration are
// released before the next, so a loop needs no more memory than one iteration.
#include "ops/eval.h"
#include "ops/infer.h"
#include "ops/sample.h"

static bool infer_while(Infer *cx) {
  uint32_t n = infer_n_operands(cx);
  static const int constraint[2] = {1, 2};
  static const char *const name[2] = {"cond", "body"};
  for (uint32_t r = 0; r < 2; r++) {
    REQUIRE(cx, constraint[r], infer_region_n_args(cx, r) == n,
            "%s takes %u arguments, expected %u, one per operand", name[r],
            infer_region_n_args(cx, r), n);
    for (uint32_t i = 0; i < n; i++)
      REQUIRE(cx, constraint[r],
              infer_types_same(cx, infer_region_arg(cx, r, i), infer_operand(cx, i)),
              "argument %u of %s is %s, expected the type of the operand, %s", i, name[r],
              infer_text(cx, infer_region_arg(cx, r, i)), infer_text(cx, infer_operand(cx, i)));
  }
  Type predicate = infer_region_n_returned(cx, 0) == 1 ? infer_region_returned(cx, 0, 0) : 0;
  const TypeInfo *info = type_info(cx->context, predicate);
  REQUIRE(cx, 1, info->kind == TYPE_TENSOR && info->rank == 0 && info->elem == (Type)DT_i1,
          "cond returns %s, expected tensor<i1>",
          predicate ? infer_text(cx, predicate) : "no single value");
  REQUIRE(cx, 2, infer_region_n_returned(cx, 1) == n,
          "body returns %u values, expected %u, one per operand", infer_region_n_returned(cx, 1),
          n);
  for (uint32_t i = 0; i < n; i++)
    REQUIRE(cx, 2, infer_types_same(cx, infer_region_returned(cx, 1, i), infer_operand(cx, i)),
            "body returns %s as value %u, expected %s as in the operands",
            infer_text(cx, infer_region_returned(cx, 1, i)), i,
            infer_text(cx, infer_operand(cx, i)));
  REQUIRE(cx, 3, infer_n_results(cx) == n, "has %u results, expected %u, one per operand",
          infer_n_results(cx), n);
  for (uint32_t i = 0; i < n; i++) {
    Type declared = infer_result(cx, i);
    cx->out[i] = declared ? declared : infer_operand(cx, i);
    REQUIRE(cx, 3, infer_types_same(cx, cx->out[i], infer_operand(cx, i)),
            "result %u is %s, expected the type of the operand, %s", i, infer_text(cx, declared),
            infer_text(cx, infer_operand(cx, i)));
  }
  return true;
}

static Status *eval_while(EvalContext *cx, Literal *const *in, Literal **out) {
  RegionId cond = op_region(cx->program, cx->op, 0), body = op_region(cx->program, cx->op, 1);
  uint32_t n = cx->n_in;
  Literal **next = ARENA_ARRAY(cx->scratch, Literal *, n ? n : 1);
  for (uint32_t i = 0; i < n; i++) out[i] = literal_retain(in[i]);
  for (;;) {
    Literal *predicate;
    TRY(cx->host->run_region(cx, cond, n, out, 1, &predicate));
    bool go_on = literal_get(predicate, 0).i != 0;
    literal_release(predicate);
    if (!go_on) return NULL;
    TRY(cx->host->run_region(cx, body, n, out, n, next));
    for (uint32_t i = 0; i < n; i++) {
      literal_release(out[i]);
      out[i] = next[i];
    }
  }
}

// Counts a carried i32 up to a limit and doubles (or keeps) a carried tensor.
static OpId sample_while(Sample *cx) {
  Program *p = cx->program;
  Type counter = type_tensor(cx->context, DT_i32, 0, NULL, 0);
  int64_t dims[3];
  uint32_t rank = sample_shape(cx, 3, dims);
  Type carried = type_tensor(cx->context, type_scalar(sample_dtype(cx, "suf")), rank, dims, 0);
  ValueId operands[2] = {sample_constant_i(cx, counter, -2, 5), sample_value(cx, carried)};
  Type types[2] = {counter, carried};
  OpId op = sample_op(cx, OP_while, 0, 2, operands, 2, types, 2);
  BlockId outside = cx->block;
  for (uint32_t r = 0; r < 2; r++) {
    BlockId block = region_add_block(p, op_region(p, op, r));
    block_add_arg(p, block, counter, 0);
    block_add_arg(p, block, carried, 0);
    cx->block = block;
    ValueId values[2] = {block_arg(p, block, 0),
                         sample_constant_i(cx, counter, r ? 1 : 4, r ? 1 : 4)};
    ValueId results[2];
    if (r == 0) {
      NamedAttr direction = {name_of(cx->context, "comparison_direction"),
                             attr_enum(cx->context, "stablehlo.comparison_direction", "LT")};
      OpId less =
          sample_op(cx, OP_compare, attr_dict(cx->context, 1, &direction), 2, values, 1, NULL, 0);
      results[0] = op_result(p, less, 0);
    } else {
      ValueId twice[2] = {block_arg(p, block, 1), block_arg(p, block, 1)};
      results[0] = op_result(p, sample_op(cx, OP_add, 0, 2, values, 1, NULL, 0), 0);
      results[1] = op_result(p, sample_op(cx, OP_add, 0, 2, twice, 1, NULL, 0), 0);
    }
    OpSpec end = {.code = OP_return, .n_operands = r + 1, .operands = results, .pos = POS_NONE};
    op_append(p, block, op_create(p, &end));
  }
  cx->block = outside;
  sample_infer(cx, op);
  return op;
}

const OpDef op_while = {.flow = FLOW_LOOP,
                        .infer = infer_while,
                        .eval = eval_while,
                        .sample = sample_while,
                        .constraints = 3};
