// sdy.manual_computation: the body is the per-device program along the manual axes. Evaluation
// requires a process grid with the mesh's devices as partitions. Each process slices its shards
// from the global operands, runs the body, and gathers the others' results into global results.
#include "ops/eval.h"
#include "ops/groups.h"
#include "ops/infer.h"
#include "sharding/sharding.h"

static bool infer_manual(Infer *cx) {
  REQUIRE(cx, 0, infer_region_n_args(cx, 0) == infer_n_operands(cx),
          "body takes %u arguments, expected %u", infer_region_n_args(cx, 0), infer_n_operands(cx));
  REQUIRE(cx, 0, infer_region_n_returned(cx, 0) == infer_n_results(cx),
          "has %u results, expected %u as its body returns", infer_n_results(cx),
          infer_region_n_returned(cx, 0));
  return infer_declared(cx);
}

typedef struct Manual {
  EvalContext *cx;
  ShardingTable *table;
  const Mesh *mesh;  // NULL: no axis of more than one device
  AxisList axes;     // the manual ones
  Sharding *in, *out;
  uint32_t device;
} Manual;

static void release(void *object) { sharding_table_free(((Manual *)object)->table); }

static Status *add_meshes(Manual *m) {
  const Program *p = m->cx->program;
  for (OpId o = p->root; o; o = op_walk_next(p, o, p->root)) {
    if (op_at(p, o)->code != OP_sdy_mesh) continue;
    const Mesh *mesh;
    TRY(mesh_from_attr(m->cx->context, op_attr(p, o, "mesh"),
                       attr_as_name(m->cx->context, op_attr(p, o, "sym_name")), &mesh));
    sharding_mesh_add(m->table, mesh);
  }
  return NULL;
}

static bool is_manual(const Manual *m, AxisRef axis) {
  for (uint32_t i = 0; i < m->axes.n; i++)
    if (m->axes.v[i].axis == axis.axis) return true;
  return false;
}

// Reduces a sharding to its manual axes. Fails if it is unreduced along one.
static Status *only_manual(Manual *m, Sharding *sharding) {
  Arena *arena = m->cx->scratch;
  const ShardingInfo *info = sharding_info(m->table, *sharding);
  DimSharding *dims = ARENA_ARRAY(arena, DimSharding, info->rank + 1);
  for (uint32_t i = 0; i < info->unreduced.n; i++)
    if (is_manual(m, info->unreduced.v[i]))
      FAIL(UNIMPLEMENTED, "returns an unreduced value (partial sums over a manual axis), which "
                          "cannot be evaluated; reduce it in the body");
  for (uint32_t d = 0; d < info->rank; d++) {
    AxisList from = sharding_dim_axes(info, d);
    AxisRef *v = ARENA_ARRAY(arena, AxisRef, from.n + 1);
    uint32_t n = 0;
    for (uint32_t i = 0; i < from.n; i++)
      if (is_manual(m, from.v[i])) v[n++] = from.v[i];
    ShardFactor *factor = ARENA_NEW(arena, ShardFactor);
    factor->axes = (AxisList){v, n};
    dims[d] = (DimSharding){factor, 1, false, PRIORITY_NONE};
  }
  ShardingInfo made = {.mesh = info->mesh, .rank = info->rank, .dims = dims};
  *sharding = sharding_intern(m->table, &made);
  return NULL;
}

static Status *read_shardings(Manual *m, const char *name, uint32_t n, Sharding **out) {
  EvalContext *cx = m->cx;
  const AttrInfo *list =
      attr_info(cx->context, attr_get(cx->context, eval_attr(cx, name), "shardings"));
  *out = ARENA_ARRAY(cx->scratch, Sharding, n + 1);
  if (list->count != n)
    FAIL(INVALID_ARGUMENT, "%s has %u shardings, expected %u, one per value", name, list->count, n);
  for (uint32_t i = 0; i < n; i++) {
    Attr item =
        attr_info(cx->context, attr_get(cx->context, eval_attr(cx, name), "shardings"))->items[i];
    TRY(sharding_from_attr(m->table, item, 0, &(*out)[i]));
    const Mesh *mesh = sharding_mesh(m->table, sharding_info(m->table, (*out)[i])->mesh);
    if (mesh && mesh->n_axes && !m->mesh) m->mesh = mesh;
  }
  return NULL;
}

static Status *read_manual(Manual *m) {
  EvalContext *cx = m->cx;
  TRY(add_meshes(m));
  TRY(read_shardings(m, "in_shardings", cx->n_in, &m->in));
  TRY(read_shardings(m, "out_shardings", cx->n_out, &m->out));
  Attr names = attr_get(cx->context, eval_attr(cx, "manual_axes"), "axes");
  uint32_t n = attr_info(cx->context, names)->count;
  AxisRef *axes = ARENA_ARRAY(cx->scratch, AxisRef, n + 1);
  for (uint32_t i = 0; m->mesh && i < n; i++) {
    Name name = attr_as_name(cx->context, attr_info(cx->context, names)->items[i]);
    uint32_t axis = mesh_find_axis(m->mesh, name);
    if (axis != MESH_NO_AXIS) axes[m->axes.n++] = axis_full(m->mesh, axis);
  }
  m->axes.v = axes;
  for (uint32_t i = 0; i < cx->n_in; i++) TRY(only_manual(m, &m->in[i]));
  for (uint32_t i = 0; i < cx->n_out; i++) TRY(only_manual(m, &m->out[i]));
  return NULL;
}

