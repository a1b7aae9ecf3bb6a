// Problem: gradients and residual sums all-reduce several terms that are then added, and all-reduce
// values of which a slice or a reduction is used.
//
// Idea: three rewrites, each in one walk in program order:
// - move_behind: op(all_reduce(x)) → all_reduce(op(x)), if the op maps partial sums to partial sums
//   (op_commutes) and its result is no larger than the operands that were reduced. Other operands
//   must be equal in each group, or constants that combine with themselves to themselves.
// - join_terms: ((x + all_reduce(a)) + y) + all_reduce(b) → (x + y) + all_reduce(a + b);
//   reduce_scatter alike
// - join_scattered: reduce_scatter(a) + reduce_scatter(b) → reduce_scatter(a + b)
//
// Invariant: values are equal up to the order of sums, bytes sent never increase, and no sum
// crosses an optimization_barrier. Cost: O(ops · MOST_TERMS), and varies_find.
#include "base/vec.h"
#include "ops/commute.h"
#include "ops/factors.h"
#include "optimize/facts.h"
#include "optimize/varies.h"

enum { MOST_OPERANDS = 16, MOST_TERMS = 64 };

typedef struct Sums {
  Optimizer *o;
  Program *p;
  Varies varies;
  VEC(uint32_t) barriers;  // per visited op: number of barriers before it
  uint32_t n_barriers;
} Sums;

// All uses of the all_reduce's result are operands of the op.
static bool only_used_by(const Program *p, OpId sum, OpId op) {
  for (OperandId use = value_at(p, op_result(p, sum, 0))->first_use; use;
       use = operand_at(p, use)->next_use)
    if (operand_at(p, use)->user != op) return false;
  return true;
}

typedef struct Partial {
  OpId sum;                  // the first all_reduce that defines an operand
  Combine combine;           // of all of them
  double bytes;              // reduced by all of them
  bool sums[MOST_OPERANDS];  // per operand: an all_reduce defines it
} Partial;

// Collects the operands that all_reduces of equal groups and reducer define. False if there is
// none, if they differ, or if a result has other users.
static bool find_partial(Sums *s, OpId op, Partial *out) {
  Program *p = s->p;
  uint32_t n = op_at(p, op)->n_operands;
  *out = (Partial){0};
  for (uint32_t i = 0; i < n; i++) {
    OpId sum = value_def(p, op_operand(p, op, i));
    Combine combine = collective_sum(p, sum);
    if (combine == COMBINE_NONE || op_at(p, sum)->block != op_at(p, op)->block ||
        s->barriers.items[sum] != s->n_barriers)
      continue;
    if (!only_used_by(p, sum, op)) return false;
    if (out->sum && (op_at(p, out->sum)->attrs != op_at(p, sum)->attrs || out->combine != combine))
      return false;
    bool repeated = false;  // the same value as two operands counts once
    for (uint32_t k = 0; k < i; k++) repeated |= op_operand(p, op, k) == op_operand(p, op, i);
    if (!out->sum) out->sum = sum, out->combine = combine;
    out->sums[i] = true;
    if (!repeated) out->bytes += fact_bytes(p, op_operand(p, op, i));
  }
  return out->sum != 0;
}

// The reducer of the op's results if it runs on partial values; COMBINE_NONE if it cannot.
static Combine commute(Sums *s, OpId op, const Partial *x) {
  Program *p = s->p;
  const DeviceGroups *groups = collective_groups(s->o, x->sum);
  if (!groups || fact_result_bytes(p, op) > x->bytes) return COMBINE_NONE;
  for (uint32_t i = 0; i < op_at(p, op)->n_operands; i++)
    if (!x->sums[i] && !varies_not_in(&s->varies, op_operand(p, op, i), groups))
      return COMBINE_NONE;
  return op_commutes(p, op, x->combine, x->sums);
}

static void set_barriers(Sums *s, OpId op) {
  while (s->barriers.count <= op) VEC_PUSH(&s->o->scratch, &s->barriers, 0);
  s->barriers.items[op] = s->n_barriers;
}

