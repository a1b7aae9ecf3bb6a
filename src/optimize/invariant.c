// Problem: a loop repeats a collective whose operands are the same in every iteration (weights of a
// layer, gathered once per microbatch).
//
// Idea: loop-invariant code motion of collectives, together with the pure ops that compute their
// operands. A value is invariant if it is defined outside the loop, if it is a carry that the body
// returns unchanged, or if an op that may run before the loop computes it from invariant values.
// Inner loops come first, so that a collective can leave several loops.
//
// Invariant: an op that can fail, or that stands behind an optimization_barrier of the body, stays.
// Memory: a result before the loop lives as long as the loop runs. The results that leave take no
// more bytes than the loop needs anyway: its carries, and the op with the largest operands and
// results. Cost: O(ops · depth of loops).
#include "cost/trips.h"
#include "optimize/facts.h"
#include "optimize/loops.h"

typedef struct Hoist {
  Program *p;
  Trades *trades;
  bool *invariant;  // per value: the same in every iteration of the current loop
  bool *needed;     // per op: moves before the loop
} Hoist;

static bool is_invariant(const Hoist *h, OpId loop, ValueId v) {
  return h->invariant[v] || fact_is_outside(h->p, v, loop);
}

// All operands are invariant, those of its body too. A loop may run zero times, so the op must not
// fail.
static bool can_move(const Hoist *h, OpId loop, OpId op) {
  const Program *p = h->p;
  const OpDef *def = op_row(op_at(p, op)->code)->def;
  if (!fact_is_collective(p, op) && (!fact_is_pure(p, op) || (def && def->fails))) return false;
  for (uint32_t i = 0; i < op_at(p, op)->n_operands; i++)
    if (!is_invariant(h, loop, op_operand(p, op, i))) return false;
  for (OpId in = op_walk_next(p, op, op); in; in = op_walk_next(p, in, op))
    for (uint32_t i = 0; i < op_at(p, in)->n_operands; i++) {
      ValueId v = op_operand(p, in, i);
      if (fact_is_outside(p, v, op) && !fact_is_outside(p, v, loop)) return false;
    }
  return true;
}

// The memory that the loop needs anyway: its carries and its largest op.
static double loop_bytes(const Program *p, OpId loop) {
  double most = 0;
  for (OpId op = block_at(p, loop_body(p, loop))->first; op; op = op_at(p, op)->next) {
    double bytes = fact_operand_bytes(p, op) + fact_result_bytes(p, op);
    if (bytes > most && !(op_traits(p, op) & TRAIT_TERMINATOR)) most = bytes;
  }
  return most + fact_operand_bytes(p, loop);
}

// Marks the collectives that leave, as far as memory allows, then backwards the ops that compute
// their operands. Only marked ops move: other invariant ops stay, since keeping their results takes
// memory and saves no communication.
static bool choose(Hoist *h, OpId loop) {
  Program *p = h->p;
  BlockId body = loop_body(p, loop);
  double room = loop_bytes(p, loop);
  bool any = false;
  for (OpId op = block_at(p, body)->first; op; op = op_at(p, op)->next) {
    if (op_at(p, op)->code == OP_optimization_barrier) break;
    if (!can_move(h, loop, op)) continue;
    for (uint32_t i = 0; i < op_at(p, op)->n_results; i++) h->invariant[op_result(p, op, i)] = true;
    double bytes = fact_result_bytes(p, op);
    if (!fact_is_collective(p, op)) continue;
    if (!trades_ask(h->trades, PASS_invariant, p, op, bytes, bytes <= room)) continue;
    room -= bytes;
    any = h->needed[op] = true;
  }
  for (OpId op = block_at(p, body)->last; any && op; op = op_at(p, op)->prev)
    for (uint32_t i = 0; h->needed[op] && i < op_at(p, op)->n_operands; i++) {
      OpId def = value_def(p, op_operand(p, op, i));
      if (def && op_at(p, def)->block == body) h->needed[def] = true;
    }
  return any;
}

// Moves the marked ops before the loop in their order, and replaces carries by the loop's operands.
static uint32_t move(Hoist *h, OpId loop) {
  Program *p = h->p;
  BlockId body = loop_body(p, loop);
  uint32_t moved = 0;
  for (OpId op = block_at(p, body)->first, next; op; op = next) {
    next = op_at(p, op)->next;
    if (!h->needed[op]) continue;
    op_detach(p, op);
    op_insert_before(p, op, loop);
    h->needed[op] = false;
    // The op is in the outer loop's body now, whose invariance is found anew.
    for (uint32_t i = 0; i < op_at(p, op)->n_results; i++)
      h->invariant[op_result(p, op, i)] = false;
    moved += fact_is_collective(p, op);
    for (uint32_t i = 0; i < op_at(p, op)->n_operands; i++) {
      const Value *v = value_at(p, op_operand(p, op, i));
      if (v->is_arg && v->def == body)
        operand_set(p, op_at(p, op)->operands + i, op_operand(p, loop, v->index));
    }
  }
  return moved;
}

static bool may_run_twice(const Program *p, OpId loop) {
  int64_t trips = loop_trips(p, loop);
  return trips < 0 || trips > 1;
}

uint32_t pass_invariant(Optimizer *o) {
  Program *p = o->p;
  LoopList loops = loops_find(o);
  if (!loops.count) return 0;
  Hoist h = {.p = p, .trades = o->trades};
  h.invariant = ARENA_ARRAY(&o->scratch, bool, p->values.count + 1);
  h.needed = ARENA_ARRAY(&o->scratch, bool, p->ops.count + 1);
  uint32_t changes = 0;
  for (uint32_t k = 0; k < loops.count; k++) {
    OpId loop = loops.items[k];
    for (uint32_t i = 0; i < op_at(p, loop)->n_operands; i++) {
      ValueId arg = block_arg(p, loop_body(p, loop), i);
      h.invariant[arg] = loop_next(p, loop, i) == arg;
    }
    if (may_run_twice(p, loop) && choose(&h, loop)) changes += move(&h, loop);
    // Invariant in this loop does not mean invariant in the loop around it.
    for (OpId op = block_at(p, loop_body(p, loop))->first; op; op = op_at(p, op)->next)
      for (uint32_t i = 0; i < op_at(p, op)->n_results; i++)
        h.invariant[op_result(p, op, i)] = false;
  }
  return changes;
}
