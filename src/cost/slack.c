// Problem: a program's serial cost counts collectives that overlap with compute. How much of one
// overlaps depends on what it waits for and on what waits for it.
//
// Idea: two walks. Forwards: a value is early if it is an argument of the entry, or is made of one
// early value by moves, casts and collectives; then its collective may start at once. Backwards: a
// value is late if no contraction reads it, nor anything that is made of it; then only the end of
// the program waits for its collective. Inside of a body the same holds for one iteration: what the
// body returns is read by the next one, so it is not late.
//
// Invariant: reshards are moves, so that partitioning a program keeps the classes of its values.
// Cost: O(program).
#include "cost/slack.h"

#include "ops/op.h"
#include "ops/work.h"

// Whether result i is operand i in another form.
static bool is_move(const Program *p, OpId op) {
  const Op *o = op_at(p, op);
  uint32_t traits = op_row(o->code)->traits;
  if (traits & TRAIT_COLLECTIVE || op_keeps_buffer(p, op)) return true;
  return o->n_operands >= 1 && o->n_results == 1 && !o->n_regions &&
         (traits & (TRAIT_PASSES | TRAIT_MOVES) ||
          (o->n_operands == 1 && traits & TRAIT_ELEMENTWISE));
}

// Marks the arguments of the entry, and carries that a loop does not change.
static void mark_given(const Program *p, OpId op, bool *early) {
  bool entry = op_parent(p, op) == p->root, loop = op_flow(p, op) == FLOW_LOOP;
  for (uint32_t r = 0; r < op_at(p, op)->n_regions && (entry || loop); r++) {
    BlockId block = region_block(p, op_region(p, op, r));
    OpId end = block ? block_at(p, block)->last : 0;
    for (uint32_t i = 0; block && i < block_at(p, block)->n_args; i++) {
      ValueId v = block_arg(p, block, i);
      early[v] = entry || (end && i < op_at(p, end)->n_operands && op_operand(p, end, i) == v);
    }
  }
}

// Marks what contractions need: operands of contractions, of control flow and of terminators
// inside it, and what those are made of.
static void mark_needed(const Program *p, const OpId *order, uint32_t n, bool *needed) {
  while (n-- > 0) {
    OpId op = order[n];
    const Op *o = op_at(p, op);
    OpId parent = op_parent(p, op);
    bool ends =
        op_row(o->code)->traits & TRAIT_TERMINATOR && parent && op_flow(p, parent) != FLOW_NONE;
    bool reads = ends || op_contracts(p, op) || op_flow(p, op) != FLOW_NONE;
    for (uint32_t i = 0; i < o->n_results && !reads; i++) reads = needed[op_result(p, op, i)];
    for (uint32_t i = 0; i < o->n_operands && reads; i++) needed[op_operand(p, op, i)] = true;
  }
}

static uint32_t list_ops(const Program *p, OpId *out) {
  uint32_t n = 0;
  for (OpId o = p->root; o; o = op_walk_next(p, o, p->root)) out[n++] = o;
  return n;
}

bool *slack_needed(const Program *p, Arena *arena) {
  bool *needed = ARENA_ARRAY(arena, bool, p->values.count + 1);
  ArenaMark mark = arena_mark(arena);
  OpId *order = ARENA_ARRAY(arena, OpId, p->ops.count + 1);
  mark_needed(p, order, list_ops(p, order), needed);
  arena_rewind(arena, mark);
  return needed;
}

uint8_t *slack_find(const Program *p, Arena *arena) {
  uint32_t n_values = p->values.count + 1;
  uint8_t *out = ARENA_ARRAY(arena, uint8_t, n_values);
  ArenaMark mark = arena_mark(arena);
  bool *early = ARENA_ARRAY(arena, bool, n_values), *needed = slack_needed(p, arena);
  for (OpId o = p->root; o; o = op_walk_next(p, o, p->root)) {
    mark_given(p, o, early);
    if (!is_move(p, o)) continue;
    for (uint32_t i = 0; i < op_at(p, o)->n_results && i < op_at(p, o)->n_operands; i++)
      early[op_result(p, o, i)] = early[op_operand(p, o, i)];
  }
  for (ValueId v = 1; v < n_values; v++)
    out[v] = early[v] ? SLACK_EARLY : needed[v] ? SLACK_NONE : SLACK_LATE;
  arena_rewind(arena, mark);
  return out;
}