static bool move_behind(Sums *s, OpId op) {
  Program *p = s->p;
  Partial x;
  if (op_at(p, op)->n_operands > MOST_OPERANDS || op_at(p, op)->n_results != 1 ||
      !find_partial(s, op, &x) || !fact_is_pure(p, op))
    return false;
  Combine combine = commute(s, op, &x);
  if (combine == COMBINE_NONE) return false;
  ValueId partial = op_result(p, op, 0);
  Builder b = rewrite_like(p, op_at(p, op)->next, x.sum);
  ValueId reduced = build_collective(&b, OP_all_reduce, partial, value_type(p, partial),
                                     op_at(p, x.sum)->attrs, combine);
  value_replace_uses(p, partial, reduced);
  operand_set(p, op_at(p, value_def(p, reduced))->operands, partial);
  uint64_t axes = varies_along(&s->varies, partial);
  varies_set(s->o, &s->varies, reduced, axes);
  varies_set(s->o, &s->varies, partial, axes | collective_groups(s->o, x.sum)->axes);
  for (uint32_t i = 0; i < op_at(p, op)->n_operands; i++) {
    OpId sum = value_def(p, op_operand(p, op, i));
    if (!x.sums[i]) continue;
    operand_set(p, op_at(p, op)->operands + i, op_operand(p, sum, 0));
    if (!value_has_uses(p, op_result(p, sum, 0))) op_erase(p, sum);
  }
  return true;
}

// ---- terms of a longer sum ----

static uint16_t code_of(Combine combine) {
  return combine == COMBINE_SUM ? OP_add : combine == COMBINE_MAX ? OP_maximum : OP_minimum;
}

static bool is_same_segment(const Sums *s, OpId def, OpId op) {
  return def && op_at(s->p, def)->block == op_at(s->p, op)->block && def < s->barriers.count &&
         s->barriers.items[def] == s->n_barriers;
}

// Operand i of op is an all_reduce or a reduce_scatter that nothing else uses.
static OpId term(const Sums *s, OpId op, uint32_t i) {
  ValueId v = op_operand(s->p, op, i);
  OpId sum = value_def(s->p, v), scatter = fact_def(s->p, v, OP_reduce_scatter);
  if (scatter && (op_at(s->p, scatter)->n_operands != 1 ||
                  type_elem(s->p->context, op_operand_type(s->p, scatter, 0)) !=
                      type_elem(s->p->context, value_type(s->p, v))))
    return 0;  // it sums in a wider type than its operand's, in which a local add would round
  Combine combine = scatter ? op_combine(s->p, scatter) : collective_sum(s->p, sum);
  bool has_op = combine == COMBINE_SUM || combine == COMBINE_MAX || combine == COMBINE_MIN;
  return has_op && code_of(combine) == op_at(s->p, op)->code && fact_used_once(s->p, v) &&
                 is_same_segment(s, sum, op)
             ? sum
             : 0;
}

// Walks down a chain of adds from `last`, an operand of op, to another term with the same groups.
// The local add a + b stands before the later collective; the earlier one is removed from the
// chain.
static bool join_terms(Sums *s, OpId op) {
  Program *p = s->p;
  uint16_t code = op_at(p, op)->code;
  if (code != OP_add && code != OP_maximum && code != OP_minimum) return false;
  uint32_t at = term(s, op, 1) ? 1 : 0;
  OpId last = term(s, op, at), first = 0, inner = 0;
  ValueId v = op_operand(p, op, 1 - at), rest = 0;
  if (!last || term(s, op, 1 - at)) return false;
  for (uint32_t depth = 0; depth < MOST_TERMS && !first; depth++) {
    inner = fact_def(p, v, code);
    if (!inner || !fact_used_once(p, v) || !is_same_segment(s, inner, op)) return false;
    for (uint32_t i = 0; i < 2 && !first; i++) {
      first = term(s, inner, i);
      rest = op_operand(p, inner, 1 - i);
      if (first && (op_at(p, first)->attrs != op_at(p, last)->attrs ||
                    op_at(p, first)->code != op_at(p, last)->code))
        first = 0;
    }
    v = op_operand(p, inner, fact_def(p, op_operand(p, inner, 0), code) ? 0 : 1);
  }
  if (!first) return false;
  ValueId partials[] = {op_operand(p, first, 0), op_operand(p, last, 0)};
  Type type = value_type(p, partials[0]);
  if (type != value_type(p, partials[1]) || op_result_type(p, first, 0) != value_type(p, rest))
    return false;
  op_detach(p, last);
  op_insert_before(p, last, op);  // now after both operands are defined
  Builder b = rewrite_before(p, last);
  ValueId both = build_binary(&b, code, partials[0], partials[1]);
  operand_set(p, op_at(p, last)->operands, both);
  varies_set(s->o, &s->varies, both, s->varies.all);
  set_barriers(s, value_def(p, both));
  op_replace(p, inner, rest);
  op_erase(p, first);
  return true;
}

