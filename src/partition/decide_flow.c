// Control flow, calls, named computations and manual computations.
//
// Invariant. A place has one sharding (graph/graph.h). A loop carry has the same one inside and
// outside, so values are resharded to it at the region's border: operands before the op, results
// before the terminator. Inlined functions have no border: copies of operands become copies of
// arguments, in any sharding.
//
// Cost. O(size of the regions), without the ops in them.
#include <string.h>

#include "partition/single_device.h"
#include "partition/walk.h"

// ---- regions ----

// The terminator's operands in the shardings that their targets have.
Status *walk_terminator(Partition *t, OpId op, const Sharding *targets) {
  uint32_t n = op_at(t->p, op)->n_operands;
  CopyId *in = ARENA_ARRAY(&t->scratch, CopyId, n + 1);
  t->local.origin = op;
  for (uint32_t i = 0; i < n; i++)
    TRY(walk_get(t, op_operand(t->p, op, i), targets ? targets[i] : 0, &in[i]));
  Decision *d = walk_decide(t, DECISION_END, op, n, 0);
  memcpy(decision_in(d), in, n * sizeof *in);
  return NULL;
}

// One region: arguments with local types, ops, the terminator.
static Status *decide_region(Partition *t, OpId op, uint32_t region, const Sharding *targets) {
  BlockId source = region_block(t->p, op_region(t->p, op, region));
  if (!source) return NULL;
  uint32_t mark = walk_mark(t), n_args = block_at(t->p, source)->n_args;
  t->effect_at = NO_DEVICE;
  Decision *d = walk_decide(t, DECISION_REGION, op, 0, n_args);
  d->region = region;
  for (uint32_t i = 0; i < n_args; i++) {
    ValueId v = block_arg(t->p, source, i);
    Sharding sharding = walk_required(t, v);
    CopyId arg = walk_new_copy(t, v, sharding, 0);
    decision_out(d)[i] = arg;
    walk_set(t, v, arg, sharding);
  }
  TRY(walk_block(t, source));
  OpId last = block_at(t->p, source)->last;
  if (last && (op_row(op_at(t->p, last)->code)->traits & TRAIT_TERMINATOR))
    TRY(walk_terminator(t, last, targets));
  else
    walk_decide(t, DECISION_END, 0, 0, 0);
  t->effect_at = NO_DEVICE;
  walk_rewind(t, mark);
  return NULL;
}

// Reshards the values that regions read from outside, before the op. Inside, each iteration would
// reshard them again.
static Status *reshard_captured(Partition *t, OpId op) {
  for (OpId o = op_walk_next(t->p, op, op); o; o = op_walk_next(t->p, o, op))
    for (uint32_t i = 0; i < op_at(t->p, o)->n_operands; i++) {
      ValueId v = op_operand(t->p, o, i);
      CopyId copy;
      if (t->copies[v] && !walk_is_rematerialized(t, v))
        TRY(walk_get(t, v, walk_required(t, v), &copy));
    }
  return NULL;
}

Status *walk_flow(Partition *t, OpId op, Flow flow) {
  const Op *o = op_at(t->p, op);
  uint32_t n_in = o->n_operands, n_out = o->n_results, n_regions = o->n_regions;
  CopyId *in = ARENA_ARRAY(&t->scratch, CopyId, n_in + 1);
  Sharding *targets = ARENA_ARRAY(&t->scratch, Sharding, n_out + 1);
  for (uint32_t i = 0; i < n_out; i++) targets[i] = walk_required(t, op_result(t->p, op, i));
  bool carries = flow == FLOW_LOOP || flow == FLOW_EACH;
  TRY(given_check_kind(t, op, DECISION_FLOW, 0));
  for (uint32_t i = 0; i < n_in; i++) {
    Sharding as = carries && i < n_out ? targets[i] : 0;
    TRY(walk_get(t, op_operand(t->p, op, i), as, &in[i]));
  }
  TRY(reshard_captured(t, op));
  Decision *d = walk_decide(t, DECISION_FLOW, op, n_in, n_out);
  memcpy(decision_in(d), in, n_in * sizeof *in);
  const CopyId *out = d->out;
  for (uint32_t i = 0; i < n_out; i++)
    decision_out(d)[i] = walk_new_copy(t, op_result(t->p, op, i), targets[i], 0);
  for (uint32_t r = 0; r < n_regions; r++) {
    // A loop's condition returns its predicate, replicated; a body returns the next carries.
    bool returns = flow == FLOW_BRANCH || r + 1 == n_regions;
    walk_enter_region(t, op, r);
    TRY(decide_region(t, op, r, returns ? targets : NULL));
    walk_leave_region(t);
  }
  for (uint32_t i = 0; i < n_out; i++) walk_set(t, op_result(t->p, op, i), out[i], targets[i]);
  return NULL;
}

