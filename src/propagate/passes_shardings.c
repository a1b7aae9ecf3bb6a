// Passes that change how shardings and meshes are written: every sharding tree of the program is
// looked at once, and equal trees are one id.
#include "annotate/annotation.h"
#include "propagate/passes.h"
#include "propagate/passes_rewrite.h"
#include "annotate/program_mesh.h"
#include "sharding/sharding.h"

// ---- meshes ----

typedef struct Lift {
  Program *p;
  Guard *guard;
  SymbolTable symbols;
  IdMap map;               // of entries + 1, by the mesh tree or symbol that stands in shardings
  VEC(NamedAttr) entries;  // .value: as it stands; .name: the symbol to write instead
  Arena *arena;
  OpId last;  // new meshes go behind it
} Lift;

static bool same_mesh(const void *owner, uint32_t id, const void *key) {
  return ((const Lift *)owner)->entries.items[id - 1].value == *(const Attr *)key;
}

static Name *lifted(Lift *l, Attr mesh) {
  uint32_t id = idmap_find(&l->map, mesh, same_mesh, l, &mesh);
  return id ? &l->entries.items[id - 1].name : NULL;
}

static void lift_as(Lift *l, Attr mesh, Name name) {
  VEC_PUSH(l->arena, &l->entries, ((NamedAttr){name, mesh}));
  idmap_add(&l->map, l->guard, mesh, l->entries.count);
}

static bool is_symbol_taken(const Lift *l, Name name) {
  if (symbols_find(&l->symbols, name)) return true;
  for (uint32_t i = 0; i < l->entries.count; i++)
    if (l->entries.items[i].name == name) return true;
  return false;
}

// mesh, mesh_0, mesh_1 …; one on one device is named after it.
static Name new_mesh_name(Lift *l, Attr mesh) {
  Context *context = l->p->context;
  const AttrInfo *axes = attr_info(context, attr_get(context, mesh, "axes"));
  Ints ids = attr_as_ints(context, attr_get(context, mesh, "device_ids"));
  const char *base = "mesh";
  if (axes->count == 0 && ids.n == 1)
    base = arena_printf(l->arena, "maximal_mesh_%lld", (long long)ids.v[0]);
  else if (axes->count == 0)
    base = "empty_mesh";
  Name name = name_of(context, base);
  for (uint32_t i = 0; is_symbol_taken(l, name); i++)
    name = name_of(context, arena_printf(l->arena, "%s_%u", base, i));
  return name;
}

static Name add_mesh(Lift *l, Attr mesh) {
  Program *p = l->p;
  Name name = new_mesh_name(l, mesh);
  NamedAttr attrs[2] = {{name_of(p->context, "sym_name"), attr_string(p->context, name)},
                        {name_of(p->context, "mesh"), mesh}};
  OpId op = op_create(p, &(OpSpec){.code = OP_sdy_mesh,
                                   .attrs = attr_dict(p->context, 2, attrs),
                                   .pos = POS_NONE,
                                   .origin = 0});
  if (l->last)
    op_insert_after(p, op, l->last);
  else
    op_prepend(p, region_block(p, op_region(p, p->root, 0)), op);
  l->last = op;
  lift_as(l, mesh, name);
  return name;
}

static Attr lift_one(void *user, Attr sharding) {
  Lift *l = user;
  Context *context = l->p->context;
  Attr mesh = attr_get(context, sharding, "mesh");
  Name *to = lifted(l, mesh), name = to ? *to : 0;
  if (!name && attr_info(context, mesh)->kind == ATTR_STRUCT) name = add_mesh(l, mesh);
  if (!name) return sharding;
  return annotation_with_mesh(context, sharding, attr_symbol(context, name));
}

// Groups of collectives name meshes, too.
static void lift_groups(Lift *l) {
  Program *p = l->p;
  for (OpId o = p->root; o; o = op_walk_next(p, o, p->root)) {
    Attr groups = op_attr(p, o, "replica_groups");
    if (attr_info(p->context, groups)->kind != ATTR_STRUCT) continue;
    Attr mesh = attr_get(p->context, groups, "mesh");
    Name *to = attr_info(p->context, mesh)->kind == ATTR_SYMBOL ? lifted(l, mesh) : NULL;
    if (to)
      op_set_attr(p, o, "replica_groups",
                  annotation_with_mesh(p->context, groups, attr_symbol(p->context, *to)));
  }
}

