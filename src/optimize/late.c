// What only converts, scales or rearranges the result of an all_reduce stands where it is first
// needed: then the all_reduce has until there, and others can join it (bucket.c). Only ops that
// make their operand no smaller move, and only if their other operands are there anyway: no more is
// kept alive than before. None moves across a barrier. In reverse, so that chains move together;
// O(ops + uses).
#include "ops/splat.h"
#include "optimize/collective.h"
#include "optimize/facts.h"

static const double small_bytes = 1 << 20;

typedef struct Late {
  Program *p;
  bool *marked;        // per op: the result of an all_reduce, a little changed
  uint32_t *number;    // per op: rises along its block; one moved has that of what it stands before
  uint32_t *barriers;  // per op: how many stand before it in its block
  uint32_t changes;
} Late;

static bool is_sum(const Late *l, ValueId v) {
  OpId op = value_def(l->p, v);
  return op && (op_at(l->p, op)->code == OP_all_reduce || l->marked[op]);
}

static bool is_there_anyway(const Late *l, ValueId v) {
  Scalar x;
  return value_at(l->p, v)->is_arg || fact_constant(l->p, v) || op_splat(l->p, v, &x);
}

static bool can_wait(const Late *l, OpId op) {
  const Program *p = l->p;
  const Op *o = op_at(p, op);
  if (o->n_results != 1 || o->n_regions || !(op_traits(p, op) & TRAIT_PURE)) return false;
  double sums = 0;
  bool any = false;
  for (uint32_t i = 0; i < o->n_operands; i++) {
    ValueId v = op_operand(p, op, i);
    OpId def = value_def(p, v);
    if (def && op_at(p, def)->block == o->block && is_sum(l, v))
      any = true, sums += fact_bytes(p, v);
    else if (!is_there_anyway(l, v))
      return false;
  }
  return any && (sums <= small_bytes || sums <= fact_result_bytes(p, op));
}

// Of two ops of a block with one number, the first.
static bool is_before(const Late *l, OpId a, OpId b) {
  if (l->number[a] != l->number[b]) return l->number[a] < l->number[b];
  for (OpId at = a; at && l->number[at] == l->number[a]; at = op_at(l->p, at)->next)
    if (at == b) return true;
  return false;
}

static OpId first_user(const Late *l, OpId op) {
  const Program *p = l->p;
  BlockId block = op_at(p, op)->block;
  OpId first = 0;
  for (OperandId use = value_at(p, op_result(p, op, 0))->first_use; use;
       use = operand_at(p, use)->next_use) {
    OpId user = fact_in_block(p, operand_at(p, use)->user, block);
    if (user && (!first || is_before(l, user, first))) first = user;
  }
  return first;
}

static void move(Late *l, OpId op) {
  Program *p = l->p;
  OpId user = first_user(l, op);
  if (!user || op_at(p, op)->next == user || l->barriers[op] != l->barriers[user]) return;
  op_detach(p, op);
  op_insert_before(p, op, user);
  l->number[op] = l->number[user];
  l->changes++;
}

static void run_block(Late *l, BlockId block) {
  Program *p = l->p;
  uint32_t n = 0, barriers = 0;
  bool any = false;
  for (OpId op = block_at(p, block)->first; op; op = op_at(p, op)->next) {
    barriers += op_at(p, op)->code == OP_optimization_barrier;
    l->number[op] = ++n;
    l->barriers[op] = barriers;
    any |= l->marked[op] = can_wait(l, op);
  }
  if (!any) return;
  for (OpId op = block_at(p, block)->last, prev; op; op = prev) {
    prev = op_at(p, op)->prev;
    if (l->marked[op]) move(l, op);
  }
}

uint32_t pass_late(Optimizer *o) {
  Program *p = o->p;
  Late l = {.p = p};
  l.marked = ARENA_ARRAY(&o->scratch, bool, p->ops.count + 1);
  l.number = ARENA_ARRAY(&o->scratch, uint32_t, p->ops.count + 1);
  l.barriers = ARENA_ARRAY(&o->scratch, uint32_t, p->ops.count + 1);
  for (BlockId block = 1; block < p->blocks.count; block++) {
    OpId first = block_at(p, block)->first;
    if (first && op_at(p, first)->code) run_block(&l, block);
  }
  return l.changes;
}
