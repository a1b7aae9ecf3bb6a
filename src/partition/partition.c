// Functions are written anew beside the old ones, op by op in program order, then the old ones go.
// For each value there are local ones and the shardings they have (parts.c); what an op's factors
// are split by is chosen by price (choose.c), operands are brought there, and the op is written for
// tiles (split_op.c). Control flow keeps its shape (flow.c).
#include "partition/partition.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "ops/factors.h"
#include "partition/sdy_collectives.h"
#include "partition/single_device.h"
#include "partition/walk.h"
#include "annotate/target.h"

static void release(void *object) {
  Partition *t = object;
  propagation_free(t->given);
  symbols_deinit(&t->functions);
  idmap_deinit(&t->price_ids);
  idmap_deinit(&t->instance_ids);
  arena_deinit(&t->arena);
  arena_deinit(&t->scratch);
  words_deinit(&t->words);
}

Status *walk_unimplemented(Partition *t, OpId op, const char *what) {
  diag_error(t->diag, op_at(t->p, op)->pos, "'%s' op %s: this cannot be partitioned",
             op_name(t->p, op), what);
  FAIL(UNIMPLEMENTED, "'%s' op %s: this cannot be partitioned", op_name(t->p, op), what);
}

// ---- the mesh ----

// Groups name their devices one by one.
enum { MOST_DEVICES = 1 << 20 };

static MeshId larger(const Partition *t, MeshId a, MeshId b) {
  const Mesh *x = sharding_mesh(t->table, a), *y = sharding_mesh(t->table, b);
  if (!y || !y->n_axes) return a;
  return !x || y->n_devices > x->n_devices ? b : a;
}

static InstanceId root_of(const Partition *t, InstanceId instance) { return t->roots[instance]; }

// ---- instances ----

typedef struct CallKey {
  OpId call;
  InstanceId caller;
} CallKey;

static bool call_equal(const void *owner, uint32_t id, const void *other) {
  const Partition *t = owner;
  const CallKey *key = other;
  const Instance *i = &t->graph->instances[id];
  return i->call == key->call && i->caller == key->caller;
}

InstanceId walk_instance_at(const Partition *t, OpId call, InstanceId caller) {
  CallKey key = {call, caller};
  return idmap_find(&t->instance_ids, hash_mix(call, caller), call_equal, t, &key);
}

// Callers come before those that they call.
static void find_instances(Partition *t) {
  const Graph *g = t->graph;
  t->roots = ARENA_ARRAY(&t->arena, InstanceId, g->n_instances);
  for (InstanceId i = 1; i < g->n_instances; i++) {
    const Instance *instance = &g->instances[i];
    assert(instance->caller < i && "a caller's instance comes first");
    t->roots[i] = instance->caller ? t->roots[instance->caller] : i;
    if (instance->call)
      idmap_add(&t->instance_ids, t->guard, hash_mix(instance->call, instance->caller), i);
  }
}

// Both are on the larger mesh of the two; gives whether one was not.
static bool on_one_mesh(Partition *t, InstanceId a, InstanceId b) {
  if (!a || !b) return false;
  MeshId *x = &t->meshes[root_of(t, a)], *y = &t->meshes[root_of(t, b)];
  MeshId one = larger(t, *y, *x);
  bool changed = *x != one || *y != one;
  *x = *y = one;
  return changed;
}

static OpId function_of(const Partition *t, OpId op) {
  while (op && !(op_row(op_at(t->p, op)->code)->traits & TRAIT_FUNCTION)) op = op_parent(t->p, op);
  return op;
}

// A composite is a call in all but name.
static bool composites_on_one_mesh(Partition *t) {
  bool changed = false;
  for (OpId o = t->p->root; o; o = op_walk_next(t->p, o, t->p->root)) {
    if (op_row(op_at(t->p, o)->code)->traits & TRAIT_CALL) continue;
    OpId callee = op_callee(t->p, &t->functions, o);
    OpId caller = function_of(t, o);
    if (callee && caller)
      changed |=
          on_one_mesh(t, graph_instance_of(t->graph, caller), graph_instance_of(t->graph, callee));
  }
  return changed;
}

