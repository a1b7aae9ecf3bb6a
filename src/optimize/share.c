// Problem: equal ops are computed, and equal collectives sent, more than once.
//
// Idea: common subexpression elimination with one hash table over the program, in program order.
// Two ops are equal if code, attributes, operands (in any order if commutative), result types and
// bodies are equal. The later op takes the results of the earlier one if that dominates it and no
// optimization_barrier is in between. Regions of control flow see the blocks around them; bodies
// that combine elements see nothing outside.
//
// Memory: an all_gather's result would live from its first use to its last. So it is shared only if
// the gathers in between enlarge values by no more bytes than it does itself. Weights gathered for
// the forward pass and again for the backward pass (ZeRO-3) are therefore not kept.
//
// Invariant: values stay equal bit by bit; the order of collectives stays the same on all devices.
// Cost: expected O(ops + uses of shared collectives).
#include "optimize/facts.h"
#include "optimize/pass.h"

enum { MOST_BODY = 16 };

typedef struct Entry {
  OpId op;              // 0 = free
  uint32_t hash, when;  // when: number in program order
} Entry;

typedef struct Share {
  Program *p;
  Trades *trades;
  Entry *entries;  // open addressing
  uint32_t mask, now;
  bool *open;        // per block: the walk is inside it, so its ops dominate
  double *gathered;  // per op: total after it
  double total;      // bytes by which collectives have enlarged values so far
  uint32_t changes;
} Share;

// ---- equal ops ----

static uint32_t index_in_block(const Program *p, BlockId block, OpId op) {
  uint32_t n = 0;
  for (OpId at = block_at(p, block)->first; at && at != op; at = op_at(p, at)->next) n++;
  return n;
}

// Values inside two bodies are equal: the same outer value, or the same argument or op by position.
static bool same_inner(const Program *p, BlockId a, BlockId b, ValueId x, ValueId y) {
  if (x == y) return true;
  const Value *v = value_at(p, x), *w = value_at(p, y);
  if (v->is_arg != w->is_arg || v->index != w->index) return false;
  if (v->is_arg) return v->def == a && w->def == b;
  return op_at(p, v->def)->block == a && op_at(p, w->def)->block == b &&
         index_in_block(p, a, v->def) == index_in_block(p, b, w->def);
}

// Equal in all but operands and bodies.
static bool same_but_operands(const Program *p, OpId a, OpId b) {
  const Op *x = op_at(p, a), *y = op_at(p, b);
  if (x->code != y->code || x->attrs != y->attrs || x->name != y->name ||
      x->n_operands != y->n_operands || x->n_results != y->n_results ||
      x->n_regions != y->n_regions)
    return false;
  for (uint32_t i = 0; i < x->n_results; i++)
    if (op_result_type(p, a, i) != op_result_type(p, b, i)) return false;
  return true;
}

static bool same_block(const Program *p, BlockId a, BlockId b) {
  if (block_at(p, a)->next || block_at(p, b)->next ||
      block_at(p, a)->n_args != block_at(p, b)->n_args)
    return false;
  for (uint32_t i = 0; i < block_at(p, a)->n_args; i++)
    if (value_type(p, block_arg(p, a, i)) != value_type(p, block_arg(p, b, i))) return false;
  OpId x = block_at(p, a)->first, y = block_at(p, b)->first;
  uint32_t n = 0;
  for (; x && y && n < MOST_BODY; x = op_at(p, x)->next, y = op_at(p, y)->next, n++) {
    if (!same_but_operands(p, x, y) || op_at(p, x)->n_regions) return false;
    for (uint32_t i = 0; i < op_at(p, x)->n_operands; i++)
      if (!same_inner(p, a, b, op_operand(p, x, i), op_operand(p, y, i))) return false;
  }
  return !x && !y;
}

static bool same_operands(const Program *p, OpId a, OpId b) {
  const Op *x = op_at(p, a);
  bool same = true;
  for (uint32_t i = 0; i < x->n_operands; i++) same &= op_operand(p, a, i) == op_operand(p, b, i);
  if (same || x->n_operands != 2 || !(op_row(x->code)->traits & TRAIT_COMMUTATIVE)) return same;
  return op_operand(p, a, 0) == op_operand(p, b, 1) && op_operand(p, a, 1) == op_operand(p, b, 0);
}

static bool same_op(const Program *p, OpId a, OpId b) {
  if (!same_but_operands(p, a, b) || !same_operands(p, a, b)) return false;
  for (uint32_t r = 0; r < op_at(p, a)->n_regions; r++)
    if (!same_block(p, region_block(p, op_region(p, a, r)), region_block(p, op_region(p, b, r))))
      return false;
  return true;
}

static uint32_t hash_of(const Program *p, OpId op) {
  const Op *o = op_at(p, op);
  uint64_t operands = 0;  // a sum: independent of their order, for commutative ops
  for (uint32_t i = 0; i < o->n_operands; i++) operands += hash_mix(1, op_operand(p, op, i));
  uint64_t hash = hash_mix(hash_mix(o->code, o->attrs), operands);
  for (uint32_t i = 0; i < o->n_results; i++) hash = hash_mix(hash, op_result_type(p, op, i));
  return (uint32_t)(hash >> 16);
}

