// Problem: give values memory only while they are live, without reference counts per use.
// Idea: one walk numbers the values of each function. A second walk finds, for each value, the last
// op in the value's own block that uses it, directly or inside its regions; the value is released
// after that op.
//
//   %0 = ...                   released after the while (captured by its body)
//   while { %1 = f(%0); ... }  %1 is released in every iteration
//
// Cost: O(ops + values + uses · nesting).
#include "evaluate/slots.h"

#include "ops/op.h"

static void number_values(const Program *p, uint32_t *slot, uint32_t *n_slots) {
  OpId function = 0;
  for (OpId o = p->root; o; o = op_walk_next(p, o, p->root)) {
    const Op *op = op_at(p, o);
    // Functions do not nest, so the latest one contains the op.
    if (op_row(op->code)->traits & TRAIT_FUNCTION) function = o;
    if (!function) continue;
    for (uint32_t i = 0; i < op->n_results; i++) slot[op->results + i] = n_slots[function]++;
    for (uint32_t r = 0; r < op->n_regions; r++)
      for (BlockId b = region_at(p, op->regions + r)->first; b; b = block_at(p, b)->next)
        for (uint32_t i = 0; i < block_at(p, b)->n_args; i++)
          slot[block_at(p, b)->args + i] = n_slots[function]++;
  }
}

static BlockId defining_block(const Program *p, ValueId v) {
  const Value *value = value_at(p, v);
  return value->is_arg ? value->def : op_at(p, value->def)->block;
}

static const bool *find_dynamic(const Program *p, Arena *arena) {
  bool *dynamic = ARENA_ARRAY(arena, bool, p->ops.count);
  for (OpId o = p->root; o; o = op_walk_next(p, o, p->root))
    for (uint32_t i = 0; i < op_at(p, o)->n_operands; i++)
      dynamic[o] |= !type_is_static(p->context, op_operand_type(p, o, i));
  return dynamic;
}

void eval_slots_init(EvalSlots *slots, const Program *p, Arena *arena) {
  uint32_t n_ops = p->ops.count, n_values = p->values.count;
  uint32_t *slot = ARENA_ARRAY(arena, uint32_t, n_values);
  uint32_t *n_slots = ARENA_ARRAY(arena, uint32_t, n_ops);
  OpId *last = ARENA_ARRAY(arena, OpId, n_values);
  number_values(p, slot, n_slots);
  // In program order, the last write is the last use. An unused result is released after its op.
  for (OpId o = p->root; o; o = op_walk_next(p, o, p->root)) {
    const Op *op = op_at(p, o);
    for (uint32_t i = 0; i < op->n_results; i++)
      if (!last[op->results + i]) last[op->results + i] = o;
    for (uint32_t i = 0; i < op->n_operands; i++) {
      ValueId v = op_operand(p, o, i);
      BlockId home = defining_block(p, v);
      OpId user = o;
      while (user && op_at(p, user)->block != home) user = op_parent(p, user);
      if (user) last[v] = user;
    }
  }
  uint32_t *first = ARENA_ARRAY(arena, uint32_t, (size_t)n_ops + 1);
  uint32_t total = 0;
  for (ValueId v = 1; v < n_values; v++)
    if (last[v]) first[last[v]]++, total++;
  uint32_t at = 0;
  for (uint32_t o = 0; o <= n_ops; o++) {
    uint32_t n = first[o];
    first[o] = at;
    at += n;
  }
  ValueId *releases = ARENA_ARRAY(arena, ValueId, total ? total : 1);
  for (ValueId v = 1; v < n_values; v++)
    if (last[v]) releases[first[last[v]]++] = v;
  // The fill advanced each start to its end, which is the next start: shift back by one.
  for (uint32_t o = n_ops; o > 0; o--) first[o] = first[o - 1];
  first[0] = 0;
  *slots = (EvalSlots){slot, n_slots, first, releases, find_dynamic(p, arena)};
}