// Functions that call each other are on one mesh: of those that their values name the one with the
// most devices, the first of these; others are seen through it. A function is written once: where
// several reach it they are on one mesh too.
static Status *find_meshes(Partition *t) {
  const Graph *g = t->graph;
  t->meshes = ARENA_ARRAY(&t->arena, MeshId, g->n_instances);
  for (PlaceId i = 1; i < g->n_places; i++) {
    const Given *given = propagation_given(t->given, i);
    if (!given) continue;
    MeshId id = sharding_info(t->table, given->sharding)->mesh;
    const Mesh *mesh = sharding_mesh(t->table, id);
    if (mesh && mesh->n_devices > MOST_DEVICES) {
      diag_error(t->diag, given->pos, "a mesh of %u devices: at most %d can be partitioned for",
                 mesh->n_devices, MOST_DEVICES);
      FAIL(UNIMPLEMENTED, "a mesh of %u devices: at most %d can be partitioned for",
           mesh->n_devices, MOST_DEVICES);
    }
    MeshId *of = &t->meshes[root_of(t, g->places[i].instance)];
    *of = larger(t, *of, id);
  }
  for (bool again = true; again;) {
    again = composites_on_one_mesh(t);
    for (InstanceId i = 1; i < g->n_instances; i++)
      again |= on_one_mesh(t, i, graph_instance_of(g, g->instances[i].function));
  }
  return NULL;
}

static void use_mesh(Partition *t, MeshId mesh) {
  if (t->mesh == mesh) return;
  t->mesh = t->local.mesh = mesh;
  t->local.groups = NULL;
  t->plain.count = 0;  // they are on the mesh
  if (!t->options || !t->options->machine) return;
  Network *network = ARENA_NEW(&t->arena, Network);
  *network =
      machine_network(t->options->machine, t->context, sharding_mesh(t->table, mesh), &t->arena);
  t->network = network;
}

// ---- the walk ----

// Every group of a collective is one copy of the program.
static bool is_alone(const Partition *t, OpId op) {
  Attr groups = op_attr(t->p, op, "replica_groups");
  if (!groups || attr_info(t->context, groups)->kind != ATTR_DENSE) return false;
  const TypeInfo *type = type_info(t->context, attr_info(t->context, groups)->type);
  const Op *o = op_at(t->p, op);
  bool same = type->rank == 2 && type->dims[1] == 1 && o->n_operands == o->n_results;
  for (uint32_t i = 0; same && i < o->n_results; i++)
    same = op_operand_type(t->p, op, i) == op_result_type(t->p, op, i);
  return same;
}

// A collective outside of manual computations exchanges between copies of the whole program. There
// is one: it gives back what it gets.
static Status *put_alone(Partition *t, OpId op) {
  if (!is_alone(t, op))
    return walk_unimplemented(t, op, "exchanges with other copies of the whole program");
  for (uint32_t i = 0; i < op_at(t->p, op)->n_results; i++) {
    const Part *part = t->parts[op_operand(t->p, op, i)];
    TRY(walk_finish(t, op_result(t->p, op, i), part->value, part->sharding));
  }
  return NULL;
}

// The same value with another sharding; sdy's collectives say by which moves, which is ours to
// choose.
static Status *put_same(Partition *t, OpId op) {
  const Part *part = t->parts[op_operand(t->p, op, 0)];
  return walk_finish(t, op_result(t->p, op, 0), part->value, part->sharding);
}

bool walk_only_says(uint16_t code) { return op_row(code)->traits & TRAIT_SHARDING; }

