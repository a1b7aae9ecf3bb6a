// The write stage: writes the decisions, in order, as the local program. It chooses nothing.
//
//   reshard  c3 = c2 of %1                    %4 = "stablehlo.all_gather"(%arg1)
//   split    c4 = %2 on (c1, c3)              %5 = stablehlo.dot_general %arg0, %4
//
// Invariant. Each copy has one local value (Writer.values), which the decision that makes the copy
// writes. Local functions are written beside the global ones, which stay readable until all are
// written (partition.c).
//
// Cost. O(decisions).
#include "annotate/target.h"
#include "partition/walk.h"

// ---- arguments and results ----

// The sharding on a mesh without a symbol: the local program has no mesh ops.
static Sharding with_inlined_mesh(Partition *t, Sharding sharding) {
  ShardingInfo info = *sharding_info(t->table, sharding);
  Mesh *mesh = ARENA_NEW(context_arena(t->context), Mesh);  // the table borrows it
  *mesh = *sharding_mesh(t->table, info.mesh);
  mesh->symbol = 0;
  info.mesh = sharding_mesh_add(t->table, mesh);
  return sharding_intern(t->table, &info);
}

// The attributes of an argument or result: `tessera.global` and `tessera.sharding` instead of the
// global program's annotations.
static Attr edge_attrs(Partition *t, Attr dict, Type global, Sharding sharding) {
  dict = attr_dict_with(t->context, dict, "sdy.sharding", 0);
  dict = attr_dict_with(t->context, dict, "mhlo.sharding", 0);
  if (!sharding) return dict;
  Attr attr;
  Status *status = sharding_to_attr(t->table, with_inlined_mesh(t, sharding), &attr);
  if (status) {
    status_free(status);
    return dict;
  }
  dict = attr_dict_with(t->context, dict, "tessera.global", attr_type(t->context, global));
  return attr_dict_with(t->context, dict, "tessera.sharding", attr);
}

// Adds an argument's name as `jax.arg_info`. Otherwise printing would lose it: value names are not
// kept, and locations are not always printed.
static Attr with_name(Partition *t, OpId function, uint32_t i, Attr dict) {
  InstanceId instance = graph_instance_of(t->graph, function);
  if (t->graph->instances[instance].call || attr_get(t->context, dict, "jax.arg_info")) return dict;
  Str name = argument_name(t->p, function, i);
  return name.n ? attr_dict_with(t->context, dict, "jax.arg_info",
                                 attr_string(t->context, name_intern(t->context, name)))
                : dict;
}

static Attr edges_attr(Partition *t, OpId function, const char *name, uint32_t n,
                       const Type *globals, const Sharding *shardings) {
  const AttrInfo *old = attr_info(t->context, op_attr(t->p, function, name));
  uint32_t n_old = old->kind == ATTR_ARRAY ? old->count : 0;
  Attr *items = ARENA_ARRAY(&t->scratch, Attr, n + 1);
  bool any = false, is_arg = strcmp(name, "arg_attrs") == 0;
  for (uint32_t i = 0; i < n; i++) {
    Attr was = i < n_old ? attr_info(t->context, op_attr(t->p, function, name))->items[i] : 0;
    items[i] = edge_attrs(t, was, globals[i], shardings[i]);
    if (is_arg) items[i] = with_name(t, function, i, items[i]);
    any |= items[i] && attr_info(t->context, items[i])->count > 0;
  }
  return any ? attr_array(t->context, n, items) : 0;
}

// Erases pure ops without users: the device's position, constants.
static void drop_unused(Partition *t, BlockId block) {
  for (OpId o = block_at(t->p, block)->last, prev; o; o = prev) {
    prev = op_at(t->p, o)->prev;
    bool used = !(op_row(op_at(t->p, o)->code)->traits & TRAIT_PURE);
    for (uint32_t i = 0; i < op_at(t->p, o)->n_results; i++)
      used |= value_has_uses(t->p, op_result(t->p, o, i));
    if (!used) op_erase(t->p, o);
  }
}

// ---- functions, regions ----

static OpId write_function(Writer *w, const Decision *d) {
  Partition *t = w->t;
  OpId function = d->op;
  const Sharding *shardings = d->function->outside;
  const TypeInfo *type =
      type_info(t->context, attr_info(t->context, op_attr(t->p, function, "function_type"))->type);
  uint32_t n_args = type->n_inputs, n_results = type->n_items - type->n_inputs;
  Type *locals = ARENA_ARRAY(&t->scratch, Type, type->n_items + 1);
  for (uint32_t i = 0; i < type->n_items; i++)
    locals[i] = walk_local_type(t, shardings[i], type->items[i]);
  Attr attrs = op_at(t->p, function)->attrs;
  attrs = attr_dict_with(
      t->context, attrs, "function_type",
      attr_type(t->context, type_function(t->context, n_args, locals, n_results, locals + n_args)));
  attrs = attr_dict_with(t->context, attrs, "arg_attrs",
                         edges_attr(t, function, "arg_attrs", n_args, type->items, shardings));
  attrs = attr_dict_with(
      t->context, attrs, "res_attrs",
      edges_attr(t, function, "res_attrs", n_results, type->items + n_args, shardings + n_args));
  OpSpec spec = {.code = op_at(t->p, function)->code,
                 .n_regions = 1,
                 .attrs = attrs,
                 .loc = op_at(t->p, function)->loc,
                 .pos = op_at(t->p, function)->pos,
                 .origin = function};
  OpId made = op_create(t->p, &spec);
  op_insert_before(t->p, made, function);
  return made;
}

