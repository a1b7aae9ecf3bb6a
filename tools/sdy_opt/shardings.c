// Passes that change how shardings and meshes are written. Each visits every sharding of the
// program once; equal shardings are one id. O(program).
#include "annotate/annotation.h"
#include "annotate/program_mesh.h"
#include "ops/functions.h"
#include "ops/op.h"
#include "passes.h"

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

// ---- edges ----

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
  if (now != old) annotation_set(p, v, now);
}

void passes_even_edges(Program *p, Arena *arena) {
  ShardingTable *table = program_sharding_table(p);
  GuardCleanup cleanup = {sharding_table_release, table, NULL};
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
        if (now != old) annotation_set_result(p, o, i, now);
      }
    }
    if (manual || (op_row(op_at(p, o)->code)->traits & TRAIT_CALL))
      for (uint32_t i = 0; i < op_at(p, o)->n_results; i++)
        even_value(p, table, op_result(p, o, i), arena);
  }
  guard_pop(p->guard, &cleanup);
  sharding_table_free(table);
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
    while (n < axes.n && axis_is_full(mesh, axes.v[n])) n++;
    if (!now->dims[d].open || n == axes.n) continue;
    AxisRef *v = arena_copy(arena, axes.v, axes.n * sizeof *v);
    sharding = sharding_with_axes(table, sharding, d, (AxisList){v, n});
  }
  return to_attr(table, sharding, attr);
}

void passes_whole_axes(Program *p, Arena *arena) {
  OpId function = passes_main(p);
  BlockId block = function ? region_block(p, op_region(p, function, 0)) : 0;
  if (!block) return;
  ShardingTable *table = program_sharding_table(p);
  GuardCleanup cleanup = {sharding_table_release, table, NULL};
  guard_push(p->guard, &cleanup);
  for (uint32_t i = 0; i < block_at(p, block)->n_args; i++) {
    ValueId v = block_arg(p, block, i);
    Attr old = annotation_own(p, v), now = whole_axes(table, old, arena);
    if (now != old) annotation_set(p, v, now);
  }
  const TypeInfo *type =
      type_info(p->context, attr_info(p->context, op_attr(p, function, "function_type"))->type);
  for (uint32_t i = 0; i < type->n_items - type->n_inputs; i++) {
    Attr old = annotation_get_result(p, function, i), now = whole_axes(table, old, arena);
    if (now != old) annotation_set_result(p, function, i, now);
  }
  guard_pop(p->guard, &cleanup);
  sharding_table_free(table);
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