static Status *put_op(Partition *t, OpId op) {
  const Op *o = op_at(t->p, op);
  const OpRow *row = op_row(o->code);
  Flow flow = row->def ? row->def->flow : FLOW_NONE;
  t->local.origin = op;
  t->local.loc = o->loc;
  if (t->n_put++ % PROGRESS_EVERY == 0)
    guard_tell(t->guard, "deciding ops", t->n_put - 1, t->n_put > t->n_ops ? 0 : t->n_ops);
  if (walk_only_says(o->code)) return o->n_results ? put_same(t, op) : NULL;
  switch (o->code) {
  case OP_interpreter_run_parallel:
    return walk_unimplemented(t, op, "runs functions on a grid of its own");
  case OP_partition_id:
  case OP_replica_id: {
    if (t->manual) break;
    ValueId zero = build_splat(&t->local, op_result_type(t->p, op, 0), scalar_i(0));
    return walk_finish(t, op_result(t->p, op, 0), zero, 0);
  }
  default: break;
  }
  if (flow == FLOW_BODY) return walk_body(t, op);
  if (row->traits & TRAIT_COLLECTIVE && !t->manual) return put_alone(t, op);
  // Holds on every device or not at all: looks at whole values.
  if (op_is_check(t->p, op)) return walk_whole_op(t, op);
  bool done;
  TRY(walk_on_device(t, op, &done));
  if (done) return NULL;
  if (flow) return walk_flow(t, op, flow);
  OpId callee = op_callee(t->p, &t->functions, op);
  if (callee && region_block(t->p, op_region(t->p, callee, 0))) return walk_call(t, op, callee);
  if (op_has_effects(t->p, op)) return walk_effects(t, op);
  return walk_split_op(t, op);
}

// Functions in manual computations are written out, however deep they call each other.
enum { MOST_BLOCKS = 1024 };

Status *walk_block(Partition *t, BlockId block) {
  if (t->depth++ == MOST_BLOCKS)
    FAIL(RESOURCE_EXHAUSTED, "regions and calls stand more than %d deep inside each other",
         MOST_BLOCKS);
  for (OpId op = block_at(t->p, block)->first; op; op = op_at(t->p, op)->next) {
    if (op_row(op_at(t->p, op)->code)->traits & TRAIT_TERMINATOR) break;
    ArenaMark mark = arena_mark(&t->scratch);
    t->clock++;
    TRY(put_op(t, op));
    arena_rewind(&t->scratch, mark);
  }
  t->depth--;
  return NULL;
}

// The same on a mesh that is written out: the local program has no meshes.
static Sharding inlined(Partition *t, Sharding sharding) {
  ShardingInfo info = *sharding_info(t->table, sharding);
  Mesh *mesh = ARENA_NEW(context_arena(t->context), Mesh);  // the table borrows it
  *mesh = *sharding_mesh(t->table, info.mesh);
  mesh->symbol = 0;
  info.mesh = sharding_mesh_add(t->table, mesh);
  return sharding_intern(t->table, &info);
}

// What an argument or result is a part of.
static Attr edge_attrs(Partition *t, Attr dict, Type global, Sharding sharding) {
  dict = attr_dict_with(t->context, dict, "sdy.sharding", 0);
  dict = attr_dict_with(t->context, dict, "mhlo.sharding", 0);
  if (!sharding) return dict;
  Attr attr;
  Status *status = sharding_to_attr(t->table, inlined(t, sharding), &attr);
  if (status) {
    status_free(status);
    return dict;
  }
  dict = attr_dict_with(t->context, dict, "tessera.global", attr_type(t->context, global));
  return attr_dict_with(t->context, dict, "tessera.sharding", attr);
}

// An argument's name, which printing would lose: locations are not always printed, nor are the
// text's own names of values.
static Attr named(Partition *t, OpId function, uint32_t i, Attr dict) {
  if (t->graph->instances[t->instance].call || attr_get(t->context, dict, "jax.arg_info"))
    return dict;
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
    if (is_arg) items[i] = named(t, function, i, items[i]);
    any |= items[i] && attr_info(t->context, items[i])->count > 0;
    if (!items[i]) items[i] = attr_intern(t->context, &(AttrInfo){.kind = ATTR_DICT});
  }
  return any ? attr_array(t->context, n, items) : 0;
}

