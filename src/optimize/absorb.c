// A sum all of whose ways lead to other sums is not made for itself: the ops between are done on
// parts, and what they give is added to the parts of those others (what a gradient of a value takes
// through, to gradients that are summed anyway). Every op on the way must give parts of parts
// (ops/commute.h), or permute them so that groups stay together; how large they are in between does
// not matter, since nothing more of it is exchanged.
// What is followed has a most length. O(ops).
#include "base/vec.h"
#include "ops/commute.h"
#include "optimize/barriers.h"
#include "optimize/facts.h"
#include "optimize/varies.h"

enum { MOST_OPERANDS = 16, MOST_OPS = 64 };
static const uint32_t GONE = UINT32_MAX;

// Where a way ends: a sum of what came along it and of another sum.
typedef struct End {
  OpId op;
  uint32_t index;  // of the operand that the other sum makes
  OpId other;      // 0: the end of another way, which goes on to here
  bool goes_on;
} End;

typedef struct Absorb {
  Optimizer *o;
  Program *p;
  Varies varies;
  Barriers barriers;
  uint32_t *place;  // per op there was: in program order
  uint32_t n_places;
  OpId sum;
  const DeviceGroups *groups;
  Combine combine;
  VEC(OpId) todo;      // in program order
  VEC(ValueId) parts;  // what comes in parts then
  VEC(End) ends;
} Absorb;

static bool is_part(const Absorb *a, ValueId v) {
  for (uint32_t i = 0; i < a->parts.count; i++)
    if (a->parts.items[i] == v) return true;
  return false;
}

static End *find_end(Absorb *a, ValueId v) {
  OpId op = value_def(a->p, v);
  for (uint32_t i = 0; op && i < a->ends.count; i++)
    if (a->ends.items[i].op == op) return &a->ends.items[i];
  return NULL;
}

// The value's users are looked at in program order, each once; false if one cannot be.
static bool follow(Absorb *a, ValueId v) {
  VEC_PUSH(&a->o->scratch, &a->parts, v);
  for (OperandId use = value_at(a->p, v)->first_use; use; use = operand_at(a->p, use)->next_use) {
    OpId user = operand_at(a->p, use)->user;
    if (user >= a->n_places || op_at(a->p, user)->block != op_at(a->p, a->sum)->block ||
        a->todo.count >= MOST_OPS)
      return false;
    uint32_t at = a->todo.count;
    while (at > 0 && a->place[a->todo.items[at - 1]] > a->place[user]) at--;
    if (at > 0 && a->todo.items[at - 1] == user) continue;
    VEC_PUSH(&a->o->scratch, &a->todo, 0);
    for (uint32_t i = a->todo.count - 1; i > at; i--) a->todo.items[i] = a->todo.items[i - 1];
    a->todo.items[at] = user;
  }
  return true;
}

// A permute that takes what the devices of one group have to those of one group, or nothing.
// O(devices).
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

// Does the op give parts of parts, all else being the same everywhere?
static bool goes_through(Absorb *a, OpId op) {
  Program *p = a->p;
  if (moves_groups(a, op)) return true;
  bool partial[MOST_OPERANDS];
  for (uint32_t i = 0; i < op_at(p, op)->n_operands; i++) {
    ValueId v = op_operand(p, op, i);
    partial[i] = is_part(a, v);
    if (!partial[i] && !varies_not_in(&a->varies, v, a->groups)) return false;
  }
  return op_commutes(p, op, a->combine, partial) == a->combine;
}

static bool add_end(Absorb *a, OpId op) {
  Program *p = a->p;
  if (op_joins(p, op) != a->combine) return false;
  uint32_t index = is_part(a, op_operand(p, op, 0)) ? 1 : 0;
  ValueId v = op_operand(p, op, index);
  OpId other = value_def(p, v);
  if (is_part(a, v) || !fact_used_once(p, v)) return false;
  End *before = find_end(a, v);
  if (before) {
    before->goes_on = true;
    other = 0;
  } else if (collective_sum(p, other) != a->combine ||
             op_at(p, other)->attrs != op_at(p, a->sum)->attrs ||
             op_at(p, other)->block != op_at(p, op)->block ||
             !barriers_none_between(&a->barriers, other, op)) {
    return false;
  }
  VEC_PUSH(&a->o->scratch, &a->ends, ((End){op, index, other, false}));
  return true;
}

static bool ways_end(Absorb *a) {
  Program *p = a->p;
  a->todo.count = a->parts.count = a->ends.count = 0;
  if (!follow(a, op_result(p, a->sum, 0))) return false;
  for (uint32_t i = 0; i < a->todo.count; i++) {
    OpId op = a->todo.items[i];
    if (op_at(p, op)->n_results != 1 || op_at(p, op)->n_operands > MOST_OPERANDS ||
        !(fact_is_pure(p, op) || moves_groups(a, op)) ||
        !barriers_none_between(&a->barriers, a->sum, op))
      return false;
    if (goes_through(a, op) ? !follow(a, op_result(p, op, 0)) : !add_end(a, op)) return false;
  }
  return a->ends.count > 0;
}

static void absorb(Absorb *a) {
  Program *p = a->p;
  for (uint32_t i = 1; i < a->parts.count; i++)
    varies_set(a->o, &a->varies, a->parts.items[i],
               varies_along(&a->varies, a->parts.items[i]) | a->groups->axes);
  for (uint32_t i = 0; i < a->ends.count; i++) {
    const End *end = &a->ends.items[i];
    ValueId part = op_result(p, end->op, 0);
    uint64_t axes = varies_along(&a->varies, part);
    varies_set(a->o, &a->varies, part, axes | a->groups->axes);
    if (end->other) op_replace(p, end->other, op_operand(p, end->other, 0));
    if (end->goes_on) continue;
    Builder b = rewrite_like(p, op_at(p, end->op)->next, a->sum);
    ValueId whole = build_collective(&b, OP_all_reduce, part, value_type(p, part),
                                     op_at(p, a->sum)->attrs, a->combine);
    value_replace_uses(p, part, whole);
    operand_set(p, op_at(p, value_def(p, whole))->operands, part);
    varies_set(a->o, &a->varies, whole, axes);
  }
  op_replace(p, a->sum, op_operand(p, a->sum, 0));
}

uint32_t pass_absorb(Optimizer *o) {
  Program *p = o->p;
  Absorb a = {.o = o, .p = p, .n_places = p->ops.count};
  a.place = ARENA_ARRAY(&o->scratch, uint32_t, a.n_places);
  VEC(OpId) sums = {0};
  uint32_t changes = 0, at = 0;
  for (OpId op = p->root; op; op = op_walk_next(p, op, p->root)) {
    a.place[op] = at++;
    if (collective_sum(p, op) != COMBINE_NONE) VEC_PUSH(&o->scratch, &sums, op);
  }
  if (sums.count < 2 || !o->n_devices) return 0;
  a.varies = varies_find(o);
  a.barriers = barriers_find(o);
  for (uint32_t i = 0; i < sums.count; i++) {
    a.sum = sums.items[i];
    if (a.place[a.sum] == GONE) continue;
    a.combine = collective_sum(p, a.sum);
    a.groups = collective_groups(o, a.sum);
    if (!a.groups || !ways_end(&a)) continue;
    for (uint32_t k = 0; k < a.ends.count; k++) {
      OpId other = a.ends.items[k].other;  // made here, it has no place, and is not looked at again
      if (other && other < a.n_places) a.place[other] = GONE;
    }
    absorb(&a);
    changes++;
  }
  return changes;
}
