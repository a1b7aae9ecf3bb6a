// Problem: an op that converts or scales the result of an all_reduce stands right behind it. It
// closes the window in which the all_reduce overlaps with other work and combines with others
// (bucket.c).
//
// Idea: sink such an op to its first user. It may move only if that keeps no more memory alive: its
// other operands are arguments or constants, and its result is no smaller than the reduced operand
// (or that is at most small_bytes). In reverse program order, so that chains move together.
//
// Invariant: no op crosses an optimization_barrier. Cost: O(ops + uses).
#include "ops/splat.h"
#include "optimize/collective.h"
#include "optimize/facts.h"

static const double small_bytes = 1 << 20;

typedef struct Late {
  Program *p;
  bool *sinks;         // per op: may sink
  uint32_t *number;    // per op: order in its block; a moved op has the number of its user
  uint32_t *barriers;  // per op: barriers before it in its block
  uint32_t changes;
} Late;

static bool is_sum(const Late *l, ValueId v) {
  OpId op = value_def(l->p, v);
  return op && (op_at(l->p, op)->code == OP_all_reduce || l->sinks[op]);
}

// The value is alive independently of the op: an argument or a constant.
static bool is_alive_anyway(const Late *l, ValueId v) {
  Scalar x;
  return value_at(l->p, v)->is_arg || fact_constant(l->p, v) || op_splat(l->p, v, &x);
}

// All operands are results of all_reduces (or of ops that sink) or alive anyway.
static bool can_sink(const Late *l, OpId op) {
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
    else if (!is_alive_anyway(l, v))
      return false;
  }
  return any && (sums <= small_bytes || sums <= fact_result_bytes(p, op));
}

// Program order in a block. Ops with equal numbers are neighbours, so a short walk decides.
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
    any |= l->sinks[op] = can_sink(l, op);
  }
  if (!any) return;
  for (OpId op = block_at(p, block)->last, prev; op; op = prev) {
    prev = op_at(p, op)->prev;
    if (l->sinks[op]) move(l, op);
  }
}

uint32_t pass_late(Optimizer *o) {
  Program *p = o->p;
  Late l = {.p = p};
  l.sinks = ARENA_ARRAY(&o->scratch, bool, p->ops.count + 1);
  l.number = ARENA_ARRAY(&o->scratch, uint32_t, p->ops.count + 1);
  l.barriers = ARENA_ARRAY(&o->scratch, uint32_t, p->ops.count + 1);
  for (BlockId block = 1; block < p->blocks.count; block++) {
    OpId first = block_at(p, block)->first;
    if (first && op_at(p, first)->code) run_block(&l, block);
  }
  return l.changes;
}
