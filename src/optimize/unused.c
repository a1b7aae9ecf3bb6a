// Problem: a loop carries values that only compute themselves (statistics that nothing reads,
// operands of collectives that were moved out). `dead` cannot remove them: each iteration uses
// them.
//
// Idea: mark and sweep per loop. Roots are carries whose result or whose argument of the condition
// is used, and ops with side effects. An op that is marked marks the ops and carries that it uses;
// a carry that is marked marks the value that the body returns for it. If carries stay unmarked,
// the loop is rebuilt without them.
//
// Invariant: inner loops come first. A loop keeps at least one carry. Cost: O(ops · depth of
// loops).
#include "optimize/facts.h"
#include "optimize/loops.h"

typedef struct Unused {
  Optimizer *o;
  Program *p;
  bool *needed;    // per op of the current body
  VEC(OpId) todo;  // needed ops whose operands are not visited yet
  bool *stays;     // per carry
} Unused;

static void need_op(Unused *u, OpId op) {
  if (u->needed[op]) return;
  u->needed[op] = true;
  VEC_PUSH(&u->o->scratch, &u->todo, op);
}

static void need_value(Unused *u, OpId loop, ValueId v) {
  const Value *value = value_at(u->p, v);
  BlockId body = loop_body(u->p, loop);
  if (value->is_arg) {
    if (value->def == body) u->stays[value->index] = true;
    return;
  }
  OpId op = fact_in_block(u->p, value->def, body);
  if (op) need_op(u, op);
}

// Marks everything that the needed ops use, also inside their regions.
static void mark_reachable(Unused *u, OpId loop) {
  while (u->todo.count) {
    OpId op = u->todo.items[--u->todo.count];
    for (OpId in = op; in; in = op_walk_next(u->p, in, op))
      for (uint32_t i = 0; i < op_at(u->p, in)->n_operands; i++)
        need_value(u, loop, op_operand(u->p, in, i));
  }
}

// Marks to a fixpoint. True if some, but not all, carries are unused.
static bool find_unused(Unused *u, OpId loop) {
  Program *p = u->p;
  uint32_t n = op_at(p, loop)->n_results;
  BlockId body = loop_body(p, loop), test = loop_test(p, loop);
  OpId end = block_at(p, body)->last;
  u->todo.count = 0;
  for (uint32_t i = 0; i < n; i++)
    u->stays[i] =
        value_has_uses(p, op_result(p, loop, i)) || value_has_uses(p, block_arg(p, test, i));
  for (OpId op = block_at(p, body)->first; op; op = op_at(p, op)->next) u->needed[op] = false;
  for (OpId op = block_at(p, body)->first; op != end; op = op_at(p, op)->next)
    if (!fact_can_drop(p, op)) need_op(u, op);
  bool *visited = ARENA_ARRAY(&u->o->scratch, bool, n + 1);
  for (bool changed = true; changed;) {
    changed = false;
    mark_reachable(u, loop);
    for (uint32_t i = 0; i < n; i++) {
      if (!u->stays[i] || visited[i]) continue;
      changed = visited[i] = true;
      need_value(u, loop, op_operand(p, end, i));
    }
  }
  uint32_t n_kept = 0;
  for (uint32_t i = 0; i < n; i++) n_kept += u->stays[i];
  return n_kept && n_kept < n;
}

// Moves the ops of a block to a new block in region `to`, with the arguments that stay.
static void move_block(Unused *u, OpId loop, BlockId from, RegionId to) {
  Program *p = u->p;
  BlockId block = region_add_block(p, to);
  uint32_t n = op_at(p, loop)->n_results;
  for (uint32_t i = 0; i < n; i++) {
    if (!u->stays[i]) continue;
    ValueId old = block_arg(p, from, i);
    ValueId arg = block_add_arg(p, block, value_type(p, old), value_at(p, old)->name);
    value_at(p, arg)->loc = value_at(p, old)->loc;
    value_replace_uses(p, old, arg);
  }
  for (OpId op = block_at(p, from)->first, next; op; op = next) {
    next = op_at(p, op)->next;
    op_detach(p, op);
    op_append(p, block, op);
  }
}

