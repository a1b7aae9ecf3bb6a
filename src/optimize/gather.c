// Problem: a reshard gathers a dimension, and each device then slices a few of the gathered shards.
//
// Idea: find the shards that each device uses; the offsets are known on every device (own_slice.h).
// Let `has` be the size of a shard, `needs` the size of the slice:
// - every slice lies in the device's own shard: no collective, a local slice
// - every slice is exactly one shard: a collective_permute, if no device sends twice
// - slices are aligned blocks of `times` shards of neighbours: an all_gather in smaller groups
//
// Invariant: values are equal bit by bit. The permute and the smaller gather require that nothing
// else uses the all_gather, so bytes sent only decrease. Cost: O(ops), O(devices) per rewrite.
#include "optimize/barriers.h"
#include "optimize/collective.h"
#include "optimize/facts.h"
#include "optimize/own_slice.h"

// For each device the index in the group of the shard in which its slice begins.
static bool find_sources(Optimizer *o, OpId slice, uint32_t dim, int64_t tile, uint32_t width,
                         const int64_t **out_starts, uint32_t *sources) {
  *out_starts = own_slice_starts(o, slice, dim);
  if (!*out_starts || tile < 1) return false;
  for (uint32_t i = 0; i < o->n_devices; i++) {
    int64_t source = (*out_starts)[i] / tile;
    if (source >= width) return false;
    sources[i] = (uint32_t)source;
  }
  return true;
}

// A slice inside the device's own shard: offsets are taken modulo the shard's size.
static ValueId slice_own_shard(Optimizer *o, OpId slice, ValueId v, uint32_t dim, int64_t tile) {
  Program *p = o->p;
  const TypeInfo *out = type_info(o->context, op_result_type(p, slice, 0));
  ValueId starts[MAX_RANK];
  for (uint32_t d = 0; d < out->rank; d++) starts[d] = op_operand(p, slice, 1 + d);
  Builder b = rewrite_before(p, slice);
  ValueId size = build_splat(&b, value_type(p, starts[dim]), scalar_i(tile));
  starts[dim] = build_binary(&b, OP_remainder, starts[dim], size);
  return build_dynamic_slice_at(&b, v, starts, out->dims);
}

// A permute that gives each device the shard it slices; 0 if a device would send to two others.
static ValueId permuted(Optimizer *o, OpId before, OpId gather, const DeviceGroups *groups,
                        const uint32_t *sources) {
  Program *p = o->p;
  int64_t(*pairs)[2] = arena_alloc(&o->scratch, o->n_devices * sizeof *pairs);
  bool *sends = ARENA_ARRAY(&o->scratch, bool, o->n_devices);
  for (uint32_t i = 0; i < o->n_devices; i++) {
    uint32_t from = groups->members[groups->group_of[i] * groups->width + sources[i]];
    if (sends[from]) return 0;
    sends[from] = true;
    pairs[i][0] = from;
    pairs[i][1] = i;
  }
  Builder b = rewrite_like(p, before, gather);
  return build_permute_ids(&b, op_operand(p, gather, 0), o->n_devices, (const int64_t(*)[2])pairs);
}

// An all_gather among `times` neighbours of each group.
static ValueId gathered(Optimizer *o, OpId before, OpId gather, const DeviceGroups *groups,
                        uint32_t dim, uint32_t times) {
  Program *p = o->p;
  int64_t *ids = ARENA_ARRAY(&o->scratch, int64_t, o->n_devices);
  for (uint32_t i = 0; i < o->n_devices; i++) ids[i] = groups->members[i];
  ValueId v = op_operand(p, gather, 0);
  int64_t size = type_info(o->context, value_type(p, v))->dims[dim];
  Attr attrs = collective_attrs(o, gather, o->n_devices / times, times, ids);
  Builder b = rewrite_like(p, before, gather);
  return build_op(&b, OP_all_gather, 1, &v,
                  type_with_dim(o->context, value_type(p, v), dim, size * times), attrs);
}

static bool rewrite_slice(Optimizer *o, const Barriers *barriers, OpId slice) {
  Program *p = o->p;
  OpId gather = fact_def(p, op_operand(p, slice, 0), OP_all_gather);
  if (!gather || op_at(p, gather)->n_operands != 1 ||
      !barriers_none_between(barriers, gather, slice))
    return false;
  const DeviceGroups *groups = collective_groups(o, gather);
  int64_t at = attr_as_int(o->context, op_attr(p, gather, "all_gather_dim"), -1);
  const TypeInfo *in = type_info(o->context, op_operand_type(p, gather, 0)),
                 *out = type_info(o->context, op_result_type(p, slice, 0));
  if (!groups || at < 0 || at >= (int64_t)in->rank || groups->width < 2 ||
      !type_is_static(o->context, op_operand_type(p, gather, 0)) ||
      !type_is_static(o->context, op_operand_type(p, slice, 0)))
    return false;
  uint32_t dim = (uint32_t)at, *sources = ARENA_ARRAY(&o->scratch, uint32_t, o->n_devices);
  int64_t has = in->dims[dim], needs = out->dims[dim];
  const int64_t *starts;
  if (has < 1 || needs < 1 || needs == has * groups->width ||
      !find_sources(o, slice, dim, has, groups->width, &starts, sources))
    return false;
  bool own = true, exact = true, block = needs % has == 0;
  uint32_t times = block ? (uint32_t)(needs / has) : 0;
  for (uint32_t i = 0; i < o->n_devices; i++) {
    own &= sources[i] == groups->index_in_group[i] && starts[i] + needs <= (sources[i] + 1) * has;
    exact &= starts[i] % has == 0 && needs == has;
    block =
        block && starts[i] % needs == 0 && starts[i] / needs == groups->index_in_group[i] / times;
  }
  bool only_use = fact_used_once(p, op_result(p, gather, 0)) &&
                  op_at(p, gather)->block == op_at(p, slice)->block;
  ValueId v = op_operand(p, gather, 0);
  if (own && exact)
    v = own_slice_rest(o, slice, slice, v, dim);
  else if (own)
    v = slice_own_shard(o, slice, v, dim, has);
  else if (exact && only_use && (v = permuted(o, slice, gather, groups, sources)) != 0)
    v = own_slice_rest(o, slice, slice, v, dim);
  else if (block && only_use && times > 1 && groups->width % times == 0)
    v = own_slice_rest(o, slice, slice, gathered(o, slice, gather, groups, dim, times), dim);
  else
    return false;
  op_replace(p, slice, v);
  if (!value_has_uses(p, op_result(p, gather, 0))) op_erase(p, gather);
  return true;
}

uint32_t pass_gather(Optimizer *o) {
  Program *p = o->p;
  uint32_t changes = 0;
  if (o->n_devices < 2) return 0;
  Barriers barriers = barriers_find(o);
  for (OpId op = p->root, next; op; op = next) {
    next = op_walk_next(p, op, p->root);
    if (op_at(p, op)->code == OP_dynamic_slice) changes += rewrite_slice(o, &barriers, op);
  }
  return changes;
}
