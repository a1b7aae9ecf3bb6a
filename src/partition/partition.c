// The two stages: facts about the program that both need, then decide (decide.c) and write
// (write.c).
//
// Facts: one mesh per root instance, contexts of functions, inlined functions, side effects. Local
// functions replace the global ones when all are written. An op that cannot be written on shards is
// refused, and everything is decided again: each attempt replicates at least one more op.
// O(program) per attempt; nearly always there is one.
#include "partition/partition.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "partition/decisions_json.h"
#include "partition/single_device.h"
#include "partition/walk.h"

static void release(void *object) {
  Partition *t = object;
  propagation_free(t->shardings);
  symbols_deinit(&t->functions);
  given_deinit(t->given);
  idmap_deinit(&t->price_ids);
  reshard_memo_free(t->memo);
  idmap_deinit(&t->instance_ids);
  arena_deinit(&t->arena);
  arena_deinit(&t->scratch);
  words_deinit(&t->words);
  mem_free(t);
}

// ---- the mesh ----

// replica_groups name their devices one by one.
enum { MOST_DEVICES = 1 << 20 };

// The mesh with more devices; the first one if both have as many, or if the second has no axes.
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

// Finds the root of each instance, and indexes instances by call and caller. The graph lists
// callers before their callees.
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

// Gives both instances the larger mesh of the two. True if that changes one.
static bool unite_meshes(Partition *t, InstanceId a, InstanceId b) {
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

// The same for ops that name a function without being calls (stablehlo.composite).
static bool unite_composites(Partition *t) {
  bool changed = false;
  for (OpId o = t->p->root; o; o = op_walk_next(t->p, o, t->p->root)) {
    if (op_row(op_at(t->p, o)->code)->traits & TRAIT_CALL) continue;
    OpId callee = op_callee(t->p, &t->functions, o);
    OpId caller = function_of(t, o);
    if (callee && caller)
      changed |=
          unite_meshes(t, graph_instance_of(t->graph, caller), graph_instance_of(t->graph, callee));
  }
  return changed;
}

// Decisions may split ops although all arguments and results are replicated: then only the file
// names a mesh.
static void use_given_mesh(Partition *t) {
  const Mesh *mesh = t->given ? sharding_mesh(t->table, t->given->mesh) : NULL;
  bool none = mesh && mesh->n_devices <= MOST_DEVICES;
  for (InstanceId i = 1; i < t->graph->n_instances; i++) none &= !t->meshes[root_of(t, i)];
  for (InstanceId i = 1; none && i < t->graph->n_instances; i++)
    t->meshes[root_of(t, i)] = t->given->mesh;
}

// Finds the mesh of each root instance: the first mesh with the most devices among the shardings of
// its values. Shardings on other meshes are translated to it (walk_on_mesh). A function is written
// once, so all instances that reach it have one mesh. Repeats until nothing changes.
static Status *find_meshes(Partition *t) {
  const Graph *g = t->graph;
  t->meshes = ARENA_ARRAY(&t->arena, MeshId, g->n_instances);
  for (PlaceId i = 1; i < g->n_places; i++) {
    Sharding sharding = walk_given_sharding(t, i);
    if (!sharding) continue;
    MeshId id = sharding_info(t->table, sharding)->mesh;
    const Mesh *mesh = sharding_mesh(t->table, id);
    if (mesh && mesh->n_devices > MOST_DEVICES) {
      const Given *given = propagation_given(t->shardings, i);
      diag_error(t->diag, given ? given->pos : POS_NONE,
                 "a mesh of %u devices: at most %d can be partitioned for", mesh->n_devices,
                 MOST_DEVICES);
      FAIL(UNIMPLEMENTED, "a mesh of %u devices: at most %d can be partitioned for",
           mesh->n_devices, MOST_DEVICES);
    }
    MeshId *of = &t->meshes[root_of(t, g->places[i].instance)];
    *of = larger(t, *of, id);
  }
  use_given_mesh(t);
  for (bool again = true; again;) {
    again = unite_composites(t);
    for (InstanceId i = 1; i < g->n_instances; i++)
      again |= unite_meshes(t, i, graph_instance_of(g, g->instances[i].function));
  }
  return NULL;
}

static void use_network(Partition *t, Network content) {
  Network *network = ARENA_NEW(&t->arena, Network);
  *network = content;
  if (!t->options.memo && !t->memo) t->memo = reshard_memo_new(t->guard);
  reshard_memo_use(t->options.memo ? t->options.memo : t->memo, network, t->guard);
  t->network = network;
}

void walk_use_mesh(Partition *t, InstanceId instance) {
  MeshId mesh = t->meshes[root_of(t, instance)];
  if (t->mesh == mesh) return;
  t->mesh = t->local.mesh = mesh;
  t->local.groups = NULL;
  t->on_mesh.count = 0;
  if (!t->options.machine) return;
  const Mesh *on = sharding_mesh(t->table, mesh);
  use_network(t, machine_network(t->options.machine, t->context, on, &t->arena));
  t->compute = machine_compute(t->options.machine, on ? on->n_devices : 1);
}

// ---- deciding ----

// Ops by the numbers that name them in JSON. O(ops).
static void number_ops(Partition *t) {
  if (!t->options.decisions.n && !t->options.out_decisions) return;
  t->numbers = program_number_ops(t->p, &t->arena, &t->n_numbers);
  t->by_number = ARENA_ARRAY(&t->arena, OpId, t->n_numbers + 1);
  t->positions = ARENA_ARRAY(&t->arena, Pos, t->n_numbers + 1);
  for (OpId o = t->p->root; o; o = op_walk_next(t->p, o, t->p->root)) {
    t->by_number[t->numbers[o]] = o;
    t->positions[t->numbers[o]] = op_at(t->p, o)->pos;
  }
  t->by_number[0] = 0;
}

// Gathers facts, then walks. The order matters: shardings in given decisions change the meshes, and
// ops in given decisions are resolved on the meshes; contexts come before inlining, and this before
// the names of copied functions.
static Status *decide(Partition *t) {
  PropagateOptions given = {0};
  if (!t->options.blocks) TRY(single_device_ids(t->p, t->guard, t->diag));
  TRY(propagation_new(t->p, t->table, &given, t->guard, t->diag, &t->shardings));
  t->graph = propagation_graph(t->shardings);
  TRY(propagation_read(t->shardings, t->diag));
  symbols_init(&t->functions, t->p, t->p->root, t->guard);
  if (t->options.why || t->options.redundant)
    words_init(&t->words, t->p, t->table, &t->functions, &t->arena, &t->scratch, t->guard);
  find_instances(t);
  number_ops(t);
  TRY(given_read_values(t));
  TRY(find_meshes(t));
  TRY(given_read_ops(t));
  runs_count(t->p, NULL, &t->arena, &t->runs);
  walk_find_contexts(t);
  TRY(walk_find_inlined(t));
  walk_find_effects(t);
  walk_name_copies(t);
  t->n_values = t->p->values.count;
  t->n_ops = t->p->ops.count;
  t->copies = ARENA_ARRAY(&t->arena, Copy *, t->n_values + 1);
  t->on_one_device = ARENA_ARRAY(&t->arena, CopyId, t->n_values + 1);
  t->refused = ARENA_ARRAY(&t->arena, bool, t->n_ops + 1);
  t->has_manual = t->graph->n_views > 1;
  if (!t->options.machine)
    use_network(t, t->options.network ? *t->options.network : network_default);
  else
    t->network = &network_default;  // until the first function
  t->compute = compute_default;
  t->local = (Builder){.p = t->p,
                       .pos = POS_NONE,
                       .table = t->table,
                       .arena = &t->scratch,
                       .kept = &t->arena,
                       .poison = t->options.poison};
  return walk_functions(t);
}

Status *partition_decide(Program *program, ShardingTable *table, const PartitionOptions *options,
                         Guard *guard, Diag *diag, Partition **out) {
  Partition *t = mem_alloc(sizeof *t);
  if (!t) guard_throw(guard, status_no_memory());
  *t = (Partition){.p = program,
                   .table = table,
                   .context = program->context,
                   .guard = guard,
                   .diag = diag,
                   .options = options ? *options : (PartitionOptions){0}};
  arena_init(&t->arena, guard);
  arena_init(&t->scratch, guard);
  GuardCleanup cleanup = {release, t, NULL};
  guard_push(guard, &cleanup);
  Status *status = decide(t);
  guard_pop(guard, &cleanup);
  if (status)
    release(t);
  else
    *out = t;
  return status;
}

void partition_free(Partition *t) {
  if (t) release(t);
}

uint32_t partition_n_decisions(const Partition *t) { return t->decisions.count; }
const Decision *partition_decision(const Partition *t, uint32_t i) {
  return &t->decisions.items[i];
}
const CopyInfo *partition_copy(const Partition *t, CopyId copy) { return &t->infos.items[copy]; }

uint32_t partition_number(const Partition *t, OpId op) {
  return t->numbers && op <= t->n_ops ? t->numbers[op] : 0;
}
OpId partition_numbered(const Partition *t, uint32_t number) {
  return number <= t->n_numbers ? t->by_number[number] : 0;
}

Pos partition_numbered_pos(const Partition *t, uint32_t number) {
  return number <= t->n_numbers ? t->positions[number] : POS_NONE;
}

// ---- writing ----

// Writes the number of devices and the mesh on the module.
static void write_counts(Partition *t, MeshId mesh) {
  const Mesh *devices = sharding_mesh(t->table, mesh);
  if (!devices) return;
  op_set_attr(t->p, t->p->root, "mhlo.num_partitions",
              attr_int(t->context, DT_i32, devices->n_devices));
  if (!op_attr(t->p, t->p->root, "mhlo.num_replicas"))
    op_set_attr(t->p, t->p->root, "mhlo.num_replicas", attr_int(t->context, DT_i32, 1));
  op_set_attr(t->p, t->p->root, "tessera.mesh", mesh_to_attr(t->context, devices));
}

// Removes the shardings of a function that stays: a declaration, or one that copied regions call.
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

// Erases the mesh ops, except those that replica_groups inside manual computations name.
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

// Decides again; ops that could not be written on shards are replicated now (t->refused).
static Status *decide_again(Partition *t) {
  t->decisions.count = t->infos.count = t->notes.count = 0;
  t->clock = t->n_walked = t->n_inlined = t->n_visits = 0;
  memset(t->on_one_device, 0, (t->n_values + 1) * sizeof *t->on_one_device);
  return walk_functions(t);
}

// Writes the local functions beside the global ones. If ops are refused, erases the functions and
// decides again. Ends, since each attempt refuses at least one more op.
static Status *write_functions(Partition *t) {
  Builder builder = t->local;
  builder.mesh = 0;
  builder.groups = NULL;
  Writer w = {.t = t, .b = &builder};
  w.cloned = ARENA_ARRAY(&t->arena, ValueId, t->n_values + 1);
  for (;;) {
    w.values = ARENA_ARRAY(&t->arena, ValueId, t->infos.count + 1);
    TRY(write_decisions(&w));
    if (!w.refused) return NULL;
    for (uint32_t i = 0; i < w.functions.count; i++) op_erase(t->p, w.functions.items[i]);
    w.functions.count = 0;
    w.refused = false;
    TRY(decide_again(t));
  }
}

// Writes the local program and removes the global one. JSON and redundant work are written in
// between, since they name global ops and count local ones.
static Status *replace_functions(Partition *t) {
  BlockId top = region_block(t->p, op_region(t->p, t->p->root, 0));
  VEC(OpId) old = {0};
  for (OpId o = block_at(t->p, top)->first; o; o = op_at(t->p, o)->next)
    if (op_row(op_at(t->p, o)->code)->traits & TRAIT_FUNCTION) VEC_PUSH(&t->arena, &old, o);
  TRY(write_functions(t));
  if (t->options.out_decisions) decisions_json(t, &(Json){.out = t->options.out_decisions});
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

// The mesh of @main; without @main, the largest mesh.
static MeshId main_mesh(Partition *t) {
  OpId entry = symbols_find(&t->functions, name_of(t->context, "main"));
  InstanceId instance = entry ? graph_instance_of(t->graph, entry) : 0;
  MeshId mesh = instance ? t->meshes[root_of(t, instance)] : 0;
  for (InstanceId i = 1; !instance && i < t->graph->n_instances; i++)
    mesh = larger(t, mesh, t->meshes[i]);
  return mesh;
}

Status *partition_write(Partition *t, MeshId *out_mesh) {
  TRY(replace_functions(t));
  *out_mesh = main_mesh(t);
  write_counts(t, *out_mesh);
  return NULL;
}

Status *partition_program(Program *program, ShardingTable *table, const PartitionOptions *options,
                          Guard *guard, Diag *diag, MeshId *out_mesh) {
  Partition *t;
  TRY(partition_decide(program, table, options, guard, diag, &t));
  GuardCleanup cleanup = {release, t, NULL};
  guard_push(guard, &cleanup);
  Status *status = partition_write(t, out_mesh);
  guard_pop(guard, &cleanup);
  release(t);
  return status;
}
