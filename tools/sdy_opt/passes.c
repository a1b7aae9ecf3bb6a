// The passes in the order that makes sense of them.
#include "propagate/passes.h"

#include "propagate/passes_rewrite.h"

// Pure, or an op through whose regions values flow and that holds nothing else.
static bool has_no_effect(const Program *p, OpId op) {
  for (OpId o = op; o; o = op_walk_next(p, o, op)) {
    bool ends = o != op && (op_traits(p, o) & TRAIT_TERMINATOR);
    bool plain = (op_traits(p, o) & TRAIT_PURE) || op_flow(p, o) != FLOW_NONE ||
                 (op_at(p, o)->code == OP_custom_call &&
                  !attr_as_bool(p->context, op_attr(p, o, "has_side_effect"), false));
    if (!ends && !plain) return false;
  }
  return true;
}

void passes_drop_dead(Program *p, Arena *arena) {
  VEC(OpId) order = {0};
  for (OpId o = p->root; o; o = op_walk_next(p, o, p->root)) VEC_PUSH(arena, &order, o);
  for (uint32_t i = order.count; i-- > 0;) {  // users before what they use, inner before outer
    const Op *op = op_at(p, order.items[i]);
    bool used = !op->n_results;
    for (uint32_t k = 0; k < op->n_results && !used; k++) used = value_has_uses(p, op->results + k);
    if (!used && has_no_effect(p, order.items[i])) op_erase(p, order.items[i]);
  }
}

void passes_import(Program *p, Arena *arena) {
  passes_drop_unreached(p, arena);
  passes_lift_meshes(p, arena);
  passes_remove_size_one_axes(p, p->guard);
  passes_split_constants(p, arena);
  passes_clean_manual_axes(p, arena);
  passes_add_edges(p);
}

bool passes_enter(Program *p, bool keep_calls, Arena *arena, Diag *diag) {
  if (keep_calls)
    passes_add_function_edges(p);
  else if (!passes_import_calls(p, arena, diag))
    return false;
  passes_apply_constraints(p, false, arena);
  passes_order_functions(p, arena);
  // After constraints: two members may have got different shardings from them.
  return passes_import_groups(p, arena, diag);
}

void passes_export(Program *p, bool keep_calls, Arena *arena) {
  passes_sink_edges(p, arena);  // while computations are still there to take their shardings
  if (keep_calls)
    passes_sink_function_edges(p);
  else
    passes_export_computations(p, arena);
  passes_set_function_results(p, arena);
  passes_merge_functions(p, arena);
  passes_drop_unreached(p, arena);
  passes_reshard_results(p);
  passes_merge_constants(p, arena);
  passes_remove_groups(p);
  passes_constraints_to_reshards(p);
  passes_even_edges(p, arena);
  passes_whole_axes(p, arena);
  passes_close_shardings(p);
  passes_reshard_operands(p);
  passes_finish_sums(p, arena);
  passes_drop_dead(p, arena);
  passes_drop_rules(p);
}
