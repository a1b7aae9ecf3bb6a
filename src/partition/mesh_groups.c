// Problem: from groups of device ids to the mesh axes that give them. Idea: members of a group
// differ in digits of their positions; the strides of the first group give the axes, minor to
// major. Then all groups are checked against these axes, so that a wrong guess does no harm.
// Distinct groups are computed once. O(devices) for each.
#include "partition/mesh_groups.h"

#include <string.h>

#include "ops/op.h"
#include "sharding/axes.h"

typedef struct Known {
  Attr dense, axes;  // axes 0: no axes give these groups
} Known;

typedef struct Groups {
  Program *p;
  Context *context;
  const Mesh *mesh;
  Attr symbol;
  Arena arena;
  VEC(Known) known;
} Groups;

static void release(void *object) { arena_deinit(&((Groups *)object)->arena); }

// The axis whose digits include this stride: its sub-axis from this stride to the major end.
static bool axis_at(const Mesh *mesh, uint32_t stride, AxisRef *out) {
  for (uint32_t i = 0; i < mesh->n_axes; i++) {
    const MeshAxis *axis = &mesh->axes[i];
    if (stride < axis->stride || stride >= axis->stride * axis->size || stride % axis->stride)
      continue;
    uint32_t minor = stride / axis->stride;  // digits of the axis below
    if (axis->size % minor) continue;
    *out = (AxisRef){i, 1, axis->size / minor};
    return true;
  }
  return false;
}

// The axes along which the members of one group are counted, minor to major. The first run of equal
// steps between positions is the minor-most digit, and so on.
//
//   positions 0 1 4 5:   step 1, twice: a digit of size 2 and stride 1; then step 4, twice
static bool read_axes(const Groups *g, const int64_t *ids, uint32_t width, AxisRef *out,
                      uint32_t *out_n) {
  uint32_t first = mesh_position(g->mesh, (uint32_t)ids[0]), done = 1;
  *out_n = 0;
  while (done < width) {
    int64_t step = (int64_t)mesh_position(g->mesh, (uint32_t)ids[done]) - first;
    AxisRef axis;
    if (step <= 0 || *out_n == 32 || !axis_at(g->mesh, (uint32_t)step, &axis)) return false;
    uint32_t size = 1;  // of the digit
    while (size < axis.size && (size + 1) * done <= width &&
           (int64_t)mesh_position(g->mesh, (uint32_t)ids[size * done]) - first == size * step)
      size++;
    if (size < 2 || axis.size % size || width % (done * size)) return false;
    out[(*out_n)++] = (AxisRef){axis.axis, axis.size / size, size};
    done *= size;
  }
  return true;
}

// Does every group consist of the devices along these axes, in this order?
static bool holds(const Groups *g, const int64_t *ids, uint32_t n, uint32_t width, AxisList axes,
                  AxisList others) {
  for (uint32_t i = 0; i < n; i++) {
    int64_t group = -1;
    for (uint32_t k = 0; k < width; k++) {
      int64_t id = ids[(size_t)i * width + k];
      if (id < 0 || id >= g->mesh->n_devices) return false;
      uint32_t position = mesh_position(g->mesh, (uint32_t)id);
      int64_t at = axes_coordinate(g->mesh, others, position);
      if (k && at != group) return false;
      group = at;
      if (axes_coordinate(g->mesh, axes, position) != k) return false;
    }
  }
  return true;
}

static Attr axis_attr(const Groups *g, AxisRef axis) {
  Context *c = g->context;
  Attr part = attr_i64s(c, 2, (int64_t[]){axis.pre_size, axis.size});
  NamedAttr fields[] = {
      {name_of(c, "name"), attr_string(c, g->mesh->axes[axis.axis].name)},
      {name_of(c, "sub_axis_info"), part},
  };
  return attr_struct(c, "stablehlo.axis_ref", axis_is_full(g->mesh, axis) ? 1 : 2, fields);
}

static Attr by_axes(Groups *g, Attr dense) {
  const AttrInfo *info = attr_info(g->context, dense);
  if (info->kind != ATTR_DENSE) return 0;
  const TypeInfo *type = type_info(g->context, info->type);
  Ints ids = attr_as_ints(g->context, dense);
  if (type->rank != 2 || !ids.ok || !type->dims[1] ||
      type->dims[0] * type->dims[1] != g->mesh->n_devices)
    return 0;
  uint32_t n = (uint32_t)type->dims[0], width = (uint32_t)type->dims[1], count;
  for (uint32_t i = 0; i < ids.n; i++)
    if (ids.v[i] < 0 || ids.v[i] >= g->mesh->n_devices) return 0;
  AxisRef minor_first[32], axes[32];
  if (!read_axes(g, ids.v, width, minor_first, &count)) return 0;
  for (uint32_t i = 0; i < count; i++) axes[i] = minor_first[count - 1 - i];
  count = axes_canonicalize(axes, count);
  AxisList list = {axes, count};
  if (axes_size(list) != width) return 0;
  AxisList others = axes_complement(&g->arena, g->mesh, list);
  if (!holds(g, ids.v, n, width, list, others)) return 0;
  Attr items[32];
  for (uint32_t i = 0; i < count; i++) items[i] = axis_attr(g, axes[i]);
  NamedAttr fields[] = {{name_of(g->context, "mesh"), g->symbol},
                        {name_of(g->context, "axes"), attr_array(g->context, count, items)}};
  return attr_struct(g->context, "stablehlo.replica_group_mesh_axes", 2, fields);
}

static Attr cached_axes(Groups *g, Attr dense) {
  for (uint32_t i = 0; i < g->known.count; i++)
    if (g->known.items[i].dense == dense) return g->known.items[i].axes;
  Known made = {dense, by_axes(g, dense)};
  VEC_PUSH(&g->arena, &g->known, made);
  return made.axes;
}

static void write_mesh(Groups *g) {
  BlockId top = region_block(g->p, op_region(g->p, g->p->root, 0));
  NamedAttr fields[] = {{name_of(g->context, "sym_name"),
                         attr_string(g->context, attr_as_name(g->context, g->symbol))},
                        {name_of(g->context, "mesh"), mesh_to_attr(g->context, g->mesh)}};
  OpSpec spec = {.code = OP_sdy_mesh, .attrs = attr_dict(g->context, 2, fields), .pos = POS_NONE};
  OpId op = op_create(g->p, &spec), first = block_at(g->p, top)->first;
  if (first)
    op_insert_before(g->p, op, first);
  else
    op_append(g->p, top, op);
}

uint32_t mesh_groups(Program *local, ShardingTable *table, MeshId mesh, Guard *guard) {
  Groups g = {.p = local, .context = local->context, .mesh = sharding_mesh(table, mesh)};
  uint32_t left = 0, changed = 0;
  if (!g.mesh) return 0;
  Name symbol = g.mesh->symbol ? g.mesh->symbol : name_of(g.context, "mesh");
  g.symbol = attr_symbol(g.context, symbol);
  arena_init(&g.arena, guard);
  GuardCleanup cleanup = {release, &g, NULL};
  guard_push(guard, &cleanup);
  for (OpId o = local->root; o; o = op_walk_next(local, o, local->root)) {
    Attr dense = op_attr(local, o, "replica_groups");
    if (!dense || !(op_row(op_at(local, o)->code)->traits & TRAIT_COLLECTIVE)) continue;
    Attr axes = cached_axes(&g, dense);
    if (axes) op_set_attr(local, o, "replica_groups", axes);
    changed += axes != 0;
    left += axes == 0;
  }
  if (changed) write_mesh(&g);
  guard_pop(guard, &cleanup);
  release(&g);
  return left;
}
