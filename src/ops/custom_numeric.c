// Custom calls that are pointwise functions under another name: JAX and XLA carry CHLO ops through
// StableHLO as `mhlo.<op>`. O(elements).
#include "ops/custom_numeric.h"

Status *custom_numeric(EvalContext *cx, Literal *const *in, Literal **out) {
  Str target = name_str(cx->context, attr_as_name(cx->context, eval_attr(cx, "call_target_name")));
  const char *dialects[] = {"chlo", "stablehlo"};
  for (int i = 0; i < 2 && str_starts(target, "mhlo."); i++) {
    const char *name =
        arena_printf(cx->scratch, "%s.%.*s", dialects[i], (int)target.n - 5, target.s + 5);
    uint16_t code = op_lookup(str_of(name));
    const OpRow *row = op_row(code);
    if (!row->def || !row->def->lanes || (uint32_t)row->operands != cx->n_in || cx->n_out != 1)
      continue;
    Type type = eval_result_type(cx, 0);
    for (uint32_t k = 0; k < cx->n_in; k++)
      if (!literal_matches(cx->context, in[k], type))
        FAIL(INVALID_ARGUMENT, "operand %u and the result differ in type, expected equal types", k);
    return eval_op(cx, code, 0, cx->n_in, in, 1, &type, out);
  }
  FAIL(UNIMPLEMENTED, "custom call @%.*s is not a pointwise function of %u operands", (int)target.n,
       target.s, cx->n_in);
}