static uint32_t keep(const Unused *u, uint32_t n, const ValueId *from, ValueId *to) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < n; i++)
    if (u->stays[i]) to[kept++] = from[i];
  return kept;
}

// Rebuilds the body's terminator with the values that stay.
static void end_body(Unused *u, OpId end) {
  Program *p = u->p;
  uint32_t n = op_at(p, end)->n_operands;
  ValueId *all = ARENA_ARRAY(&u->o->scratch, ValueId, n + 1),
          *kept = ARENA_ARRAY(&u->o->scratch, ValueId, n + 1);
  for (uint32_t i = 0; i < n; i++) all[i] = op_operand(p, end, i);
  Builder b = rewrite_before(p, end);
  build_op_many(&b, op_at(p, end)->code, keep(u, n, all, kept), kept, 0, NULL, 0,
                op_at(p, end)->attrs);
  op_erase(p, end);
}

// Erases unneeded ops from last to first, since they use arguments that disappear.
static void erase_unneeded(Unused *u, OpId loop) {
  Program *p = u->p;
  BlockId body = loop_body(p, loop);
  for (OpId op = block_at(p, body)->last, prev; op; op = prev) {
    prev = op_at(p, op)->prev;
    if (!u->needed[op] && !(op_traits(p, op) & TRAIT_TERMINATOR)) op_erase(p, op);
  }
}

// Rebuilds the loop with the carries that stay.
static void rebuild(Unused *u, OpId loop) {
  Program *p = u->p;
  uint32_t n = op_at(p, loop)->n_results;
  ValueId *all = ARENA_ARRAY(&u->o->scratch, ValueId, n + 1),
          *kept = ARENA_ARRAY(&u->o->scratch, ValueId, n + 1);
  Type *types = ARENA_ARRAY(&u->o->scratch, Type, n + 1);
  for (uint32_t i = 0; i < n; i++) all[i] = op_operand(p, loop, i);
  uint32_t n_kept = keep(u, n, all, kept);
  for (uint32_t i = 0, k = 0; i < n; i++)
    if (u->stays[i]) types[k++] = op_result_type(p, loop, i);
  Builder b = rewrite_before(p, loop);
  OpId made = build_op_many(&b, OP_while, n_kept, kept, n_kept, types, 2, op_at(p, loop)->attrs);
  end_body(u, block_at(p, loop_body(p, loop))->last);
  erase_unneeded(u, loop);
  move_block(u, loop, loop_test(p, loop), op_region(p, made, 0));
  move_block(u, loop, loop_body(p, loop), op_region(p, made, 1));
  for (uint32_t i = 0, k = 0; i < n; i++)
    if (u->stays[i]) {
      value_at(p, op_result(p, made, k))->name = value_at(p, op_result(p, loop, i))->name;
      value_replace_uses(p, op_result(p, loop, i), op_result(p, made, k++));
    }
  op_erase(p, loop);
}

uint32_t pass_unused(Optimizer *o) {
  Program *p = o->p;
  LoopList loops = loops_find(o);
  if (!loops.count) return 0;
  Unused u = {.o = o, .p = p};
  u.needed = ARENA_ARRAY(&o->scratch, bool, p->ops.count + 8 * (size_t)loops.count + 1);
  uint32_t changes = 0;
  for (uint32_t k = 0; k < loops.count; k++) {
    OpId loop = loops.items[k];
    u.stays = ARENA_ARRAY(&o->scratch, bool, op_at(p, loop)->n_results + 1u);
    if (!find_unused(&u, loop)) continue;
    rebuild(&u, loop);
    changes++;
  }
  return changes;
}
