// Problem: an all_reduce followed by a slice sends twice the bytes of a reduce_scatter.
//
// Idea: if each device of a group slices its own shard, the two are a reduce_scatter. If several
// devices slice the same shard, reduce_scatter among one device per shard, then all_reduce among
// the devices that have the same shard:
//
//   all_reduce [[0, 1, 2, 3]], shard = device / 2
//       →  reduce_scatter [[0, 2], [1, 3]], all_reduce [[0, 1], [2, 3]]
//
// A pad in between moves before the collective if the reducer keeps the padding value (0 of a sum).
//
// Invariant: values are equal up to the order of sums; nothing else uses the all_reduce. Cost:
// O(ops), O(devices) per rewrite.
#include "ops/commute.h"
#include "optimize/barriers.h"
#include "optimize/collective.h"
#include "optimize/facts.h"
#include "optimize/own_slice.h"

typedef struct Scatter {
  uint32_t dim, n_shards;
  uint32_t *shard;  // per device: the shard that it slices
} Scatter;

// The shard that each device slices in a dimension. Each shard must be sliced by equally many
// devices of each group.
static bool find_shards(Optimizer *o, OpId slice, const DeviceGroups *groups, uint32_t dim,
                        Scatter *out) {
  const int64_t *starts = own_slice_starts(o, slice, dim);
  int64_t full = type_info(o->context, op_operand_type(o->p, slice, 0))->dims[dim],
          tile = type_info(o->context, op_result_type(o->p, slice, 0))->dims[dim];
  if (!starts || tile < 1 || full % tile || full / tile > groups->width ||
      groups->width % (full / tile))
    return false;
  uint32_t n = (uint32_t)(full / tile);
  uint32_t *count = ARENA_ARRAY(&o->scratch, uint32_t, (size_t)groups->n *n);
  *out = (Scatter){dim, n, ARENA_ARRAY(&o->scratch, uint32_t, o->n_devices)};
  for (uint32_t i = 0; i < o->n_devices; i++) {
    if (starts[i] % tile) return false;
    out->shard[i] = (uint32_t)(starts[i] / tile);
    if (++count[groups->group_of[i] * n + out->shard[i]] > groups->width / n) return false;
  }
  return true;
}

// across: groups of one device per shard, in the order of shards. along: groups of devices with the
// same shard.
static void find_groups(Optimizer *o, const DeviceGroups *groups, const Scatter *s, int64_t *across,
                        int64_t *along) {
  uint32_t times = groups->width / s->n_shards;
  uint32_t *used = ARENA_ARRAY(&o->scratch, uint32_t, s->n_shards);
  for (uint32_t g = 0; g < groups->n; g++) {
    for (uint32_t k = 0; k < s->n_shards; k++) used[k] = 0;
    for (uint32_t m = 0; m < groups->width; m++) {
      uint32_t device = groups->members[g * groups->width + m], k = s->shard[device];
      uint32_t turn = used[k]++, base = g * groups->width;
      across[base + turn * s->n_shards + k] = device;
      along[base + k * times + turn] = device;
    }
  }
}

// The all_reduce whose result is only sliced, perhaps behind a pad; else 0.
static OpId find_sum(const Program *p, const Barriers *barriers, OpId slice, OpId *out_pad) {
  ValueId v = op_operand(p, slice, 0);
  OpId pad = fact_def(p, v, OP_pad), block = op_at(p, slice)->block;
  *out_pad = 0;
  if (pad && fact_used_once(p, v)) {
    *out_pad = pad;
    v = op_operand(p, pad, 0);
  }
  OpId sum = value_def(p, v);
  Combine combine = collective_sum(p, sum);
  if (combine == COMBINE_NONE || op_at(p, sum)->block != block || !fact_used_once(p, v) ||
      !barriers_none_between(barriers, sum, slice))
    return 0;
  return !*out_pad || op_reduces_to_itself(p, op_operand(p, *out_pad, 1), combine) ? sum : 0;
}

static bool scatter(Optimizer *o, const Barriers *barriers, OpId slice) {
  Program *p = o->p;
  OpId pad, sum = find_sum(p, barriers, slice, &pad);
  const DeviceGroups *groups = sum ? collective_groups(o, sum) : NULL;
  uint32_t dim;
  if (!groups || groups->width < 2 || !own_slice_dims(p, slice, &dim) ||
      !type_is_static(o->context, op_operand_type(p, slice, 0)))
    return false;
  Scatter s = {0};
  const TypeInfo *in = type_info(o->context, op_operand_type(p, slice, 0)),
                 *out = type_info(o->context, op_result_type(p, slice, 0));
  bool found = false;
  for (dim = 0; dim < in->rank && !found; dim++)
    found = in->dims[dim] != out->dims[dim] && find_shards(o, slice, groups, dim, &s);
  if (!found) return false;
  Combine combine = collective_sum(p, sum);
  int64_t *across = ARENA_ARRAY(&o->scratch, int64_t, o->n_devices),
          *along = ARENA_ARRAY(&o->scratch, int64_t, o->n_devices);
  find_groups(o, groups, &s, across, along);
  uint32_t times = groups->width / s.n_shards;
  Builder b = rewrite_before(p, slice), like = rewrite_like(p, slice, sum);
  ValueId v = op_operand(p, sum, 0);
  if (pad) {
    ValueId operands[] = {v, op_operand(p, pad, 1)};
    v = build_op(&b, OP_pad, 2, operands, op_result_type(p, pad, 0), op_at(p, pad)->attrs);
  }
  Type type = type_with_dim(o->context, value_type(p, v), s.dim, out->dims[s.dim]);
  Attr attrs = collective_attrs(o, sum, groups->n * times, s.n_shards, across);
  attrs = attr_dict_with(o->context, attrs, "scatter_dimension", attr_i64(o->context, s.dim));
  v = build_collective(&like, OP_reduce_scatter, v, type, attrs, combine);
  if (times > 1) {
    attrs = collective_attrs(o, sum, groups->n * s.n_shards, times, along);
    v = build_collective(&like, OP_all_reduce, v, type, attrs, combine);
  }
  op_replace(p, slice, own_slice_rest(o, slice, slice, v, s.dim));
  if (pad) op_erase(p, pad);
  op_erase(p, sum);
  return true;
}

uint32_t pass_scatter(Optimizer *o) {
  Program *p = o->p;
  uint32_t changes = 0;
  if (o->n_devices < 2) return 0;
  Barriers barriers = barriers_find(o);
  for (OpId op = p->root, next; op; op = next) {
    next = op_walk_next(p, op, p->root);
    if (op_at(p, op)->code == OP_dynamic_slice) changes += scatter(o, &barriers, op);
  }
  return changes;
}
