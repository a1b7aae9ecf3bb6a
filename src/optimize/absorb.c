// Problem: a value is all-reduced, linear ops use it, and their results are added to other
// all-reduced values. Gradients of a residual stream look so: each layer all-reduces its
// contribution, and the sum of them feeds gradients that are all-reduced anyway.
//
//   s = all_reduce(x)                             y = f(x)
//   t = f(s) + all_reduce(z)            →         t = all_reduce(y + z)
//
// Idea: drop the all_reduce of s and follow its users. Each op on the way must map partial sums to
// partial sums (op_commutes in ops/commute.h; its other operands are equal in all devices of a
// group), or be a permute that maps groups to groups. Each path must end at a target: an add of the
// partial value and the result of another all_reduce with the same groups and reducer. There the
// partial sums are added and one all_reduce follows the target. The partial values in between may
// be larger than s: they are not sent.
//
// Invariant: every value outside the followed ops is unchanged up to the order of the sum; no path
// crosses an optimization_barrier or leaves the block. Cost: O(ops · MOST_OPS); each permute on the
// way adds O(devices).
#include "base/vec.h"
#include "ops/commute.h"
#include "optimize/barriers.h"
#include "optimize/facts.h"
#include "optimize/varies.h"

enum { MOST_OPERANDS = 16, MOST_OPS = 64 };
static const uint32_t GONE = UINT32_MAX;

// An add of a partial value and another sum: a path ends here.
typedef struct Target {
  OpId op;
  uint32_t index;     // of the operand that is the other sum
  OpId other;         // the all_reduce that defines it; 0: it is the result of an earlier target
  bool feeds_target;  // its result is the other sum of a later target, which reduces both
} Target;

typedef struct Absorb {
  Optimizer *o;
  Program *p;
  Varies varies;
  Barriers barriers;
  uint32_t *order;  // per op at the start of the pass: its number in program order
  uint32_t n_ordered;
  OpId sum;
  const DeviceGroups *groups;
  Combine combine;
  VEC(OpId) todo;         // users still to look at, in program order
  VEC(ValueId) partials;  // values that become partial sums
  VEC(Target) targets;
} Absorb;

static bool is_partial(const Absorb *a, ValueId v) {
  for (uint32_t i = 0; i < a->partials.count; i++)
    if (a->partials.items[i] == v) return true;
  return false;
}

static Target *find_target(Absorb *a, ValueId v) {
  OpId op = value_def(a->p, v);
  for (uint32_t i = 0; op && i < a->targets.count; i++)
    if (a->targets.items[i].op == op) return &a->targets.items[i];
  return NULL;
}

// Adds a value to the partial ones and its users to the worklist, sorted by program order, each
// once. Program order makes sure that an op is checked after all its operands. False if a user is
// in another block, was made by this pass, or if the list is full.
static bool add_partial(Absorb *a, ValueId v) {
  VEC_PUSH(&a->o->scratch, &a->partials, v);
  for (OperandId use = value_at(a->p, v)->first_use; use; use = operand_at(a->p, use)->next_use) {
    OpId user = operand_at(a->p, use)->user;
    if (user >= a->n_ordered || op_at(a->p, user)->block != op_at(a->p, a->sum)->block ||
        a->todo.count >= MOST_OPS)
      return false;
    uint32_t at = a->todo.count;
    while (at > 0 && a->order[a->todo.items[at - 1]] > a->order[user]) at--;
    if (at > 0 && a->todo.items[at - 1] == user) continue;
    VEC_PUSH(&a->o->scratch, &a->todo, 0);
    for (uint32_t i = a->todo.count - 1; i > at; i--) a->todo.items[i] = a->todo.items[i - 1];
    a->todo.items[at] = user;
  }
  return true;
}

// A collective_permute under which all members of a group receive from one group, or none receives:
// then partial sums of a group stay partial sums of a group. O(devices).
static bool moves_groups(Absorb *a, OpId op) {
  const Program *p = a->p;
  const DeviceGroups *g = a->groups;
  if (op_at(p, op)->code != OP_collective_permute) return false;
  Ints pairs = attr_as_ints(p->context, op_attr(p, op, "source_target_pairs"));
  int64_t *sources = ARENA_ARRAY(&a->o->scratch, int64_t, a->o->n_devices);
  for (uint32_t k = 0; k < a->o->n_devices; k++) sources[k] = -1;
  for (uint32_t i = 0; i + 1 < pairs.n; i += 2) {
    if (pairs.v[i] < 0 || pairs.v[i] >= a->o->n_devices || pairs.v[i + 1] < 0 ||
        pairs.v[i + 1] >= a->o->n_devices)
      return false;
    sources[pairs.v[i + 1]] = pairs.v[i];
  }
  for (uint32_t i = 0; i < g->n * g->width; i++) {
    int64_t source = sources[g->members[i]], first = sources[g->members[i - i % g->width]];
    if ((source < 0) != (first < 0) || (source >= 0 && g->group_of[source] != g->group_of[first]))
      return false;
  }
  return true;
}