// ---- bodies in place ----

// The sharding of a place on the other side of a manual computation's border: outside for an
// argument of the body (with the manual axes), inside for a result (without them).
static Sharding other_side(Partition *t, PlaceId place) {
  const Graph *g = t->graph;
  Sharding stored = walk_given_sharding(t, place);
  for (uint32_t i = place ? g->adjacent_first[place] : 0; place && i < g->adjacent_first[place + 1];
       i++) {
    const Node *node = &g->nodes[g->adjacent[i]];
    uint32_t last = factor_map_n_tensors(node_map(g, g->adjacent[i])) - 1;
    if (node->view && node_tensors(g, g->adjacent[i])[last] == place)
      return walk_on_mesh(t, view_seen(g, node->view, stored, &t->scratch));
  }
  return walk_on_mesh(t, stored);
}

// sdy.named_computation: the body replaces the op.
static Status *decide_named(Partition *t, OpId op) {
  BlockId block = region_block(t->p, op_region(t->p, op, 0));
  for (uint32_t i = 0; i < op_at(t->p, op)->n_operands; i++) {
    ValueId v = block_arg(t->p, block, i);
    Sharding sharding = walk_required(t, v);
    CopyId copy;
    TRY(walk_get(t, op_operand(t->p, op, i), sharding, &copy));
    walk_set(t, v, copy, sharding);
  }
  TRY(walk_block(t, block));
  OpId last = block_at(t->p, block)->last;
  for (uint32_t i = 0; i < op_at(t->p, op)->n_results; i++) {
    const Copy *copy = t->copies[op_operand(t->p, last, i)];
    TRY(walk_finish(t, op_result(t->p, op, i), copy->id, copy->sharding));
  }
  return NULL;
}

// The sharding with the first counts[d] axes of each dimension d.
static Sharding with_axes(Partition *t, Sharding sharding, const uint32_t *counts) {
  if (!sharding) return 0;
  ShardingInfo info = *sharding_info(t->table, sharding);
  DimSharding *dims = ARENA_ARRAY(&t->scratch, DimSharding, info.rank + 1);
  ShardFactor *factors = ARENA_ARRAY(&t->scratch, ShardFactor, info.rank + 1);
  for (uint32_t d = 0; d < info.rank; d++) {
    factors[d].axes = sharding_dim_axes(sharding_info(t->table, sharding), d);
    if (factors[d].axes.n > counts[d]) factors[d].axes.n = counts[d];
    dims[d] = (DimSharding){&factors[d], 1, false, PRIORITY_NONE};
  }
  info.dims = dims;
  return walk_on_mesh(t, sharding_intern(t->table, &info));
}

// Makes both sides of a manual computation's border have the same tiles. A tile of a manual tile is
// a tile of the global tensor only if the sizes divide. Otherwise both sides lose the free axes of
// the dimension.
//
//   global [12] over manual "m"=2 and free "f"=4: inside [6], which 4 does not divide. The tile of
//   m=1, f=0 begins at 6 inside and at 8 outside, so neither side is sharded over "f".
//
// inside: the type of the value there.
static void make_tiles_agree(Partition *t, Type inside, Sharding *inner, Sharding *outer) {
  const TypeInfo *type = type_info(t->context, inside);
  if (!*inner || !*outer) return;
  uint32_t in[64], out[64], rank = sharding_info(t->table, *inner)->rank;
  bool differ = false;
  for (uint32_t d = 0; d < rank && d < 64; d++) {
    AxisList own = sharding_dim_axes(sharding_info(t->table, *inner), d),
             all = sharding_dim_axes(sharding_info(t->table, *outer), d);
    bool divides = type->dims[d] % axes_size(own) == 0 || all.n <= own.n;
    in[d] = divides ? own.n : 0;
    out[d] = divides ? all.n : all.n - own.n;
    differ |= !divides;
  }
  if (!differ) return;
  *inner = with_axes(t, *inner, in);
  *outer = with_axes(t, *outer, out);
}

