// One walk takes attributes and identity ops away; a second erases meshes if no manual computation
// needs them.
#include "cli/shardings.h"

#include "base/arena.h"
#include "ops/op.h"

static const char *const sharding_attrs[] = {"sdy.sharding", "mhlo.sharding", "sdy.sharding_rule",
                                             "sdy.block_argument_shardings"};

static Attr without_shardings(Context *context, Attr dict) {
  for (size_t i = 0; i < sizeof sharding_attrs / sizeof sharding_attrs[0]; i++)
    if (attr_get(context, dict, sharding_attrs[i]))
      dict = attr_dict_with(context, dict, sharding_attrs[i], 0);
  return dict;
}

// arg_attrs and res_attrs: one dict per argument; none at all if all are empty.
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

static bool is_identity(uint16_t code) {
  return code == OP_sdy_sharding_constraint || code == OP_sdy_reshard;
}

void shardings_drop(Program *p, Guard *guard) {
  Arena arena;
  arena_init(&arena, guard);
  bool meshes_needed = false;
  for (OpId o = p->root, next; o; o = next) {
    next = op_walk_next(p, o, p->root);
    uint16_t code = op_at(p, o)->code;
    if (is_identity(code)) value_replace_uses(p, op_result(p, o, 0), op_operand(p, o, 0));
    if (is_identity(code) || code == OP_sdy_sharding_group) {
      op_erase(p, o);
      continue;
    }
    meshes_needed |= code == OP_sdy_manual_computation || (op_row(code)->traits & TRAIT_COLLECTIVE);
    Attr attrs = without_shardings(p->context, op_at(p, o)->attrs);
    op_at(p, o)->attrs = attrs;
    clean_list(p, o, "arg_attrs", &arena);
    clean_list(p, o, "res_attrs", &arena);
  }
  for (OpId o = p->root, next; o && !meshes_needed; o = next) {
    next = op_walk_next(p, o, p->root);
    if (op_at(p, o)->code == OP_sdy_mesh) op_erase(p, o);
  }
  arena_deinit(&arena);
}