// What nobody asked for after all: the device's place, constants.
static void drop_unused(Partition *t, BlockId block) {
  for (OpId o = block_at(t->p, block)->last, prev; o; o = prev) {
    prev = op_at(t->p, o)->prev;
    bool used = !(op_row(op_at(t->p, o)->code)->traits & TRAIT_PURE);
    for (uint32_t i = 0; i < op_at(t->p, o)->n_results; i++)
      used |= value_has_uses(t->p, op_result(t->p, o, i));
    if (!used) op_erase(t->p, o);
  }
}

// What an argument or result is a part of, and what it is taken for in the function. The two differ
// where a mesh has the devices in another order.
typedef struct Edges {
  Sharding *outside, *inside;
} Edges;

// Edges of functions that are called stay as they are inside: nobody sees them.
static Status *read_edge(Partition *t, PlaceId place, Type type, Sharding *outside,
                         Sharding *inside) {
  *outside = *inside = walk_place_sharding(t, place);
  if (!*inside || t->graph->instances[t->instance].call) return NULL;
  Sharding said = walk_place_outside(t, place);
  if (said == *inside) return NULL;
  ReshardPlan plan;
  Status *status = reshard_plan(t->table, t->network, said, *inside, type, &t->scratch, &plan);
  *outside = status ? 0 : said;
  if (status) *inside = 0;  // there is no way from one to the other: it is whole
  if (!status || status_code(status) != UNIMPLEMENTED) return status;
  status_free(status);
  return NULL;
}

static Status *enter_edges(Partition *t, BlockId source, uint32_t n, Edges edges) {
  for (uint32_t i = 0; i < n; i++) {
    if (edges.outside[i] == edges.inside[i]) continue;
    ValueId v = block_arg(t->p, source, i), local = t->parts[v]->value;
    TRY(local_reshard(&t->local, t->network, local, edges.outside[i], edges.inside[i],
                      value_type(t->p, v), &local));
    walk_set(t, v, local, edges.inside[i]);
  }
  return NULL;
}

static Status *leave_edges(Partition *t, OpId terminator, const Type *types, uint32_t n,
                           Edges edges) {
  op_detach(t->p, terminator);
  for (uint32_t i = 0; i < n; i++) {
    ValueId local = op_operand(t->p, terminator, i);
    if (edges.outside[i] != edges.inside[i])
      TRY(local_reshard(&t->local, t->network, local, edges.inside[i], edges.outside[i], types[i],
                        &local));
    operand_set(t->p, op_at(t->p, terminator)->operands + i, local);
  }
  op_append(t->p, t->local.block, terminator);
  return NULL;
}

