// composite: a named op whose semantics is its decomposition function.
#include "ops/eval.h"
#include "ops/infer.h"

// A letter, then letters, digits and _; after each dot at least one of these or $.
static bool is_namespaced(Str name) {
  bool dot = false, fresh = true;  // fresh: at the beginning of a component
  for (size_t i = 0; i < name.n; i++) {
    char c = name.s[i];
    bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    bool more = (c >= '0' && c <= '9') || c == '_' || (c == '$' && dot);
    if (c == '.') {
      if (fresh) return false;
      dot = fresh = true;
      continue;
    }
    if (!letter && !(more && i > 0)) return false;
    fresh = false;
  }
  return dot && !fresh;
}

static OpId find_function(const Infer *cx, Name symbol) {
  OpId function = cx->op;
  while (function && !(op_row(op_at(cx->program, function)->code)->traits & TRAIT_FUNCTION))
    function = op_parent(cx->program, function);
  BlockId block = function ? op_at(cx->program, function)->block : 0;
  for (OpId o = block ? block_at(cx->program, block)->first : 0; o; o = op_at(cx->program, o)->next)
    if (op_at(cx->program, o)->code == OP_func_func &&
        attr_as_name(cx->context, op_attr(cx->program, o, "sym_name")) == symbol)
      return o;
  return 0;
}

static bool infer_composite(Infer *cx) {
  Str name = name_str(cx->context, attr_as_name(cx->context, infer_attr(cx, "name")));
  REQUIRE(cx, 1, is_namespaced(name),
          "name is \"%.*s\", expected a letter, then letters, digits and _, with dots between "
          "names, like \"my_dialect.my_op\"",
          (int)name.n, name.s);
  if (!infer_declared(cx)) return false;
  Name symbol = attr_as_name(cx->context, infer_attr(cx, "decomposition"));
  OpId function = find_function(cx, symbol);
  REQUIRE(cx, 2, function, "decomposition is @%s, which is not a function of this module",
          name_text(cx->context, symbol));
  const TypeInfo *type = type_info(
      cx->context, attr_info(cx->context, op_attr(cx->program, function, "function_type"))->type);
  uint32_t n_in = type->n_inputs, n_out = type->n_items - type->n_inputs;
  REQUIRE(cx, 3, n_in == infer_n_operands(cx),
          "has %u operands, but its decomposition @%s takes %u", infer_n_operands(cx),
          name_text(cx->context, symbol), n_in);
  for (uint32_t i = 0; i < n_in; i++)
    REQUIRE(cx, 3, infer_types_same(cx, infer_operand(cx, i), type->items[i]),
            "operand %u is %s, but its decomposition @%s takes %s", i,
            infer_text(cx, infer_operand(cx, i)), name_text(cx->context, symbol),
            infer_text(cx, type->items[i]));
  REQUIRE(cx, 4, n_out == infer_n_results(cx),
          "has %u results, but its decomposition @%s returns %u", infer_n_results(cx),
          name_text(cx->context, symbol), n_out);
  for (uint32_t i = 0; i < n_out; i++)
    REQUIRE(cx, 4, infer_types_same(cx, infer_result(cx, i), type->items[n_in + i]),
            "result %u is %s, but its decomposition @%s returns %s", i,
            infer_text(cx, infer_result(cx, i)), name_text(cx->context, symbol),
            infer_text(cx, type->items[n_in + i]));
  return true;
}

static Status *eval_composite(EvalContext *cx, Literal *const *in, Literal **out) {
  return cx->host->call(cx, attr_as_name(cx->context, eval_attr(cx, "decomposition")), cx->n_in, in,
                        cx->n_out, out);
}

const OpDef op_composite = {
    .infer = infer_composite, .eval = eval_composite, .callee = "decomposition", .constraints = 4};