static void free_lift(void *lift) {
  symbols_deinit(&((Lift *)lift)->symbols);
  idmap_deinit(&((Lift *)lift)->map);
}

void passes_lift_meshes(Program *p, Arena *arena) {
  Lift l = {.p = p, .guard = p->guard, .arena = arena};
  GuardCleanup cleanup = {free_lift, &l, NULL};
  guard_push(p->guard, &cleanup);
  symbols_init(&l.symbols, p, p->root, p->guard);
  BlockId module = region_block(p, op_region(p, p->root, 0));
  bool twice = false;
  for (OpId o = module ? block_at(p, module)->first : 0, next; o; o = next) {
    next = op_at(p, o)->next;
    if (op_at(p, o)->code != OP_sdy_mesh) continue;
    Attr mesh = op_attr(p, o, "mesh");
    Name name = attr_as_name(p->context, op_attr(p, o, "sym_name")), *first = lifted(&l, mesh);
    if (first) {  // one like it was there before: its name is used, this one goes
      lift_as(&l, attr_symbol(p->context, name), *first);
      op_erase(p, o);
      twice = true;
    } else {
      lift_as(&l, mesh, name);
      l.last = o;
    }
  }
  annotation_map_all(p, lift_one, &l);
  if (twice) lift_groups(&l);
  guard_pop(p->guard, &cleanup);
  free_lift(&l);
}

// ---- axes ----

typedef struct Axes {
  const Program *p;
  SymbolTable symbols;
  Attr mesh;
} Axes;

static void free_axes(void *axes) { symbols_deinit(&((Axes *)axes)->symbols); }

static bool is_larger_than_one(void *user, Name name, Attr axis) {
  const Axes *a = user;
  const Context *context = a->p->context;
  int64_t part = attr_as_int(context, attr_get(context, axis, "size"), 0);
  if (part) return part != 1;
  const AttrInfo *axes = attr_info(context, attr_get(context, a->mesh, "axes"));
  for (uint32_t i = 0; i < axes->count; i++)
    if (attr_as_name(context, attr_get(context, axes->items[i], "name")) == name)
      return attr_as_int(context, attr_get(context, axes->items[i], "size"), 0) != 1;
  return true;
}

static Attr remove_size_one(void *user, Attr sharding) {
  Axes *a = user;
  a->mesh = annotation_mesh(a->p, &a->symbols, sharding);
  return annotation_filter(a->p->context, sharding, is_larger_than_one, a);
}

void passes_remove_size_one_axes(Program *p, Guard *guard) {
  Axes a = {.p = p};
  GuardCleanup cleanup = {free_axes, &a, NULL};
  guard_push(guard, &cleanup);
  symbols_init(&a.symbols, p, p->root, guard);
  annotation_map_all(p, remove_size_one, &a);
  guard_pop(guard, &cleanup);
  free_axes(&a);
}

static Attr inline_mesh(void *user, Attr sharding) {
  const Axes *a = user;
  Context *context = a->p->context;
  Attr ref = attr_get(context, sharding, "mesh");
  Attr mesh = annotation_mesh(a->p, &a->symbols, sharding);
  return mesh && mesh != ref ? annotation_with_mesh(context, sharding, mesh) : sharding;
}

void passes_inline_meshes(Program *p, Guard *guard) {
  Axes a = {.p = p};
  GuardCleanup cleanup = {free_axes, &a, NULL};
  symbols_init(&a.symbols, p, p->root, guard);
  guard_push(guard, &cleanup);
  annotation_map_all(p, inline_mesh, &a);
  guard_pop(guard, &cleanup);
  free_axes(&a);
  for (OpId o = p->root, next; o; o = next) {
    next = op_walk_next(p, o, p->root);
    if (op_at(p, o)->code == OP_sdy_mesh) op_erase(p, o);
  }
}

// What is closed everywhere takes no more axes: none has to be kept out.
static Attr close_one(void *user, Attr sharding) {
  return annotation_closed(user, annotation_without_replicated(user, sharding));
}

void passes_close_shardings(Program *p) { annotation_map_all(p, close_one, p->context); }

// ---- shardings as values ----

static void free_table(void *table) { sharding_table_free(table); }