// The op maps partial sums to partial sums; operands that are not partial are equal in each group.
static bool goes_through(Absorb *a, OpId op) {
  Program *p = a->p;
  if (moves_groups(a, op)) return true;
  bool partial[MOST_OPERANDS];
  for (uint32_t i = 0; i < op_at(p, op)->n_operands; i++) {
    ValueId v = op_operand(p, op, i);
    partial[i] = is_partial(a, v);
    if (!partial[i] && !varies_not_in(&a->varies, v, a->groups)) return false;
  }
  return op_commutes(p, op, a->combine, partial) == a->combine;
}

// Records an add of a partial value and another sum as a target. The other sum has no other use, so
// its all_reduce can move behind the target.
static bool add_target(Absorb *a, OpId op) {
  Program *p = a->p;
  if (op_binary_reducer(p, op) != a->combine) return false;
  uint32_t index = is_partial(a, op_operand(p, op, 0)) ? 1 : 0;
  ValueId v = op_operand(p, op, index);
  OpId other = value_def(p, v);
  if (is_partial(a, v) || !fact_used_once(p, v)) return false;
  Target *before = find_target(a, v);
  if (before) {
    before->feeds_target = true;
    other = 0;
  } else if (collective_sum(p, other) != a->combine ||
             op_at(p, other)->attrs != op_at(p, a->sum)->attrs ||
             op_at(p, other)->block != op_at(p, op)->block ||
             !barriers_none_between(&a->barriers, other, op)) {
    return false;
  }
  VEC_PUSH(&a->o->scratch, &a->targets, ((Target){op, index, other, false}));
  return true;
}

// Every path from the all_reduce ends at a target.
static bool all_paths_end_at_targets(Absorb *a) {
  Program *p = a->p;
  a->todo.count = a->partials.count = a->targets.count = 0;
  if (!add_partial(a, op_result(p, a->sum, 0))) return false;
  for (uint32_t i = 0; i < a->todo.count; i++) {
    OpId op = a->todo.items[i];
    if (op_at(p, op)->n_results != 1 || op_at(p, op)->n_operands > MOST_OPERANDS ||
        !(fact_is_pure(p, op) || moves_groups(a, op)) ||
        !barriers_none_between(&a->barriers, a->sum, op))
      return false;
    if (goes_through(a, op) ? !add_partial(a, op_result(p, op, 0)) : !add_target(a, op))
      return false;
  }
  return a->targets.count > 0;
}

// Rewrites: drops the all_reduces and puts one behind each target that feeds no other.
static void absorb(Absorb *a) {
  Program *p = a->p;
  for (uint32_t i = 1; i < a->partials.count; i++)
    varies_set(a->o, &a->varies, a->partials.items[i],
               varies_along(&a->varies, a->partials.items[i]) | a->groups->axes);
  for (uint32_t i = 0; i < a->targets.count; i++) {
    const Target *target = &a->targets.items[i];
    ValueId partial = op_result(p, target->op, 0);
    uint64_t axes = varies_along(&a->varies, partial);
    varies_set(a->o, &a->varies, partial, axes | a->groups->axes);
    if (target->other) op_replace(p, target->other, op_operand(p, target->other, 0));
    if (target->feeds_target) continue;
    Builder b = rewrite_like(p, op_at(p, target->op)->next, a->sum);
    ValueId reduced = build_collective(&b, OP_all_reduce, partial, value_type(p, partial),
                                       op_at(p, a->sum)->attrs, a->combine);
    value_replace_uses(p, partial, reduced);
    operand_set(p, op_at(p, value_def(p, reduced))->operands, partial);
    varies_set(a->o, &a->varies, reduced, axes);
  }
  op_replace(p, a->sum, op_operand(p, a->sum, 0));
}

uint32_t pass_absorb(Optimizer *o) {
  Program *p = o->p;
  Absorb a = {.o = o, .p = p, .n_ordered = p->ops.count};
  a.order = ARENA_ARRAY(&o->scratch, uint32_t, a.n_ordered);
  VEC(OpId) sums = {0};
  uint32_t changes = 0, at = 0;
  for (OpId op = p->root; op; op = op_walk_next(p, op, p->root)) {
    a.order[op] = at++;
    if (collective_sum(p, op) != COMBINE_NONE) VEC_PUSH(&o->scratch, &sums, op);
  }
  if (sums.count < 2 || !o->n_devices) return 0;
  a.varies = varies_find(o);
  a.barriers = barriers_find(o);
  for (uint32_t i = 0; i < sums.count; i++) {
    a.sum = sums.items[i];
    if (a.order[a.sum] == GONE) continue;
    a.combine = collective_sum(p, a.sum);
    a.groups = collective_groups(o, a.sum);
    if (!a.groups || !all_paths_end_at_targets(&a)) continue;
    for (uint32_t k = 0; k < a.targets.count; k++) {
      OpId other = a.targets.items[k].other;
      // An all_reduce made by this pass has no number and is not visited again.
      if (other && other < a.n_ordered) a.order[other] = GONE;
    }
    absorb(&a);
    changes++;
  }
  return changes;
}