// Adds a block to a region, with an argument for each copy that the decision makes.
static BlockId write_block(Writer *w, const Decision *d, RegionId region, BlockId source) {
  Partition *t = w->t;
  BlockId block = region_add_block(t->p, region);
  for (uint32_t i = 0; i < d->n_out; i++)
    w->values[d->out[i]] = block_add_arg(t->p, block, t->infos.items[d->out[i]].type,
                                         value_at(t->p, block_arg(t->p, source, i))->name);
  return block;
}

static void begin_function(Writer *w, const Decision *d) {
  Partition *t = w->t;
  OpId made = write_function(w, d);
  VEC_PUSH(&t->arena, &w->functions, made);
  w->open.count = 0;
  w->network = d->function->network;
  if (w->b->mesh != d->function->mesh) w->b->groups = NULL;
  w->b->mesh = d->function->mesh;
  w->b->block =
      write_block(w, d, op_region(t->p, made, 0), region_block(t->p, op_region(t->p, d->op, 0)));
  w->b->position = 0;
  if (w->b->mesh) build_position(w->b);  // first, so that all regions of the function see it
}

static Attr without_sharding(Partition *t, Attr attrs) {
  return attr_get(t->context, attrs, "sdy.sharding")
             ? attr_dict_with(t->context, attrs, "sdy.sharding", 0)
             : attrs;
}

static void write_flow(Writer *w, const Decision *d) {
  Partition *t = w->t;
  Type *types = ARENA_ARRAY(&t->scratch, Type, d->n_out + 1);
  for (uint32_t i = 0; i < d->n_out; i++) types[i] = t->infos.items[d->out[i]].type;
  OpSpec spec = {.code = op_at(t->p, d->op)->code,
                 .n_operands = d->n_in,
                 .operands = write_operands(w, d),
                 .n_results = d->n_out,
                 .result_types = types,
                 .n_regions = op_at(t->p, d->op)->n_regions,
                 .attrs = without_sharding(t, op_at(t->p, d->op)->attrs),
                 .loc = op_at(t->p, d->op)->loc,
                 .pos = op_at(t->p, d->op)->pos,
                 .origin = d->op};
  OpId made = op_create(t->p, &spec);
  op_append(t->p, w->b->block, made);
  for (uint32_t i = 0; i < d->n_out; i++) w->values[d->out[i]] = op_result(t->p, made, i);
  VEC_PUSH(&t->arena, &w->open, ((OpenFlow){d->op, made, w->b->block}));
}

// A region of the innermost open op that the decision is about. Inner ops are complete by then: the
// list has no decision at the end of an op.
static void begin_region(Writer *w, const Decision *d) {
  const Program *p = w->t->p;
  while (w->open.items[w->open.count - 1].op != d->op) w->open.count--;
  OpId made = w->open.items[w->open.count - 1].made;
  w->b->block = write_block(w, d, op_region(p, made, d->region),
                            region_block(p, op_region(p, d->op, d->region)));
}

static void write_terminator(Writer *w, const Decision *d) {
  Partition *t = w->t;
  OpSpec spec = {.code = op_at(t->p, d->op)->code,
                 .name = op_at(t->p, d->op)->name,
                 .n_operands = d->n_in,
                 .operands = write_operands(w, d),
                 .attrs = op_at(t->p, d->op)->attrs,
                 .loc = op_at(t->p, d->op)->loc,
                 .pos = op_at(t->p, d->op)->pos,
                 .origin = d->op};
  op_append(t->p, w->b->block, op_create(t->p, &spec));
}

// Ends the region or function that began last; the block around it goes on.
static void end(Writer *w, const Decision *d) {
  if (d->op) write_terminator(w, d);
  OpId around = region_at(w->t->p, block_at(w->t->p, w->b->block)->region)->op;
  if (op_row(op_at(w->t->p, around)->code)->traits & TRAIT_FUNCTION) {
    drop_unused(w->t, w->b->block);
    return;
  }
  while (w->open.items[w->open.count - 1].made != around) w->open.count--;
  w->b->block = w->open.items[w->open.count - 1].outer;
}

Status *write_decisions(Writer *w) {
  Partition *t = w->t;
  for (uint32_t i = 0; i < t->decisions.count; i++) {
    const Decision *d = &t->decisions.items[i];
    if (i % PROGRESS_EVERY == 0) guard_tell(t->guard, "writing ops", i, t->decisions.count);
    ArenaMark mark = arena_mark(&t->scratch);
    w->b->origin = d->origin;
    w->b->loc = d->loc;
    w->b->manual = d->manual;
    switch (d->kind) {
    case DECISION_FUNCTION: begin_function(w, d); break;
    case DECISION_REGION: begin_region(w, d); break;
    case DECISION_FLOW: write_flow(w, d); break;
    case DECISION_END: end(w, d); break;
    default: TRY(write_op(w, d));
    }
    arena_rewind(&t->scratch, mark);
  }
  return NULL;
}
