// all_reduce, of which each device then takes its own part: a reduce_scatter. If every part is
// taken by several devices of a group, a reduce_scatter among one of each and an all_reduce among
// those that take the same. Padding in between goes before, if combining does not change it.
//
//   all_reduce [[0, 1, 2, 3]], part = device / 2  →  reduce_scatter [[0, 2], [1, 3]], all_reduce
//   [[0, 1], [2, 3]]
//
// O(ops), and O(devices) for each of these.
#include "ops/commute.h"
#include "optimize/barriers.h"
#include "optimize/collective.h"
#include "optimize/facts.h"
#include "optimize/parts.h"

typedef struct Scatter {
  uint32_t dim, n_parts;
  uint32_t *part;  // per device
} Scatter;

// Which part each device takes in one of the dimensions that are cut: as many devices of each group
// for each part.
static bool find_parts(Optimizer *o, OpId slice, const DeviceGroups *groups, uint32_t dim,
                       Scatter *out) {
  const int64_t *starts = part_starts(o, slice, dim);
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
    out->part[i] = (uint32_t)(starts[i] / tile);
    if (++count[groups->group_of[i] * n + out->part[i]] > groups->width / n) return false;
  }
  return true;
}

// Groups of one device for each part, in the order of parts; and groups of those that take the
// same.
static void find_groups(Optimizer *o, const DeviceGroups *groups, const Scatter *s, int64_t *across,
                        int64_t *along) {
  uint32_t times = groups->width / s->n_parts;
  uint32_t *used = ARENA_ARRAY(&o->scratch, uint32_t, s->n_parts);
  for (uint32_t g = 0; g < groups->n; g++) {
    for (uint32_t k = 0; k < s->n_parts; k++) used[k] = 0;
    for (uint32_t m = 0; m < groups->width; m++) {
      uint32_t device = groups->members[g * groups->width + m], k = s->part[device];
      uint32_t turn = used[k]++, base = g * groups->width;
      across[base + turn * s->n_parts + k] = device;
      along[base + k * times + turn] = device;
    }
  }
}

// The all_reduce whose result is sliced, if that is all that is done with it.
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
  return !*out_pad || op_keeps(p, op_operand(p, *out_pad, 1), combine) ? sum : 0;
}

static bool scatter(Optimizer *o, const Barriers *barriers, OpId slice) {
  Program *p = o->p;
  OpId pad, sum = find_sum(p, barriers, slice, &pad);
  const DeviceGroups *groups = sum ? collective_groups(o, sum) : NULL;
  uint32_t dim;
  if (!groups || groups->width < 2 || !part_cuts(p, slice, &dim) ||
      !type_is_static(o->context, op_operand_type(p, slice, 0)))
    return false;
  Scatter s = {0};
  const TypeInfo *in = type_info(o->context, op_operand_type(p, slice, 0)),
                 *out = type_info(o->context, op_result_type(p, slice, 0));
  bool found = false;
  for (dim = 0; dim < in->rank && !found; dim++)
    found = in->dims[dim] != out->dims[dim] && find_parts(o, slice, groups, dim, &s);
  if (!found) return false;
  Combine combine = collective_sum(p, sum);
  int64_t *across = ARENA_ARRAY(&o->scratch, int64_t, o->n_devices),
          *along = ARENA_ARRAY(&o->scratch, int64_t, o->n_devices);
  find_groups(o, groups, &s, across, along);
  uint32_t times = groups->width / s.n_parts;
  Builder b = rewrite_before(p, slice), like = rewrite_like(p, slice, sum);
  ValueId v = op_operand(p, sum, 0);
  if (pad) {
    ValueId operands[] = {v, op_operand(p, pad, 1)};
    v = build_op(&b, OP_pad, 2, operands, op_result_type(p, pad, 0), op_at(p, pad)->attrs);
  }
  Type type = type_with_dim(o->context, value_type(p, v), s.dim, out->dims[s.dim]);
  Attr attrs = collective_attrs(o, sum, groups->n * times, s.n_parts, across);
  attrs = attr_dict_with(o->context, attrs, "scatter_dimension", attr_i64(o->context, s.dim));
  v = build_collective(&like, OP_reduce_scatter, v, type, attrs, combine);
  if (times > 1) {
    attrs = collective_attrs(o, sum, groups->n * s.n_parts, times, along);
    v = build_collective(&like, OP_all_reduce, v, type, attrs, combine);
  }
  op_replace(p, slice, part_rest(o, slice, slice, v, s.dim));
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
