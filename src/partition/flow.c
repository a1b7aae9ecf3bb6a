// Control flow, calls, bodies that only have a name or are written per device.
#include "partition/single_device.h"
#include "partition/walk.h"

static Attr without_sharding(Partition *t, Attr attrs) {
  return attr_get(t->context, attrs, "sdy.sharding")
             ? attr_dict_with(t->context, attrs, "sdy.sharding", 0)
             : attrs;
}

// ---- regions ----

// The terminator's operands in the shardings that their targets have.
Status *walk_terminator(Partition *t, OpId op, const Sharding *targets) {
  const uint32_t n = op_at(t->p, op)->n_operands;
  ValueId *operands = ARENA_ARRAY(&t->scratch, ValueId, n + 1);
  t->local.origin = op;
  for (uint32_t i = 0; i < n; i++)
    TRY(walk_get(t, op_operand(t->p, op, i), targets ? targets[i] : 0, &operands[i]));
  OpSpec spec = {.code = op_at(t->p, op)->code,
                 .name = op_at(t->p, op)->name,
                 .n_operands = n,
                 .operands = operands,
                 .attrs = op_at(t->p, op)->attrs,
                 .loc = op_at(t->p, op)->loc,
                 .pos = op_at(t->p, op)->pos,
                 .origin = op};
  op_append(t->p, t->local.block, op_create(t->p, &spec));
  return NULL;
}

// One region anew: arguments with local types, ops, the terminator.
static Status *put_region(Partition *t, RegionId from, RegionId to, const Sharding *targets) {
  BlockId source = region_block(t->p, from);
  if (!source) return NULL;
  BlockId outer = t->local.block, block = region_add_block(t->p, to);
  uint32_t mark = walk_mark(t);
  t->effect_at = NO_DEVICE;
  for (uint32_t i = 0; i < block_at(t->p, source)->n_args; i++) {
    ValueId v = block_arg(t->p, source, i);
    Sharding sharding = walk_wanted(t, v);
    Type type = walk_part_type(t, sharding, value_type(t->p, v));
    walk_set(t, v, block_add_arg(t->p, block, type, value_at(t->p, v)->name), sharding);
  }
  t->local.block = block;
  TRY(walk_block(t, source));
  OpId last = block_at(t->p, source)->last;
  if (last && (op_row(op_at(t->p, last)->code)->traits & TRAIT_TERMINATOR))
    TRY(walk_terminator(t, last, targets));
  t->local.block = outer;
  t->effect_at = NO_DEVICE;
  walk_rewind(t, mark);
  return NULL;
}

// What regions take from outside waits no longer: inside it would be moved again and again.
static Status *settle_outside(Partition *t, OpId op) {
  for (OpId o = op_walk_next(t->p, op, op); o; o = op_walk_next(t->p, o, op))
    for (uint32_t i = 0; i < op_at(t->p, o)->n_operands; i++) {
      ValueId v = op_operand(t->p, o, i), local;
      if (t->parts[v] && !walk_is_remade(t, v)) TRY(walk_get(t, v, walk_wanted(t, v), &local));
    }
  return NULL;
}

Status *walk_flow(Partition *t, OpId op, Flow flow) {
  const Op *o = op_at(t->p, op);
  uint32_t n_operands = o->n_operands, n_results = o->n_results, n_regions = o->n_regions;
  ValueId *operands = ARENA_ARRAY(&t->scratch, ValueId, n_operands + 1);
  Sharding *targets = ARENA_ARRAY(&t->scratch, Sharding, n_results + 1);
  Type *types = ARENA_ARRAY(&t->scratch, Type, n_results + 1);
  for (uint32_t i = 0; i < n_results; i++) {
    targets[i] = walk_wanted(t, op_result(t->p, op, i));
    types[i] = walk_part_type(t, targets[i], op_result_type(t->p, op, i));
  }
  bool carries = flow == FLOW_LOOP || flow == FLOW_EACH;
  for (uint32_t i = 0; i < n_operands; i++) {
    Sharding as = carries && i < n_results ? targets[i] : 0;
    TRY(walk_get(t, op_operand(t->p, op, i), as, &operands[i]));
  }
  TRY(settle_outside(t, op));
  OpSpec spec = {.code = op_at(t->p, op)->code,
                 .n_operands = n_operands,
                 .operands = operands,
                 .n_results = n_results,
                 .result_types = types,
                 .n_regions = n_regions,
                 .attrs = without_sharding(t, op_at(t->p, op)->attrs),
                 .loc = op_at(t->p, op)->loc,
                 .pos = op_at(t->p, op)->pos,
                 .origin = op};
  OpId made = op_create(t->p, &spec);
  op_append(t->p, t->local.block, made);
  for (uint32_t r = 0; r < n_regions; r++) {
    // A loop's condition returns its predicate, whole; what a body returns goes on.
    bool returns = flow == FLOW_BRANCH || r + 1 == n_regions;
    walk_enter_region(t, op, r);
    TRY(put_region(t, op_region(t->p, op, r), op_region(t->p, made, r), returns ? targets : NULL));
    walk_leave_region(t);
  }
  for (uint32_t i = 0; i < n_results; i++)
    walk_set(t, op_result(t->p, op, i), op_result(t->p, made, i), targets[i]);
  return NULL;
}