// ---- memory ----

static bool may_share(const Program *p, OpId op) {
  const Op *o = op_at(p, op);
  if (!o->n_results || !(fact_is_collective(p, op) || fact_is_pure(p, op))) return false;
  for (uint32_t r = 0; r < o->n_regions; r++)
    if (!region_block(p, op_region(p, op, r))) return false;
  for (uint32_t i = 0; i < o->n_results; i++)
    if (type_info(p->context, op_result_type(p, op, i))->kind == TYPE_TOKEN) return false;
  return true;
}

// Constants and index arithmetic: free to keep and to recompute, so barriers do not matter.
static bool is_free_to_recompute(const Program *p, OpId op) {
  if (op_traits(p, op) & TRAIT_CONSTANT) return true;
  return op_at(p, op)->n_results == 1 && fact_is_index(p, op_result(p, op, 0));
}

// Bytes by which a collective's result is larger than its operand, else 0.
static double enlarged(const Program *p, OpId op) {
  if (!fact_is_collective(p, op)) return 0;
  double more = fact_result_bytes(p, op) - fact_operand_bytes(p, op);
  return more > 0 ? more : 0;
}

// How long the op's results live without sharing, measured in bytes gathered: the total at the last
// user visited so far.
static double held_until(const Share *s, OpId op) {
  const Program *p = s->p;
  double last = s->gathered[op];
  for (uint32_t i = 0; i < op_at(p, op)->n_results; i++)
    for (OperandId use = value_at(p, op_result(p, op, i))->first_use; use;
         use = operand_at(p, use)->next_use) {
      OpId user = operand_at(p, use)->user;
      if (s->gathered[user] > last) last = s->gathered[user];
    }
  return last;
}

// Sharing would extend the result's life by the bytes gathered since its last use; these must not
// exceed its own.
static bool worth_keeping(const Share *s, OpId earlier, OpId op) {
  double more = enlarged(s->p, earlier);
  if (more == 0) return true;
  bool rule = s->total - more - held_until(s, earlier) <= more;
  return trades_ask(s->trades, PASS_share, s->p, op, more, rule);
}

// ---- the walk ----

static Entry *find(Share *s, OpId op, uint32_t hash) {
  uint32_t i = hash & s->mask;
  while (s->entries[i].op && (s->entries[i].hash != hash || !same_op(s->p, s->entries[i].op, op)))
    i = (i + 1) & s->mask;
  return &s->entries[i];
}

// floor: entries before it are invisible (a body that combines elements). fence: the last barrier;
// before it, only is_trifle ops are shared.
static void visit(Share *s, OpId op, uint32_t floor, uint32_t fence) {
  Program *p = s->p;
  uint32_t hash = hash_of(p, op);
  Entry *e = find(s, op, hash);
  bool seen = e->op && s->open[op_at(p, e->op)->block] && e->when >= floor &&
              (e->when >= fence || is_free_to_recompute(p, op)) && worth_keeping(s, e->op, op);
  if (!seen) {
    *e = (Entry){op, hash, s->now};
    return;
  }
  for (uint32_t i = 0; i < op_at(p, op)->n_results; i++)
    value_replace_uses(p, op_result(p, op, i), op_result(p, e->op, i));
  op_erase(p, op);
  s->changes++;
}

static void walk_block(Share *s, BlockId block, uint32_t floor, uint32_t fence) {
  Program *p = s->p;
  s->open[block] = true;
  for (OpId op = block_at(p, block)->first, next; op; op = next) {
    next = op_at(p, op)->next;
    s->now++;
    s->total += enlarged(p, op);
    s->gathered[op] = s->total;
    if (op_at(p, op)->code == OP_optimization_barrier) fence = s->now;
    if (may_share(p, op)) {
      visit(s, op, floor, fence);
      continue;
    }
    bool sees = fact_is_flow(p, op);
    for (uint32_t r = 0; r < op_at(p, op)->n_regions; r++)
      for (BlockId b = region_block(p, op_region(p, op, r)); b; b = block_at(p, b)->next)
        walk_block(s, b, sees ? floor : s->now, sees ? fence : s->now);
  }
  s->open[block] = false;
}

uint32_t pass_share(Optimizer *o) {
  Program *p = o->p;
  Share s = {.p = p, .trades = o->trades};
  uint32_t room = 64;
  while (room < 2 * p->ops.count) room *= 2;
  s.mask = room - 1;
  s.entries = ARENA_ARRAY(&o->scratch, Entry, room);
  s.open = ARENA_ARRAY(&o->scratch, bool, p->blocks.count + 1);
  s.gathered = ARENA_ARRAY(&o->scratch, double, p->ops.count + 1);
  walk_block(&s, region_block(p, op_region(p, p->root, 0)), 0, 0);
  return s.changes;
}
