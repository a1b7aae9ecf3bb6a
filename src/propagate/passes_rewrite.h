// Small steps that the passes share.
#ifndef TESSERA_PROPAGATE_PASSES_REWRITE_H
#define TESSERA_PROPAGATE_PASSES_REWRITE_H

#include "ir/program.h"
#include "ops/functions.h"
#include "ops/op.h"

static inline void op_prepend(Program *p, BlockId block, OpId op) {
  if (block_at(p, block)->first)
    op_insert_before(p, op, block_at(p, block)->first);
  else
    op_append(p, block, op);
}

// Right behind the op that defines v, or at the start of the block whose argument it is.
static inline void op_insert_behind(Program *p, OpId op, ValueId v) {
  if (value_at(p, v)->is_arg)
    op_prepend(p, value_at(p, v)->def, op);
  else
    op_insert_after(p, op, value_at(p, v)->def);
}

static inline void value_replace_uses_except(Program *p, ValueId from, ValueId to, OpId except) {
  for (OperandId use = value_at(p, from)->first_use, next; use; use = next) {
    next = operand_at(p, use)->next_use;
    if (operand_at(p, use)->user != except) operand_set(p, use, to);
  }
}

// A new op with one operand v and one result of its type, detached; `from` is where it comes from.
static inline OpId op_create_identity(Program *p, uint16_t code, ValueId v, Attr attrs, OpId from) {
  Type type = value_type(p, v);
  return op_create(p, &(OpSpec){.code = code,
                                .n_operands = 1,
                                .operands = &v,
                                .n_results = 1,
                                .result_types = &type,
                                .attrs = attrs,
                                .loc = op_at(p, from)->loc,
                                .pos = op_at(p, from)->pos,
                                .origin = op_at(p, from)->origin ? op_at(p, from)->origin : from});
}

static inline void op_replace_by_operand(Program *p, OpId op) {
  value_replace_uses(p, op_result(p, op, 0), op_operand(p, op, 0));
  op_erase(p, op);
}

// The op that owns a value: its definition, or the op whose region's argument it is.
static inline OpId value_owner(const Program *p, ValueId v) {
  return value_at(p, v)->is_arg ? region_at(p, block_at(p, value_at(p, v)->def)->region)->op
                                : value_at(p, v)->def;
}

// The function that nothing calls: `main`, or the only one; 0 if there are several.
static inline OpId program_main(const Program *p) {
  OpId only = 0, main_op = 0;
  uint32_t n = 0;
  BlockId module = region_block(p, op_region(p, p->root, 0));
  for (OpId o = module ? block_at(p, module)->first : 0; o; o = op_at(p, o)->next) {
    if (!op_is_function(p, o)) continue;
    n++, only = o;
    Name name = attr_as_name(p->context, op_attr(p, o, "sym_name"));
    if (str_is(name_str(p->context, name), "main")) main_op = o;
  }
  return main_op ? main_op : n == 1 ? only : 0;
}

#endif