// The table with the program's meshes, which are verified.
static ShardingTable *table_of(Program *p) {
  ShardingTable *table = sharding_table_new(p->context, p->guard);
  GuardCleanup cleanup = {free_table, table, NULL};
  guard_push(p->guard, &cleanup);
  status_free(program_meshes_read(p, table));
  guard_pop(p->guard, &cleanup);
  return table;
}

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

// A list of manual computation's shardings where each says of every manual axis what it does; those
// of tokens have none.
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

// The mesh of the first sharding in the lists that is on one with axes.
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
        v[manual.n++] = axis_whole(mesh, a);
        break;
      }
  if (manual.n != names.count) return;  // the verifier speaks of axes that are not there
  NamedAttr field = {name_of(context, "axes"), attr_array(context, manual.n, sorted)};
  op_set_attr(p, op, "manual_axes", attr_struct(context, "sdy.manual_axes", 1, &field));
  op_set_attr(p, op, "in_shardings",
              clean_border(p, op, false, table, lists[0], manual, id, arena));
  op_set_attr(p, op, "out_shardings",
              clean_border(p, op, true, table, lists[1], manual, id, arena));
}

void passes_clean_manual_axes(Program *p, Arena *arena) {
  ShardingTable *table = table_of(p);
  GuardCleanup cleanup = {free_table, table, NULL};
  guard_push(p->guard, &cleanup);
  for (OpId o = p->root; o; o = op_walk_next(p, o, p->root))
    if (op_at(p, o)->code == OP_sdy_manual_computation) clean_manual(p, o, table, arena);
  guard_pop(p->guard, &cleanup);
  free_table(table);
}

// ---- even shardings at the edges of functions ----

static Attr even(ShardingTable *table, Attr attr, Type type, const Context *context, Arena *arena) {
  Sharding sharding;
  const TypeInfo *info = type_info(context, type);
  if (!attr || !type_is_static(context, type) || !from_attr(table, attr, type, &sharding))
    return attr;
  if (!sharding_is_block(table, sharding)) return attr;
  // One on a single device has no dimensions.
  for (uint32_t d = 0; d < info->rank && d < sharding_info(table, sharding)->rank; d++) {
    const ShardingInfo *now = sharding_info(table, sharding);
    AxisList axes = sharding_dim_axes(now, d);
    if (info->dims[d] % axes_size(axes) == 0) continue;
    AxisRef *v = ARENA_ARRAY(arena, AxisRef, axes.n);
    uint32_t n = axes_prefix_dividing(axes, info->dims[d], v);
    sharding = sharding_with_axes(table, sharding, d, (AxisList){v, n});
  }
  return to_attr(table, sharding, attr);
}

static void even_value(Program *p, ShardingTable *table, ValueId v, Arena *arena) {
  Attr old = annotation_own(p, v), now = even(table, old, value_type(p, v), p->context, arena);
  if (now != old) annotation_put(p, v, now);
}

void passes_even_edges(Program *p, Arena *arena) {
  ShardingTable *table = table_of(p);
  GuardCleanup cleanup = {free_table, table, NULL};
  guard_push(p->guard, &cleanup);
  for (OpId o = p->root; o; o = op_walk_next(p, o, p->root)) {
    bool function = op_is_function(p, o);
    bool manual = op_at(p, o)->code == OP_sdy_manual_computation;
    if (function || manual) {
      BlockId block = region_block(p, op_region(p, o, 0));
      for (uint32_t i = 0; block && i < block_at(p, block)->n_args; i++)
        even_value(p, table, block_arg(p, block, i), arena);
    }
    if (function) {
      Type type = attr_info(p->context, op_attr(p, o, "function_type"))->type;
      const TypeInfo *info = type_info(p->context, type);
      for (uint32_t i = 0; i < info->n_items - info->n_inputs; i++) {
        Attr old = annotation_get_result(p, o, i);
        Attr now = even(table, old, info->items[info->n_inputs + i], p->context, arena);
        if (now != old) annotation_put_result(p, o, i, now);
      }
    }
    if (manual || (op_row(op_at(p, o)->code)->traits & TRAIT_CALL))
      for (uint32_t i = 0; i < op_at(p, o)->n_results; i++)
        even_value(p, table, op_result(p, o, i), arena);
  }
  guard_pop(p->guard, &cleanup);
  free_table(table);
}

