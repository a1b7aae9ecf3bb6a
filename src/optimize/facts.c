// Computed from the op table and the program on each call; nothing is cached.
#include "optimize/facts.h"

#include <math.h>

#include "cost/collectives.h"

bool fact_is_collective(const Program *p, OpId op) {
  return collective_row(op_at(p, op)->code) != NULL;
}

bool fact_is_flow(const Program *p, OpId op) {
  const OpDef *def = op_row(op_at(p, op)->code)->def;
  return def && (def->flow == FLOW_LOOP || def->flow == FLOW_BRANCH);
}

// No side effect by itself. custom_call counts unless it declares effects or is a runtime check.
static bool has_no_effect(const Program *p, OpId op) {
  if (op_traits(p, op) & (TRAIT_PURE | TRAIT_TERMINATOR)) return true;
  uint16_t code = op_at(p, op)->code;
  return fact_is_collective(p, op) || fact_is_flow(p, op) || code == OP_optimization_barrier ||
         (code == OP_custom_call && !op_has_effects(p, op) && !op_is_check(p, op));
}

bool fact_is_pure(const Program *p, OpId op) {
  if (!(op_traits(p, op) & TRAIT_PURE)) return false;
  for (OpId in = op_walk_next(p, op, op); in; in = op_walk_next(p, in, op))
    if (!(op_traits(p, in) & (TRAIT_PURE | TRAIT_TERMINATOR))) return false;
  return true;
}

bool fact_can_drop(const Program *p, OpId op) {
  if (op_traits(p, op) & TRAIT_TERMINATOR) return false;
  for (OpId in = op; in; in = op_walk_next(p, in, op))
    if (!has_no_effect(p, in)) return false;
  return true;
}

double fact_type_bytes(const Context *context, Type type) {
  int64_t count;
  if (!type_count(context, type, &count)) return 0;
  return (double)count * dtype_bytes(type_dtype(context, type));
}

double fact_bytes(const Program *p, ValueId value) {
  return fact_type_bytes(p->context, value_type(p, value));
}

double fact_result_bytes(const Program *p, OpId op) {
  double bytes = 0;
  for (uint32_t i = 0; i < op_at(p, op)->n_results; i++)
    bytes += fact_bytes(p, op_result(p, op, i));
  return bytes;
}

double fact_operand_bytes(const Program *p, OpId op) {
  double bytes = 0;
  for (uint32_t i = 0; i < op_at(p, op)->n_operands; i++)
    bytes += fact_bytes(p, op_operand(p, op, i));
  return bytes;
}

bool fact_is_index(const Program *p, ValueId value) {
  const TypeInfo *info = type_info(p->context, value_type(p, value));
  if (info->kind != TYPE_TENSOR || info->rank) return false;
  const TypeInfo *elem = type_info(p->context, info->elem);
  return elem->kind == TYPE_SCALAR && !dtype_is_float(elem->dtype) &&
         !dtype_is_complex(elem->dtype);
}

Attr fact_constant(const Program *p, ValueId value) {
  OpId op = fact_def(p, value, OP_constant);
  Attr attr = op ? op_attr(p, op, "value") : 0;
  return attr_info(p->context, attr)->kind == ATTR_DENSE ? attr : 0;
}

OpId fact_def(const Program *p, ValueId value, uint16_t code) {
  OpId op = value_def(p, value);
  return op && op_at(p, op)->code == code ? op : 0;
}

bool fact_used_once(const Program *p, ValueId value) {
  OperandId use = value_at(p, value)->first_use;
  return use && !operand_at(p, use)->next_use;
}

OpId fact_in_block(const Program *p, OpId op, BlockId block) {
  while (op && op_at(p, op)->block != block) op = op_parent(p, op);
  return op;
}

bool fact_is_outside(const Program *p, ValueId value, OpId op) {
  const Value *v = value_at(p, value);
  OpId at = v->is_arg ? region_at(p, block_at(p, v->def)->region)->op : op_parent(p, v->def);
  for (; at; at = op_parent(p, at))
    if (at == op) return false;
  return true;
}