static Status *put_function(Partition *t, OpId function) {
  BlockId source = region_block(t->p, op_region(t->p, function, 0));
  if (!source) return NULL;
  t->instance = graph_instance_of(t->graph, function);
  if (!t->instance) return NULL;
  use_mesh(t, t->meshes[root_of(t, t->instance)]);
  const TypeInfo *type =
      type_info(t->context, attr_info(t->context, op_attr(t->p, function, "function_type"))->type);
  uint32_t n_args = type->n_inputs, n_results = type->n_items - type->n_inputs;
  Type *locals = ARENA_ARRAY(&t->scratch, Type, type->n_items + 1);
  Edges edges = {ARENA_ARRAY(&t->scratch, Sharding, type->n_items + 1),
                 ARENA_ARRAY(&t->scratch, Sharding, type->n_items + 1)};
  const Sharding *shardings = edges.outside;
  for (uint32_t i = 0; i < type->n_items; i++) {
    PlaceId place = i < n_args ? graph_place(t->graph, t->instance, block_arg(t->p, source, i))
                               : graph_result_place(t->graph, t->instance, i - n_args);
    TRY(read_edge(t, place, type->items[i], &edges.outside[i], &edges.inside[i]));
    locals[i] = walk_part_type(t, edges.outside[i], type->items[i]);
  }
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
  BlockId block = region_add_block(t->p, op_region(t->p, made, 0));
  for (uint32_t i = 0; i < n_args; i++) {
    ValueId v = block_arg(t->p, source, i);
    walk_set(t, v, block_add_arg(t->p, block, locals[i], value_at(t->p, v)->name), shardings[i]);
  }
  t->local.block = block;
  t->local.position = 0;
  t->effect_at = NO_DEVICE;
  if (t->mesh) build_position(&t->local);  // seen from everywhere in the function
  TRY(enter_edges(t, source, n_args, edges));
  TRY(walk_block(t, source));
  OpId last = block_at(t->p, source)->last;
  Edges results = {edges.outside + n_args, edges.inside + n_args};
  if (last) TRY(walk_terminator(t, last, results.inside));
  if (last)
    TRY(leave_edges(t, block_at(t->p, block)->last, type->items + n_args, n_results, results));
  drop_unused(t, block);
  return NULL;
}

// The module says on how many devices it runs, and that it is the program of one of them.
static void put_counts(Partition *t, MeshId mesh) {
  const Mesh *devices = sharding_mesh(t->table, mesh);
  if (!devices) return;
  op_set_attr(t->p, t->p->root, "mhlo.num_partitions",
              attr_int(t->context, DT_i32, devices->n_devices));
  if (!op_attr(t->p, t->p->root, "mhlo.num_replicas"))
    op_set_attr(t->p, t->p->root, "mhlo.num_replicas", attr_int(t->context, DT_i32, 1));
  op_set_attr(t->p, t->p->root, "tessera.mesh", mesh_to_attr(t->context, devices));
}

// A function that is only declared stays as it is; its shardings go with the meshes.
static void drop_shardings_of(Partition *t, OpId function, const char *name) {
  Attr list = op_attr(t->p, function, name);
  uint32_t n = attr_info(t->context, list)->count;
  if (attr_info(t->context, list)->kind != ATTR_ARRAY) return;
  Attr *items = ARENA_ARRAY(&t->arena, Attr, n + 1);
  bool any = false;
  for (uint32_t i = 0; i < n; i++) {
    items[i] = attr_dict_with(t->context, attr_info(t->context, list)->items[i], "sdy.sharding", 0);
    any |= attr_info(t->context, items[i])->count > 0;
  }
  op_set_attr(t->p, function, name, any ? attr_array(t->context, n, items) : 0);
}

// No value is on a mesh any more; what was written inside of manual computations may name one.
static void drop_meshes(Partition *t, BlockId top) {
  Program *p = t->p;
  bool *named = ARENA_ARRAY(&t->arena, bool, p->ops.count);
  for (OpId o = p->root; o && t->has_manual; o = op_walk_next(p, o, p->root)) {
    Attr groups = op_attr(p, o, "replica_groups");
    if (attr_info(t->context, groups)->kind != ATTR_STRUCT) continue;
    Attr mesh = attr_get(t->context, groups, "mesh");
    if (attr_info(t->context, mesh)->kind != ATTR_SYMBOL) continue;
    named[symbols_find(&t->functions, attr_as_name(t->context, mesh))] = true;
  }
  for (OpId o = block_at(p, top)->first, next; o; o = next) {
    next = op_at(p, o)->next;
    if (op_at(p, o)->code == OP_sdy_mesh && !named[o]) op_erase(p, o);
  }
}

