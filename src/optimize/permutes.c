// Problem: a roll along a sharded dimension permutes a value twice and selects one result per
// device.
//
// Idea: if the select's predicate is known on every device, one permute sends each device the value
// that it selects. Requires that every device receives one and that no device sends twice. Cost:
// O(selects · devices²) in the worst case, since pairs are searched linearly.
#include "optimize/known.h"

static OpId permute_of(const Program *p, ValueId v) {
  OpId op = value_def(p, v);
  return op && op_at(p, op)->code == OP_collective_permute ? op : 0;
}

// The device that sends to this one; -1 = none.
static int64_t source_of(Ints pairs, int64_t device) {
  for (uint32_t i = 0; i + 1 < pairs.n; i += 2)
    if (pairs.v[i + 1] == device) return pairs.v[i];
  return -1;
}

static bool join(Optimizer *o, OpId select) {
  Program *p = o->p;
  OpId a = permute_of(p, op_operand(p, select, 1)), b = permute_of(p, op_operand(p, select, 2));
  if (!a || !b || a == b || op_operand(p, a, 0) != op_operand(p, b, 0)) return false;
  BlockId block = op_at(p, select)->block;
  if (op_at(p, a)->block != block || op_at(p, b)->block != block) return false;
  const int64_t *takes_a = known_on_devices(o, op_operand(p, select, 0));
  if (!takes_a) return false;
  Ints pairs[2] = {attr_as_ints(o->context, op_attr(p, a, "source_target_pairs")),
                   attr_as_ints(o->context, op_attr(p, b, "source_target_pairs"))};
  uint32_t n = o->n_devices;
  int64_t(*both)[2] = arena_alloc(&o->scratch, n * sizeof *both);
  bool *sends = ARENA_ARRAY(&o->scratch, bool, n);
  for (uint32_t k = 0; k < n; k++) {
    int64_t from = source_of(pairs[takes_a[k] ? 0 : 1], k);
    if (from < 0 || from >= n || sends[from]) return false;
    sends[from] = true;
    both[k][0] = from;
    both[k][1] = k;
  }
  Builder like = rewrite_like(p, select, a);
  ValueId v = build_permute_ids(&like, op_operand(p, a, 0), n, (const int64_t(*)[2])both);
  value_replace_uses(p, op_result(p, select, 0), v);
  return true;
}

uint32_t pass_permutes(Optimizer *o) {
  uint32_t joined = 0;
  if (!o->n_devices) return 0;
  for (OpId op = o->p->root; op; op = op_walk_next(o->p, op, o->p->root))
    if (op_at(o->p, op)->code == OP_select && join(o, op)) joined++;
  return joined;
}