// sdy.manual_computation: the body is per device along the manual axes. An argument of the body is
// a tile of the operand along these axes, so a device's shard is both. Along the other (free) axes
// the body is partitioned as any other code.
static Status *decide_manual(Partition *t, OpId op) {
  BlockId block = region_block(t->p, op_region(t->p, op, 0));
  uint32_t n_results = op_at(t->p, op)->n_results;
  for (uint32_t i = 0; i < op_at(t->p, op)->n_operands; i++) {
    ValueId v = block_arg(t->p, block, i);
    CopyId copy;
    Sharding inner = walk_required(t, v),
             outer = other_side(t, graph_place(t->graph, t->instance, v));
    make_tiles_agree(t, value_type(t->p, v), &inner, &outer);
    TRY(walk_get(t, op_operand(t->p, op, i), outer, &copy));
    if (walk_local_type(t, inner, value_type(t->p, v)) != t->infos.items[copy].type)
      return walk_unimplemented(t, op, "has an argument whose tiles do not divide");
    walk_set(t, v, copy, inner);
  }
  Sharding *outers = ARENA_ARRAY(&t->scratch, Sharding, n_results + 1);
  for (uint32_t i = 0; i < n_results; i++) outers[i] = walk_required(t, op_result(t->p, op, i));
  AxisList around = t->local.manual;
  Attr attr = attr_get(t->context, op_attr(t->p, op, "manual_axes"), "axes");
  const AttrInfo *names = attr_info(t->context, attr);
  const Mesh *mesh = sharding_mesh(t->table, t->mesh);
  for (uint32_t i = 0; mesh && i < names->count; i++) {
    Attr name = attr_info(t->context, attr)->items[i];
    uint32_t axis = mesh_find_axis(mesh, attr_as_name(t->context, name));
    if (axis == MESH_NO_AXIS) return walk_unimplemented(t, op, "has manual axes of another mesh");
    AxisRef full = axis_full(mesh, axis);
    t->local.manual = axes_concat(&t->arena, t->local.manual, (AxisList){&full, 1});
  }
  t->manual++;
  TRY(walk_block(t, block));
  OpId last = block_at(t->p, block)->last;
  CopyId *copies = ARENA_ARRAY(&t->scratch, CopyId, n_results + 1);
  for (uint32_t i = 0; i < n_results; i++) {
    Sharding inner = other_side(t, graph_place(t->graph, t->instance, op_result(t->p, op, i)));
    make_tiles_agree(t, op_operand_type(t->p, last, i), &inner, &outers[i]);
    TRY(walk_get(t, op_operand(t->p, last, i), inner, &copies[i]));
  }
  t->manual--;
  t->local.manual = around;
  for (uint32_t i = 0; i < n_results; i++) {
    ValueId v = op_result(t->p, op, i);
    if (walk_local_type(t, outers[i], value_type(t->p, v)) != t->infos.items[copies[i]].type)
      return walk_unimplemented(t, op, "has a result whose tiles do not divide");
    walk_set(t, v, copies[i], outers[i]);
  }
  return NULL;
}

Status *walk_body(Partition *t, OpId op) {
  return op_attr(t->p, op, "manual_axes") ? decide_manual(t, op) : decide_named(t, op);
}

// ---- calls ----

static InstanceId instance_of_call(const Partition *t, OpId op, OpId callee) {
  InstanceId own = walk_instance_at(t, op, t->instance);
  return own ? own : graph_instance_of(t->graph, callee);
}

// Bounds the inlined calls: a chain of n functions that call the next one twice has 2^n.
enum { MOST_INLINED_CALLS = 1 << 14 };

// Makes all copies of a value copies of another value, too. Recursive, to keep their order.
static void share_copies(Partition *t, const Copy *copy, ValueId to) {
  if (!copy) return;
  share_copies(t, copy->next, to);
  walk_set(t, to, copy->id, copy->sharding);
  t->copies[to]->used = copy->used;
  t->copies[to]->gathered = copy->gathered;
}