static Status *find_device(Manual *m) {
  uint32_t replicas, partitions;
  ProcessId self;
  m->cx->host->grid(m->cx, &replicas, &partitions, &self);
  if (partitions != m->mesh->n_devices)
    FAIL(FAILED_PRECONDITION,
         "describes one of %u devices: run it with --partitions %u, or partition the program first",
         m->mesh->n_devices, m->mesh->n_devices);
  m->device = self.partition;
  return NULL;
}

// Rendezvous with the devices that differ from this one along the manual axes only, in the order of
// their coordinates; contributes this device's results.
static Status *meet(Manual *m, Literal *const *mine, Rendezvous *out) {
  EvalContext *cx = m->cx;
  ArenaMark mark = arena_mark(cx->scratch);
  uint32_t replicas, partitions, n = 0;
  ProcessId self, *group = ARENA_ARRAY(cx->scratch, ProcessId, (size_t)axes_size(m->axes) + 1);
  cx->host->grid(cx, &replicas, &partitions, &self);
  AxisList others = axes_complement(cx->scratch, m->mesh, m->axes);
  int64_t here = axes_coordinate(m->mesh, others, mesh_position(m->mesh, m->device));
  for (uint32_t i = 0; i < m->mesh->n_devices; i++)
    if (axes_coordinate(m->mesh, others, i) == here)
      group[n++] = (ProcessId){self.replica, mesh_device(m->mesh, i)};
  return groups_meet_in(cx, group, n, cx->n_out, mine, mark, out);
}

// Copies a device's tile from (to_tile) or to the global value.
static Status *copy_tile(const Manual *m, Sharding sharding, uint32_t device, Literal *global,
                         Literal *tile, bool to_tile) {
  int64_t offset[MAX_RANK] = {0}, extent[MAX_RANK] = {0}, at[MAX_RANK] = {0}, there[MAX_RANK];
  sharding_tile_range(m->table, sharding, global->dims, device, offset, extent);
  for (uint32_t d = 0; d < global->rank; d++)
    if (tile->rank != global->rank || tile->dims[d] != extent[d])
      FAIL(INVALID_ARGUMENT, "has shards whose sizes do not divide their tensor's");
  for (int64_t i = 0; i < tile->count; i++) {
    for (uint32_t d = 0; d < global->rank; d++) there[d] = offset[d] + at[d];
    int64_t number = shape_linear(global->rank, global->dims, there);
    if (to_tile)
      literal_copy_elements(tile, i, global, number, 1);
    else
      literal_copy_elements(global, number, tile, i, 1);
    shape_next(tile->rank, tile->dims, at);
  }
  return NULL;
}

static Status *run_tiles(Manual *m, Literal *const *in, Literal **out) {
  EvalContext *cx = m->cx;
  BlockId block = region_block(cx->program, op_region(cx->program, cx->op, 0));
  Literal **tiles = ARENA_ARRAY(cx->scratch, Literal *, cx->n_in + 1);
  Literal **mine = ARENA_ARRAY(cx->scratch, Literal *, cx->n_out + 1);
  for (uint32_t i = 0; i < cx->n_in; i++) {
    Type type = value_type(cx->program, block_arg(cx->program, block, i));
    if (in[i]->kind != LITERAL_ARRAY) {
      tiles[i] = literal_retain(in[i]);
      continue;
    }
    tiles[i] = literal_new_typed(cx->heap, cx->context, type);
    TRY(copy_tile(m, m->in[i], m->device, in[i], tiles[i], true));
  }
  TRY(cx->host->run_region(cx, op_region(cx->program, cx->op, 0), cx->n_in, tiles, cx->n_out,
                           mine));
  for (uint32_t i = 0; i < cx->n_in; i++) literal_release(tiles[i]);
  Rendezvous x;
  TRY(meet(m, mine, &x));
  for (uint32_t i = 0; i < cx->n_out; i++) {
    if (mine[i]->kind != LITERAL_ARRAY) {
      out[i] = literal_retain(mine[i]);
      continue;
    }
    out[i] = eval_new_result(cx, i);
    // Several devices may have the same tile. The own one is written last and wins.
    for (uint32_t k = 0; k < x.n_group; k++)
      TRY(copy_tile(m, m->out[i], x.group[k].partition, out[i], x.parts[(size_t)k * cx->n_out + i],
                    false));
    TRY(copy_tile(m, m->out[i], m->device, out[i], mine[i], false));
  }
  cx->host->leave(cx, &x);
  for (uint32_t i = 0; i < cx->n_out; i++) literal_release(mine[i]);
  return NULL;
}

static Status *eval_manual(EvalContext *cx, Literal *const *in, Literal **out) {
  Guard *guard = cx->heap->guard;
  Manual m = {.cx = cx, .table = sharding_table_new(cx->context, guard)};
  GuardCleanup cleanup = {release, &m, NULL};
  guard_push(guard, &cleanup);
  Status *status = read_manual(&m);
  bool alone = !m.mesh || axes_size(m.axes) == 1;
  if (!status && !alone) status = find_device(&m);
  if (!status)
    status = alone ? cx->host->run_region(cx, op_region(cx->program, cx->op, 0), cx->n_in, in,
                                          cx->n_out, out)
                   : run_tiles(&m, in, out);
  guard_pop(guard, &cleanup);
  release(&m);
  return status;
}

const OpDef op_sdy_manual_computation = {
    .flow = FLOW_BODY, .infer = infer_manual, .eval = eval_manual};