// Open dimensions of a sharding up to the first part of an axis.
static Attr whole_axes(ShardingTable *table, Attr attr, Arena *arena) {
  Sharding sharding;
  if (!attr || !from_attr(table, attr, 0, &sharding) || !sharding_is_block(table, sharding))
    return attr;
  for (uint32_t d = 0; d < sharding_info(table, sharding)->rank; d++) {
    const ShardingInfo *now = sharding_info(table, sharding);
    const Mesh *mesh = sharding_mesh(table, now->mesh);
    AxisList axes = sharding_dim_axes(now, d);
    uint32_t n = 0;
    while (n < axes.n && axis_is_whole(mesh, axes.v[n])) n++;
    if (!now->dims[d].open || n == axes.n) continue;
    AxisRef *v = arena_copy(arena, axes.v, axes.n * sizeof *v);
    sharding = sharding_with_axes(table, sharding, d, (AxisList){v, n});
  }
  return to_attr(table, sharding, attr);
}

void passes_whole_axes(Program *p, Arena *arena) {
  OpId function = program_main(p);
  BlockId block = function ? region_block(p, op_region(p, function, 0)) : 0;
  if (!block) return;
  ShardingTable *table = table_of(p);
  GuardCleanup cleanup = {free_table, table, NULL};
  guard_push(p->guard, &cleanup);
  for (uint32_t i = 0; i < block_at(p, block)->n_args; i++) {
    ValueId v = block_arg(p, block, i);
    Attr old = annotation_own(p, v), now = whole_axes(table, old, arena);
    if (now != old) annotation_put(p, v, now);
  }
  const TypeInfo *type =
      type_info(p->context, attr_info(p->context, op_attr(p, function, "function_type"))->type);
  for (uint32_t i = 0; i < type->n_items - type->n_inputs; i++) {
    Attr old = annotation_get_result(p, function, i), now = whole_axes(table, old, arena);
    if (now != old) annotation_put_result(p, function, i, now);
  }
  guard_pop(p->guard, &cleanup);
  free_table(table);
}

// ---- rules ----

// The op that is the whole body of a reduction is written by its name alone (`reduce … applies
// stablehlo.add`): there is no room for a rule, and one of scalars says nothing anyway.
static bool is_applied(const Program *p, OpId op) {
  OpId parent = op_parent(p, op), next = op_at(p, op)->next;
  return parent && op_at(p, parent)->code == OP_reduce && op_at(p, parent)->n_operands == 2 &&
         (op_traits(p, op) & TRAIT_COMMUTATIVE) && !op_at(p, op)->prev && next &&
         !op_at(p, next)->next;
}

void passes_populate_rules(Program *p, const FactorOptions *options, Arena *arena) {
  for (OpId o = p->root; o; o = op_walk_next(p, o, p->root)) {
    ArenaMark mark = arena_mark(arena);
    FactorMap map;
    if (!op_attr(p, o, "sdy.sharding_rule") && !is_applied(p, o) &&
        op_factors(p, o, options, arena, &map)) {
      Attr rule = factor_map_to_attr(&map, p->context);
      if (rule) op_set_attr(p, o, "sdy.sharding_rule", rule);
    }
    arena_rewind(arena, mark);
  }
}

void passes_drop_rules(Program *p) {
  for (OpId o = p->root; o; o = op_walk_next(p, o, p->root)) {
    Attr rule = op_attr(p, o, "sdy.sharding_rule");
    if (rule && !attr_get(p->context, rule, "custom")) op_set_attr(p, o, "sdy.sharding_rule", 0);
  }
}

bool passes_warn_unknown_call(const Program *p, const FactorOptions *options, Arena *arena,
                              Diag *diag) {
  for (OpId o = p->root; o; o = op_walk_next(p, o, p->root)) {
    if (op_at(p, o)->code != OP_custom_call || op_custom_call_known(p, o)) continue;
    FactorMap map;
    if (op_factors(p, o, options, arena, &map)) continue;
    Name target = attr_as_name(p->context, op_attr(p, o, "call_target_name"));
    diag_warning(diag, op_at(p, o)->pos,
                 "custom call @%s is unknown to SDY sharding rule registry: no sharding travels "
                 "along it; give it an sdy.sharding_rule",
                 name_text(p->context, target));
    return true;
  }
  return false;
}