static Status *put_functions(Partition *t) {
  BlockId top = region_block(t->p, op_region(t->p, t->p->root, 0));
  VEC(OpId) old = {0};
  for (OpId o = block_at(t->p, top)->first; o; o = op_at(t->p, o)->next)
    if (op_row(op_at(t->p, o)->code)->traits & TRAIT_FUNCTION) VEC_PUSH(&t->arena, &old, o);
  for (uint32_t i = 0; i < old.count; i++) {
    if (!walk_is_local(t, old.items[i])) continue;
    ArenaMark mark = arena_mark(&t->scratch);
    TRY(put_function(t, old.items[i]));
    walk_rewind(t, 0);
    arena_rewind(&t->scratch, mark);
  }
  walk_list_redundant(t);
  TRY(walk_keep_copies(t));
  for (uint32_t i = 0; i < old.count; i++) {
    bool has_body = region_block(t->p, op_region(t->p, old.items[i], 0)) != 0;
    if (!has_body || walk_has_copy(t, old.items[i])) {
      drop_shardings_of(t, old.items[i], "arg_attrs");
      drop_shardings_of(t, old.items[i], "res_attrs");
    } else if (graph_instance_of(t->graph, old.items[i])) {
      op_erase(t->p, old.items[i]);
    }
  }
  drop_meshes(t, top);
  return NULL;
}

// Of @main, else the largest.
static MeshId main_mesh(Partition *t) {
  OpId entry = symbols_find(&t->functions, name_of(t->context, "main"));
  InstanceId instance = entry ? graph_instance_of(t->graph, entry) : 0;
  MeshId mesh = instance ? t->meshes[root_of(t, instance)] : 0;
  for (InstanceId i = 1; !instance && i < t->graph->n_instances; i++)
    mesh = larger(t, mesh, t->meshes[i]);
  return mesh;
}

static Status *partition(Partition *t, const PartitionOptions *options) {
  PropagateOptions given = {0};
  TRY(single_device_ids(t->p, t->guard, t->diag));
  TRY(propagation_new(t->p, t->table, &given, t->guard, t->diag, &t->given));
  t->graph = propagation_graph(t->given);
  TRY(propagation_read(t->given, t->diag));
  symbols_init(&t->functions, t->p, t->p->root, t->guard);
  if (options && (options->why || options->redundant))
    words_init(&t->words, t->p, t->table, &t->functions, &t->arena, &t->scratch, t->guard);
  find_instances(t);
  TRY(find_meshes(t));
  runs_count(t->p, NULL, &t->arena, &t->runs);
  walk_find_contexts(t);
  walk_find_written_out(t);
  walk_find_effects(t);
  walk_name_copies(t);
  t->n_values = t->p->values.count;
  t->n_ops = t->p->ops.count;
  t->parts = ARENA_ARRAY(&t->arena, Part *, t->n_values + 1);
  t->only_there = ARENA_ARRAY(&t->arena, ValueId, t->n_values + 1);
  t->cloned = ARENA_ARRAY(&t->arena, ValueId, t->n_values + 1);
  t->options = options;
  t->has_manual = t->graph->n_views > 1;
  t->network = options && options->network ? options->network : &network_default;
  t->local = (Builder){.p = t->p,
                       .pos = POS_NONE,
                       .table = t->table,
                       .arena = &t->scratch,
                       .kept = &t->arena,
                       .poison = options && options->poison};
  return put_functions(t);
}

Status *partition_program(Program *program, ShardingTable *table, const PartitionOptions *options,
                          Guard *guard, Diag *diag, MeshId *out_mesh) {
  Partition t = {
      .p = program, .table = table, .context = program->context, .guard = guard, .diag = diag};
  arena_init(&t.arena, guard);
  arena_init(&t.scratch, guard);
  GuardCleanup cleanup = {release, &t, NULL};
  guard_push(guard, &cleanup);
  Status *status = partition(&t, options);
  if (!status) {
    *out_mesh = main_mesh(&t);
    put_counts(&t, *out_mesh);
  }
  guard_pop(guard, &cleanup);
  release(&t);
  return status;
}
