// while: runs its body on the values it carries as long as its condition holds. Values of one
// iteration are released before the next, so a loop takes no more memory than one iteration.
#include "ops/eval.h"
#include "ops/infer.h"

static bool infer_while(Infer *cx) {
  uint32_t n = infer_n_operands(cx);
  static const int constraint[2] = {1, 2};
  static const char *const name[2] = {"cond", "body"};
  for (uint32_t r = 0; r < 2; r++) {
    REQUIRE(cx, constraint[r], infer_region_n_args(cx, r) == n,
            "%s takes %u arguments, expected %u", name[r], infer_region_n_args(cx, r), n);
    for (uint32_t i = 0; i < n; i++)
      REQUIRE(cx, constraint[r],
              infer_types_compatible(cx, infer_region_arg(cx, r, i), infer_operand(cx, i)),
              "argument %u of %s is %s, expected %s", i, name[r],
              infer_text(cx, infer_region_arg(cx, r, i)), infer_text(cx, infer_operand(cx, i)));
  }
  Type predicate = infer_region_n_returned(cx, 0) == 1 ? infer_region_returned(cx, 0, 0) : 0;
  const TypeInfo *info = type_info(cx->context, predicate);
  REQUIRE(cx, 1, info->kind == TYPE_TENSOR && info->rank == 0 && info->elem == (Type)DT_i1,
          "cond gives %s, expected tensor<i1>",
          predicate ? infer_text(cx, predicate) : "no single value");
  REQUIRE(cx, 2, infer_region_n_returned(cx, 1) == n, "body gives %u values, expected %u",
          infer_region_n_returned(cx, 1), n);
  for (uint32_t i = 0; i < n; i++)
    REQUIRE(
        cx, 2, infer_types_compatible(cx, infer_region_returned(cx, 1, i), infer_operand(cx, i)),
        "body gives %s as value %u, expected %s", infer_text(cx, infer_region_returned(cx, 1, i)),
        i, infer_text(cx, infer_operand(cx, i)));
  REQUIRE(cx, 3, infer_n_results(cx) == n, "has %u results, expected %u", infer_n_results(cx), n);
  for (uint32_t i = 0; i < n; i++) {
    Type declared = infer_result(cx, i);
    cx->out[i] = declared ? declared : infer_operand(cx, i);
    REQUIRE(cx, 3, infer_types_compatible(cx, cx->out[i], infer_operand(cx, i)),
            "result %u is %s, expected %s", i, infer_text(cx, declared),
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

const OpDef op_while = {.infer = infer_while, .eval = eval_while, .constraints = 3};