// ---- reduce_scatter ----

// Operand i is the result of a reduce_scatter that nothing else uses.
static bool is_scattered(const Sums *s, OpId op, uint32_t i, OpId *out) {
  const Program *p = s->p;
  ValueId v = op_operand(p, op, i);
  OpId scatter = fact_def(p, v, OP_reduce_scatter);
  *out = scatter;
  return scatter && op_at(p, scatter)->n_operands == 1 && fact_used_once(p, v) &&
         op_at(p, scatter)->block == op_at(p, op)->block &&
         s->barriers.items[scatter] == s->n_barriers;
}

// One reduce_scatter of the sum instead of a sum of two reduce_scatters.
static bool join_scattered(Sums *s, OpId op) {
  Program *p = s->p;
  OpId a, b;
  if (op_at(p, op)->n_operands != 2 || !(op_traits(p, op) & TRAIT_ELEMENTWISE) ||
      !is_scattered(s, op, 0, &a) || !is_scattered(s, op, 1, &b) ||
      op_at(p, a)->attrs != op_at(p, b)->attrs || !fact_is_pure(p, op))
    return false;
  Combine combine = op_combine(p, a);
  const bool both[] = {true, true};
  ValueId operands[] = {op_operand(p, a, 0), op_operand(p, b, 0)};
  Type type = op_result_type(p, op, 0), unscattered = value_type(p, operands[0]);
  if (combine != op_combine(p, b) || !combine_is_named(combine) ||
      op_commutes(p, op, combine, both) != combine || unscattered != value_type(p, operands[1]) ||
      type_elem(p->context, unscattered) != type_elem(p->context, type) ||
      op_operand_type(p, op, 0) != type || op_operand_type(p, op, 1) != type)
    return false;
  Builder at = rewrite_before(p, op), like = rewrite_like(p, op, a);
  ValueId sum = build_op(&at, op_at(p, op)->code, 2, operands, unscattered, op_at(p, op)->attrs);
  ValueId partial =
      build_collective(&like, OP_reduce_scatter, sum, type, op_at(p, a)->attrs, combine);
  set_barriers(s, value_def(p, partial));
  op_replace(p, op, partial);
  op_erase(p, a);
  op_erase(p, b);
  return true;
}

uint32_t pass_sums(Optimizer *o) {
  Program *p = o->p;
  uint32_t changes = 0;
  bool any = false;
  for (OpId op = p->root; op && !any; op = op_walk_next(p, op, p->root))
    any = collective_sum(p, op) != COMBINE_NONE || op_at(p, op)->code == OP_reduce_scatter;
  if (!any || !o->n_devices) return 0;
  Sums s = {.o = o, .p = p, .varies = varies_find(o)};
  for (OpId op = p->root, next; op; op = next) {
    s.n_barriers += op_at(p, op)->code == OP_optimization_barrier;
    set_barriers(&s, op);
    next = op_walk_next(p, op, p->root);
    if (join_terms(&s, op) || join_scattered(&s, op)) {
      changes++;
    } else if (move_behind(&s, op)) {
      changes++;
      next = op_walk_next(p, op, p->root);  // the all_reduce behind it
    }
  }
  return changes;
}
