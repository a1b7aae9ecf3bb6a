// Constraints and groups after propagation, and the all-reduces of partial sums. O(program).
#include "annotate/annotation.h"
#include "ops/op.h"
#include "passes.h"

void passes_constraints_to_reshards(Program *p) {
  for (OpId o = p->root; o; o = op_walk_next(p, o, p->root))
    if (op_at(p, o)->code == OP_sdy_sharding_constraint) op_at(p, o)->code = OP_sdy_reshard;
}

// ---- partial sums ----

static bool has_axis(const Context *context, Attr list, Attr axis) {
  const AttrInfo *info = attr_info(context, list);
  for (uint32_t i = 0; i < info->count; i++)
    if (info->items[i] == axis) return true;
  return false;
}

// An all-reduce before `op` of operand i, over its unreduced axes that are not unreduced in target
// (0: none are).
static void finish_operand(Program *p, OpId op, uint32_t i, Attr target, Arena *arena) {
  Context *context = p->context;
  ValueId v = op_operand(p, op, i);
  Attr sharding = annotation_get(p, v), unreduced = attr_get(context, sharding, "unreduced");
  if (!unreduced) return;
  AttrInfo axes = *attr_info(context, unreduced);
  Attr *done = ARENA_ARRAY(arena, Attr, axes.count + 1u);
  Attr *left = ARENA_ARRAY(arena, Attr, axes.count + 1u),
       stay = attr_get(context, target, "unreduced");
  uint32_t n_done = 0, n_left = 0;
  for (uint32_t k = 0; k < axes.count; k++)
    if (has_axis(context, stay, axes.items[k]))
      left[n_left++] = axes.items[k];
    else
      done[n_done++] = axes.items[k];
  if (!n_done) return;
  Attr out = annotation_with_unreduced(context, sharding, attr_array(context, n_left, left));
  NamedAttr list = {name_of(context, "axes"), attr_array(context, n_done, done)};
  NamedAttr fields[2] = {
      {name_of(context, "reduction_axes"), attr_struct(context, "sdy.axis_ref_list", 1, &list)},
      {name_of(context, "out_sharding"), out}};
  OpId reduce = op_create_identity(p, OP_sdy_all_reduce, v, attr_dict(context, 2, fields), op);
  op_insert_before(p, reduce, op);
  operand_set(p, op_at(p, op)->operands + i, op_result(p, reduce, 0));
}

void passes_finish_sums(Program *p, Arena *arena) {
  for (OpId o = p->root; o; o = op_walk_next(p, o, p->root)) {
    const Op *op = op_at(p, o);
    uint32_t traits = op_row(op->code)->traits;
    bool ends = op->code == OP_func_return;
    bool flows = op_flow(p, o) != FLOW_NONE;
    if (!ends && (!op->n_results || flows || (traits & (TRAIT_CALL | TRAIT_COLLECTIVE)))) continue;
    uint32_t n = op->n_operands;
    for (uint32_t i = 0; i < n; i++) {
      ArenaMark mark = arena_mark(arena);
      finish_operand(p, o, i,
                     ends ? annotation_get_result(p, op_parent(p, o), i)
                          : annotation_own(p, op_result(p, o, 0)),
                     arena);
      arena_rewind(arena, mark);
    }
  }
}

// ---- groups ----

void passes_remove_groups(Program *p) {
  for (OpId o = p->root, next; o; o = next) {
    next = op_walk_next(p, o, p->root);
    if (op_at(p, o)->code == OP_sdy_sharding_group) op_erase(p, o);
  }
}
