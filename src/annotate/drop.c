// One walk removes attributes and identity ops. A second walk erases the meshes, unless a manual
// computation or a collective refers to them.
#include "annotate/drop.h"

#include "base/arena.h"
#include "interop/gspmd_calls.h"

static const char *const sharding_attrs[] = {"sdy.sharding", "mhlo.sharding", "sdy.sharding_rule",
                                             "sdy.block_argument_shardings"};

// mhlo.frontend_attributes without the fields of XLA's round trip.
static Attr without_frontend(Context *context, Attr dict) {
  static const char *const name = "mhlo.frontend_attributes";
  Attr frontend = attr_get(context, dict, name), kept = frontend;
  const AttrInfo *info = attr_info(context, frontend);
  if (info->kind != ATTR_DICT) return dict;
  for (uint32_t i = 0; i < info->count; i++) {
    const char *key = name_text(context, info->fields[i].name);
    if (str_starts(str_of(key), "xla.sdy.")) kept = attr_dict_with(context, kept, key, 0);
  }
  return kept == frontend ? dict : attr_dict_with(context, dict, name, kept);
}

static Attr without_shardings(Context *context, Attr dict) {
  for (size_t i = 0; i < sizeof sharding_attrs / sizeof sharding_attrs[0]; i++)
    if (attr_get(context, dict, sharding_attrs[i]))
      dict = attr_dict_with(context, dict, sharding_attrs[i], 0);
  return without_frontend(context, dict);
}

// Cleans arg_attrs or res_attrs, which hold a dict per argument; removes the list if all are empty.
static void clean_list(Program *p, OpId op, const char *name, Arena *arena) {
  Context *context = p->context;
  const AttrInfo *info = attr_info(context, op_attr(p, op, name));
  if (info->kind != ATTR_ARRAY) return;
  uint32_t n = info->count;
  Attr *items = ARENA_ARRAY(arena, Attr, n ? n : 1);
  bool any = false;
  for (uint32_t i = 0; i < n; i++) {
    items[i] = without_shardings(context, attr_info(context, op_attr(p, op, name))->items[i]);
    any |= items[i] && attr_info(context, items[i])->count > 0;
  }
  op_set_attr(p, op, name, any ? attr_array(context, n, items) : 0);
}

static bool is_border(const Program *p, OpId op) {
  return call_is(p, op, CALL_FULL_TO_SHARD) || call_is(p, op, CALL_SHARD_TO_FULL) ||
         call_is(p, op, CALL_SDY_TO_LOCAL) || call_is(p, op, CALL_SDY_TO_GLOBAL);
}

// Whether a @Sharding call is the in_ or out_sharding of a manual computation.
static bool feeds_border(const Program *p, OpId op) {
  OperandId use = value_at(p, op_result(p, op, 0))->first_use;
  for (; use; use = operand_at(p, use)->next_use)
    if (is_border(p, operand_at(p, use)->user)) return true;
  return false;
}

// Sharding ops and calls that return their operand: they are removed and their uses get the
// operand.
static bool is_identity(const Program *p, OpId op) {
  const OpRow *row = op_row(op_at(p, op)->code);
  if (row->traits & TRAIT_SHARDING) return row->results && !(row->traits & TRAIT_COLLECTIVE);
  if (op_at(p, op)->code != OP_custom_call || !call_keeps_value(p, op)) return false;
  return call_is(p, op, CALL_SHARDING) || call_is(p, op, CALL_BARRIER_FROM) ||
         call_is(p, op, CALL_BARRIER_TO) || call_is(p, op, CALL_SDY_RESULT) ||
         call_is(p, op, CALL_SDY_BARRIER);
}

static bool is_group(const Program *p, OpId op) {
  const Op *o = op_at(p, op);
  return o->code == OP_sdy_sharding_group || (!o->n_results && call_is(p, op, CALL_SDY_GROUP));
}

// Whether the op names mesh axes: sdy's collectives do, and symbolic replica groups.
static bool names_axes(const Program *p, OpId op) {
  Attr groups = op_attr(p, op, "replica_groups");
  return op_attr(p, op, "out_sharding") || attr_info(p->context, groups)->kind == ATTR_STRUCT;
}

// Manual computations, sdy collectives and XLA's border calls refer to meshes.
static bool needs_meshes(const Program *p, OpId op) {
  bool manual = op_row(op_at(p, op)->code)->traits & TRAIT_MANUAL;
  return manual || names_axes(p, op) || call_is(p, op, CALL_SDY_TO_LOCAL) ||
         call_is(p, op, CALL_SDY_TO_GLOBAL);
}

static void clean_attrs(Program *p, OpId op, Arena *arena) {
  Attr attrs = without_shardings(p->context, op_at(p, op)->attrs);
  if (op_at(p, op)->code == OP_sdy_named_computation) {
    attrs = attr_dict_with(p->context, attrs, "in_shardings", 0);
    attrs = attr_dict_with(p->context, attrs, "out_shardings", 0);
  }
  op_at(p, op)->attrs = attrs;
  clean_list(p, op, "arg_attrs", arena);
  clean_list(p, op, "res_attrs", arena);
}

void drop_shardings(Program *p, Guard *guard) {
  Arena arena;
  arena_init(&arena, guard);
  GuardCleanup cleanup = {arena_release, &arena, NULL};
  guard_push(guard, &cleanup);
  bool meshes_needed = false;
  for (OpId o = op_walk_next(p, p->root, p->root), next; o; o = next) {
    next = op_walk_next(p, o, p->root);
    bool identity = is_identity(p, o);
    // Manual computations keep their border calls and the shardings in front of them.
    bool kept = is_border(p, o) || (identity && feeds_border(p, o));
    meshes_needed |= needs_meshes(p, o) || (kept && op_attr(p, o, "sdy.sharding"));
    if (kept) continue;
    if (identity) value_replace_uses(p, op_result(p, o, 0), op_operand(p, o, 0));
    if (identity || is_group(p, o))
      op_erase(p, o);
    else
      clean_attrs(p, o, &arena);
  }
  // The module's own attributes hold the meshes of XLA's round trip.
  if (!meshes_needed) clean_attrs(p, p->root, &arena);
  for (OpId o = p->root, next; o && !meshes_needed; o = next) {
    next = op_walk_next(p, o, p->root);
    if (op_at(p, o)->code == OP_sdy_mesh) op_erase(p, o);
  }
  guard_pop(guard, &cleanup);
  arena_deinit(&arena);
}