// ---- bodies in place ----

// A place at the border of a manual computation as its other side sees it: a body's argument with
// the manual axes, a result without.
static Sharding other_side(Partition *t, PlaceId place) {
  const Graph *g = t->graph;
  const Given *given = place ? propagation_given(t->given, place) : NULL;
  Sharding stored = given ? given->sharding : 0;
  for (uint32_t i = place ? g->adjacent_first[place] : 0; place && i < g->adjacent_first[place + 1];
       i++) {
    const Node *node = &g->nodes[g->adjacent[i]];
    uint32_t last = factor_map_n_tensors(node_map(g, g->adjacent[i])) - 1;
    if (node->view && node_tensors(g, g->adjacent[i])[last] == place)
      return walk_plain(t, view_seen(g, node->view, stored, &t->scratch));
  }
  return walk_plain(t, stored);
}

// A computation that only has a name: its body is written in its place.
static Status *put_named(Partition *t, OpId op) {
  BlockId block = region_block(t->p, op_region(t->p, op, 0));
  for (uint32_t i = 0; i < op_at(t->p, op)->n_operands; i++) {
    ValueId v = block_arg(t->p, block, i), local;
    Sharding sharding = walk_wanted(t, v);
    TRY(walk_get(t, op_operand(t->p, op, i), sharding, &local));
    walk_set(t, v, local, sharding);
  }
  TRY(walk_block(t, block));
  OpId last = block_at(t->p, block)->last;
  for (uint32_t i = 0; i < op_at(t->p, op)->n_results; i++) {
    const Part *part = t->parts[op_operand(t->p, last, i)];
    TRY(walk_finish(t, op_result(t->p, op, i), part->value, part->sharding));
  }
  return NULL;
}

// A sharding with only so many axes of each dimension.
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
  return walk_plain(t, sharding_intern(t->table, &info));
}

