// Problem: some consumers refuse collectives of several operands: JAX inside manual axes ("Sharding
// is tuple-shaped").
//
// Idea: one collective per operand, at the same position and in the same order. StableHLO applies
// the body to each operand separately, so no value changes. O(ops + operands).
#include "optimize/facts.h"
#include "optimize/pass.h"

// The location of operand i, if each operand has its own (bucket.c writes them so).
static Attr loc_of(const Optimizer *o, OpId op, uint32_t i) {
  Attr loc = op_at(o->p, op)->loc;
  const AttrInfo *info = attr_info(o->context, loc);
  bool each =
      loc && info->kind == ATTR_LOC_FUSED && !info->i && info->count == op_at(o->p, op)->n_operands;
  return each ? info->items[i] : loc;
}

// map: copies of values inside the body; each call overwrites it.
static void copy_body(Program *p, OpId from, OpId to, ValueId *map, uint32_t n_values) {
  BlockId body = region_block(p, op_region(p, from, 0)),
          copy = region_add_block(p, op_region(p, to, 0));
  for (uint32_t i = 0; i < block_at(p, body)->n_args; i++) {
    ValueId arg = block_arg(p, body, i);
    map[arg] = block_add_arg(p, copy, value_type(p, arg), value_at(p, arg)->loc);
  }
  for (OpId op = block_at(p, body)->first; op; op = op_at(p, op)->next)
    op_append(p, copy, op_clone(p, op, map, n_values));
}

static void split(Optimizer *o, OpId op, ValueId *map, uint32_t n_values) {
  Program *p = o->p;
  for (uint32_t i = 0; i < op_at(p, op)->n_operands; i++) {
    Builder b = build_before(p, op);
    b.loc = loc_of(o, op, i);
    ValueId operand = op_operand(p, op, i), result = op_result(p, op, i);
    Type type = value_type(p, result);
    OpId one = build_op_many(&b, op_at(p, op)->code, 1, &operand, 1, &type, op_at(p, op)->n_regions,
                             op_at(p, op)->attrs);
    if (op_at(p, op)->n_regions) copy_body(p, op, one, map, n_values);
    value_replace_uses(p, result, op_result(p, one, 0));
  }
  op_erase(p, op);
}

uint32_t pass_single(Optimizer *o) {
  Program *p = o->p;
  uint32_t n_values = p->values.count, changes = 0;
  ValueId *map = ARENA_ARRAY(&o->scratch, ValueId, n_values + 1);
  for (OpId op = p->root, next; op; op = next) {
    next = op_walk_next(p, op, p->root);
    const Op *at = op_at(p, op);
    if (!fact_is_collective(p, op) || at->n_operands < 2 || at->n_operands != at->n_results)
      continue;
    next = op_walk_over(p, op, p->root);
    split(o, op, map, n_values);
    changes++;
  }
  return changes;
}