// May the value cross the border of an inlined function in any sharding? Not in manual
// computations. A rematerialized value takes the argument's sharding at the border, since the
// argument itself cannot be rematerialized.
static bool crosses_freely(const Partition *t, ValueId v) {
  return !t->manual && !walk_is_rematerialized(t, v);
}

static Status *enter_call(Partition *t, OpId op, BlockId block, InstanceId inner) {
  for (uint32_t i = 0; i < op_at(t->p, op)->n_operands; i++) {
    ValueId v = op_operand(t->p, op, i), arg = block_arg(t->p, block, i);
    CopyId copy;
    if (crosses_freely(t, v)) {
      share_copies(t, t->copies[v], arg);
      continue;
    }
    Sharding has = walk_place_sharding(t, graph_place(t->graph, inner, arg));
    TRY(walk_get(t, v, has, &copy));
    walk_set(t, arg, copy, has);
  }
  return NULL;
}

// Walks a function's body in place of its call: in a manual computation, where types are per
// device, and if inline.c has chosen so.
static Status *inline_call(Partition *t, OpId op, OpId callee) {
  if (t->manual && t->n_inlined++ == MOST_INLINED_CALLS)
    return walk_unimplemented(t, op,
                              "is one call too many in manual computations, where each is "
                              "inlined");
  uint32_t n_results = op_at(t->p, op)->n_results;
  BlockId block = region_block(t->p, op_region(t->p, callee, 0));
  InstanceId outer = t->instance, inner = instance_of_call(t, op, callee);
  Copy **free = ARENA_ARRAY(&t->scratch, Copy *, n_results + 1);
  CopyId *copies = ARENA_ARRAY(&t->scratch, CopyId, n_results + 1);
  Sharding *has = ARENA_ARRAY(&t->scratch, Sharding, n_results + 1);
  uint32_t mark = walk_mark(t), visit = t->visit;
  TRY(enter_call(t, op, block, inner));
  if (!walk_instance_at(t, op, outer)) t->visit = ++t->n_visits;
  t->instance = inner;
  TRY(walk_block(t, block));
  OpId last = block_at(t->p, block)->last;
  for (uint32_t i = 0; i < n_results; i++) {
    ValueId v = op_operand(t->p, last, i);
    has[i] = walk_place_sharding(t, graph_result_place(t->graph, inner, i));
    free[i] = crosses_freely(t, v) ? t->copies[v] : NULL;
    if (!free[i]) TRY(walk_get(t, v, has[i], &copies[i]));
  }
  walk_rewind(t, mark);
  t->instance = outer;
  t->visit = visit;
  for (uint32_t i = 0; i < n_results; i++) {
    ValueId v = op_result(t->p, op, i);
    share_copies(t, free[i], v);
    if (!free[i]) TRY(walk_finish(t, v, copies[i], has[i]));
  }
  return NULL;
}

Status *walk_call(Partition *t, OpId op, OpId callee) {
  if (t->manual || t->inlined[callee]) return inline_call(t, op, callee);
  InstanceId to = graph_instance_of(t->graph, callee);
  uint32_t n_in = op_at(t->p, op)->n_operands, n_out = op_at(t->p, op)->n_results;
  BlockId block = region_block(t->p, op_region(t->p, callee, 0));
  CopyId *in = ARENA_ARRAY(&t->scratch, CopyId, n_in + 1);
  TRY(given_check_kind(t, op, DECISION_CALL, 0));
  for (uint32_t i = 0; i < n_in; i++) {
    PlaceId place = graph_place(t->graph, to, block_arg(t->p, block, i));
    TRY(walk_get(t, op_operand(t->p, op, i), walk_place_sharding(t, place), &in[i]));
  }
  Decision *d = walk_decide(t, DECISION_CALL, op, n_in, n_out);
  memcpy(decision_in(d), in, n_in * sizeof *in);
  const CopyId *out = d->out;
  for (uint32_t i = 0; i < n_out; i++) {
    Sharding has = walk_place_sharding(t, graph_result_place(t->graph, to, i));
    decision_out(d)[i] = walk_new_copy(t, op_result(t->p, op, i), has, 0);
  }
  t->effect_at = NO_DEVICE;
  for (uint32_t i = 0; i < n_out; i++)
    TRY(walk_finish(t, op_result(t->p, op, i), out[i], t->infos.items[out[i]].sharding));
  return NULL;
}