// Both sides of a border must mean the same tiles: tiles of a manual tile are tiles of the whole
// only where they divide it. Elsewhere both do without the other axes. inside: the type of the
// value there.
static void agree(Partition *t, Type inside, Sharding *inner, Sharding *outer) {
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

// A computation written for each device along its manual axes: its arguments are the tiles along
// them, which is what a device has; the other axes go on as outside.
static Status *put_manual(Partition *t, OpId op) {
  BlockId block = region_block(t->p, op_region(t->p, op, 0));
  uint32_t n_results = op_at(t->p, op)->n_results;
  for (uint32_t i = 0; i < op_at(t->p, op)->n_operands; i++) {
    ValueId v = block_arg(t->p, block, i), local;
    Sharding inner = walk_wanted(t, v),
             outer = other_side(t, graph_place(t->graph, t->instance, v));
    agree(t, value_type(t->p, v), &inner, &outer);
    TRY(walk_get(t, op_operand(t->p, op, i), outer, &local));
    if (walk_part_type(t, inner, value_type(t->p, v)) != value_type(t->p, local))
      return walk_unimplemented(t, op, "has an argument whose tiles do not divide");
    walk_set(t, v, local, inner);
  }
  AxisList around = t->local.manual;
  Attr attr = attr_get(t->context, op_attr(t->p, op, "manual_axes"), "axes");
  const AttrInfo *names = attr_info(t->context, attr);
  const Mesh *mesh = sharding_mesh(t->table, t->mesh);
  for (uint32_t i = 0; mesh && i < names->count; i++) {
    Attr name = attr_info(t->context, attr)->items[i];
    uint32_t axis = mesh_find_axis(mesh, attr_as_name(t->context, name));
    if (axis == MESH_NO_AXIS) return walk_unimplemented(t, op, "has manual axes of another mesh");
    AxisRef whole = axis_whole(mesh, axis);
    t->local.manual = axes_concat(&t->arena, t->local.manual, (AxisList){&whole, 1});
  }
  t->manual++;
  TRY(walk_block(t, block));
  OpId last = block_at(t->p, block)->last;
  ValueId *locals = ARENA_ARRAY(&t->scratch, ValueId, n_results + 1);
  Sharding *outers = ARENA_ARRAY(&t->scratch, Sharding, n_results + 1);
  for (uint32_t i = 0; i < n_results; i++) {
    Sharding inner = other_side(t, graph_place(t->graph, t->instance, op_result(t->p, op, i)));
    outers[i] = walk_wanted(t, op_result(t->p, op, i));
    agree(t, op_operand_type(t->p, last, i), &inner, &outers[i]);
    TRY(walk_get(t, op_operand(t->p, last, i), inner, &locals[i]));
  }
  t->manual--;
  t->local.manual = around;
  for (uint32_t i = 0; i < n_results; i++) {
    ValueId v = op_result(t->p, op, i);
    if (walk_part_type(t, outers[i], value_type(t->p, v)) != value_type(t->p, locals[i]))
      return walk_unimplemented(t, op, "has a result whose tiles do not divide");
    walk_set(t, v, locals[i], outers[i]);
  }
  return NULL;
}

Status *walk_body(Partition *t, OpId op) {
  return op_attr(t->p, op, "manual_axes") ? put_manual(t, op) : put_named(t, op);
}

// ---- calls ----

static InstanceId instance_of_call(const Partition *t, OpId op, OpId callee) {
  InstanceId own = walk_instance_at(t, op, t->instance);
  return own ? own : graph_instance_of(t->graph, callee);
}

// Functions that call others twice, and these others twice, would fill any memory.
enum { MOST_INLINED = 1 << 14 };

// All that there is of one value is there of another, too.
static void take_parts(Partition *t, const Part *part, ValueId to) {
  if (!part) return;
  take_parts(t, part->next, to);
  walk_set(t, to, part->value, part->sharding);
  t->parts[to]->used = part->used;
  t->parts[to]->gathered = part->gathered;
}

// May be taken as it comes.
static bool is_free(const Partition *t, ValueId v) { return !t->manual && !walk_is_remade(t, v); }

static Status *enter_call(Partition *t, OpId op, BlockId block, InstanceId inner) {
  for (uint32_t i = 0; i < op_at(t->p, op)->n_operands; i++) {
    ValueId v = op_operand(t->p, op, i), arg = block_arg(t->p, block, i), local;
    if (is_free(t, v)) {
      take_parts(t, t->parts[v], arg);
      continue;
    }
    Sharding has = walk_place_sharding(t, graph_place(t->graph, inner, arg));
    TRY(walk_get(t, v, has, &local));
    walk_set(t, arg, local, has);
  }
  return NULL;
}

// A function's body in place of its call: in a manual computation, where it means something else
// than outside, and where that is not much more to write.
static Status *put_inlined(Partition *t, OpId op, OpId callee) {
  if (t->manual && t->inlined++ == MOST_INLINED)
    return walk_unimplemented(t, op,
                              "is one call too many in manual computations, where each is "
                              "written out");
  uint32_t n_results = op_at(t->p, op)->n_results;
  BlockId block = region_block(t->p, op_region(t->p, callee, 0));
  InstanceId outer = t->instance, inner = instance_of_call(t, op, callee);
  Part **parts = ARENA_ARRAY(&t->scratch, Part *, n_results + 1);
  ValueId *locals = ARENA_ARRAY(&t->scratch, ValueId, n_results + 1);
  Sharding *has = ARENA_ARRAY(&t->scratch, Sharding, n_results + 1);
  uint32_t mark = walk_mark(t);
  TRY(enter_call(t, op, block, inner));
  t->instance = inner;
  TRY(walk_block(t, block));
  OpId last = block_at(t->p, block)->last;
  for (uint32_t i = 0; i < n_results; i++) {
    ValueId v = op_operand(t->p, last, i);
    has[i] = walk_place_sharding(t, graph_result_place(t->graph, inner, i));
    parts[i] = is_free(t, v) ? t->parts[v] : NULL;
    if (!parts[i]) TRY(walk_get(t, v, has[i], &locals[i]));
  }
  walk_rewind(t, mark);
  t->instance = outer;
  for (uint32_t i = 0; i < n_results; i++) {
    ValueId v = op_result(t->p, op, i);
    take_parts(t, parts[i], v);
    if (!parts[i]) TRY(walk_finish(t, v, locals[i], has[i]));
  }
  return NULL;
}

Status *walk_call(Partition *t, OpId op, OpId callee) {
  if (t->manual || t->written_out[callee]) return put_inlined(t, op, callee);
  InstanceId to = graph_instance_of(t->graph, callee);
  uint32_t n_operands = op_at(t->p, op)->n_operands, n_results = op_at(t->p, op)->n_results;
  BlockId block = region_block(t->p, op_region(t->p, callee, 0));
  ValueId *operands = ARENA_ARRAY(&t->scratch, ValueId, n_operands + 1);
  Type *types = ARENA_ARRAY(&t->scratch, Type, n_results + 1);
  Sharding *has = ARENA_ARRAY(&t->scratch, Sharding, n_results + 1);
  for (uint32_t i = 0; i < n_operands; i++) {
    PlaceId place = graph_place(t->graph, to, block_arg(t->p, block, i));
    TRY(walk_get(t, op_operand(t->p, op, i), walk_place_sharding(t, place), &operands[i]));
  }
  for (uint32_t i = 0; i < n_results; i++) {
    has[i] = walk_place_sharding(t, graph_result_place(t->graph, to, i));
    types[i] = walk_part_type(t, has[i], op_result_type(t->p, op, i));
  }
  OpId copy;
  TRY(walk_copy_op(t, op, operands, op_at(t->p, op)->attrs, types, &copy));
  t->effect_at = NO_DEVICE;
  for (uint32_t i = 0; i < n_results; i++)
    TRY(walk_finish(t, op_result(t->p, op, i), op_result(t->p, copy, i), has[i]));
  return NULL;
}
