// Helpers of eval columns, and eval_op: runs an op on literals, with given attributes and result
// types, without an op in the program. All O(1) except the op itself.
#include "ops/eval.h"

Attr eval_attr(const EvalContext *cx, const char *name) {
  return attr_get(cx->context, cx->attrs, name);
}

Ints eval_ints(EvalContext *cx, const char *name) {
  return attr_as_ints(cx->context, eval_attr(cx, name));
}

int64_t eval_int(const EvalContext *cx, const char *name, int64_t otherwise) {
  return attr_as_int(cx->context, eval_attr(cx, name), otherwise);
}

bool eval_bool(const EvalContext *cx, const char *name, bool otherwise) {
  return attr_as_bool(cx->context, eval_attr(cx, name), otherwise);
}

Type eval_result_type(const EvalContext *cx, uint32_t i) {
  return cx->result_types ? cx->result_types[i] : op_result_type(cx->program, cx->op, i);
}

Literal *eval_new_result(EvalContext *cx, uint32_t i) {
  return literal_new_typed(cx->heap, cx->context, eval_result_type(cx, i));
}

bool eval_empty(EvalContext *cx, Literal **out) {
  const OpRow *row = op_row(cx->code);
  if (!(row->traits & TRAIT_PURE) || row->def->flow != FLOW_NONE || !cx->n_out) return false;
  for (uint32_t i = 0; i < cx->n_out; i++) {
    int64_t count;
    if (!type_count(cx->context, eval_result_type(cx, i), &count) || count) return false;
  }
  for (uint32_t i = 0; i < cx->n_out; i++) out[i] = eval_new_result(cx, i);
  return true;
}

Status *eval_op(EvalContext *cx, uint16_t code, Attr attrs, uint32_t n_in, Literal *const *in,
                uint32_t n_out, const Type *result_types, Literal **out) {
  const OpRow *row = op_row(code);
  if (!row->def || !row->def->eval)
    FAIL(UNIMPLEMENTED, "'%s' cannot be evaluated: the op table has no evaluation for it",
         row->name);
  EvalContext inner = *cx;
  inner.attrs = attrs;
  inner.n_in = n_in;
  inner.n_out = n_out;
  inner.result_types = result_types;
  inner.code = code;
  inner.stand_in = true;
  if (eval_empty(&inner, out)) return NULL;
  return row->def->eval(&inner, in, out);
}
