// Afterwards each in_ and out_sharding mentions every manual axis; each is completed on its own.
// O(axes · shardings).
#include "annotate/manual_axes.h"

#include "annotate/program_mesh.h"
#include "ops/op.h"

static Attr to_attr(ShardingTable *table, Sharding sharding, Attr otherwise) {
  Attr out = otherwise;
  status_free(sharding_to_attr(table, sharding, &out));
  return out;
}

static bool from_attr(ShardingTable *table, Attr attr, Type type, Sharding *out) {
  Status *status = sharding_from_attr(table, attr, type, out);
  bool good = !status;
  status_free(status);
  return good;
}

// Adds the unused manual axes to each sharding of a list. Tokens have no sharding to complete.
static Attr clean_border(Program *p, OpId op, bool results, ShardingTable *table, Attr list,
                         AxisList manual, MeshId mesh, Arena *arena) {
  Context *context = p->context;
  AttrInfo info = *attr_info(context, attr_get(context, list, "shardings"));
  Attr *items = ARENA_ARRAY(arena, Attr, info.count ? info.count : 1);
  for (uint32_t i = 0; i < info.count; i++) {
    Sharding sharding;
    items[i] = info.items[i];
    if (i < (results ? op_at(p, op)->n_results : op_at(p, op)->n_operands) &&
        !type_is_tensor(context, results ? op_result_type(p, op, i) : op_operand_type(p, op, i)))
      continue;
    if (!from_attr(table, items[i], 0, &sharding)) continue;
    ShardingInfo now = *sharding_info(table, sharding);
    const Mesh *old = sharding_mesh(table, now.mesh);
    if (old && old->n_axes == 0) now.mesh = mesh;
    AxisList used = sharding_used_axes(&now, arena), unused = {0};
    AxisRef *v = ARENA_ARRAY(arena, AxisRef, manual.n ? manual.n : 1);
    for (uint32_t k = 0; k < manual.n; k++) {
      bool found = false;
      for (uint32_t u = 0; u < used.n; u++) found |= used.v[u].axis == manual.v[k].axis;
      if (!found) v[unused.n++] = manual.v[k];
    }
    unused.v = v;
    if (!unused.n || now.mesh != mesh) continue;
    now.replicated = axes_concat(arena, now.replicated, unused);
    items[i] = to_attr(table, sharding_intern(table, &now), items[i]);
  }
  NamedAttr field = {name_of(context, "shardings"), attr_array(context, info.count, items)};
  return attr_struct(context, "sdy.sharding_per_value", 1, &field);
}

// The mesh of the first sharding in the lists that has axes.
static MeshId border_mesh(Program *p, ShardingTable *table, const Attr *lists) {
  for (int i = 0; i < 2; i++) {
    const AttrInfo *items = attr_info(p->context, attr_get(p->context, lists[i], "shardings"));
    for (uint32_t k = 0; k < items->count; k++) {
      Sharding sharding;
      if (!from_attr(table, items->items[k], 0, &sharding)) continue;
      MeshId mesh = sharding_info(table, sharding)->mesh;
      if (mesh && sharding_mesh(table, mesh)->n_axes) return mesh;
    }
  }
  return 0;
}

// The manual axes in the mesh's order; a computation with unknown axes is left to the verifier.
static void clean_manual(Program *p, OpId op, ShardingTable *table, Arena *arena) {
  Context *context = p->context;
  Attr lists[2] = {op_attr(p, op, "in_shardings"), op_attr(p, op, "out_shardings")};
  MeshId id = border_mesh(p, table, lists);
  if (!id) return;
  const Mesh *mesh = sharding_mesh(table, id);
  AttrInfo names = *attr_info(context, attr_get(context, op_attr(p, op, "manual_axes"), "axes"));
  AxisRef *v = ARENA_ARRAY(arena, AxisRef, mesh->n_axes);
  Attr *sorted = ARENA_ARRAY(arena, Attr, names.count ? names.count : 1);
  AxisList manual = {v, 0};
  for (uint32_t a = 0; a < mesh->n_axes; a++)
    for (uint32_t i = 0; i < names.count; i++)
      if (attr_as_name(context, names.items[i]) == mesh->axes[a].name && manual.n < names.count) {
        sorted[manual.n] = names.items[i];
        v[manual.n++] = axis_full(mesh, a);
        break;
      }
  if (manual.n != names.count) return;  // the verifier reports unknown axes
  NamedAttr field = {name_of(context, "axes"), attr_array(context, manual.n, sorted)};
  op_set_attr(p, op, "manual_axes", attr_struct(context, "sdy.manual_axes", 1, &field));
  op_set_attr(p, op, "in_shardings",
              clean_border(p, op, false, table, lists[0], manual, id, arena));
  op_set_attr(p, op, "out_shardings",
              clean_border(p, op, true, table, lists[1], manual, id, arena));
}

void manual_axes_complete(Program *p, Arena *arena) {
  ShardingTable *table = program_sharding_table(p);
  GuardCleanup cleanup = {sharding_table_release, table, NULL};
  guard_push(p->guard, &cleanup);
  for (OpId o = p->root; o; o = op_walk_next(p, o, p->root))
    if (op_at(p, o)->code == OP_sdy_manual_computation) clean_manual(p, o, table, arena);
  guard_pop(p->guard, &cleanup);
  sharding_table_free(table);
}
