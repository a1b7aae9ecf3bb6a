// The passes in the order that makes sense of them.
#include "passes.h"

#include "annotate/constraints.h"
#include "annotate/manual_axes.h"
#include "annotate/program_mesh.h"
#include "annotate/sharding_groups.h"
#include "ops/functions.h"
#include "ops/op.h"

OpId passes_main(const Program *p) {
  OpId only = 0, main_op = 0;
  uint32_t n = 0;
  BlockId module = region_block(p, op_region(p, p->root, 0));
  for (OpId o = module ? block_at(p, module)->first : 0; o; o = op_at(p, o)->next) {
    if (!op_is_function(p, o)) continue;
    n++, only = o;
    Name name = attr_as_name(p->context, op_attr(p, o, "sym_name"));
    if (str_is(name_str(p->context, name), "main")) main_op = o;
  }
  return main_op ? main_op : n == 1 ? only : 0;
}

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
  program_meshes_lift(p, arena);
  passes_remove_size_one_axes(p, p->guard);
  passes_split_constants(p, arena);
  manual_axes_complete(p, arena);
  passes_add_edges(p);
}

bool passes_enter(Program *p, bool keep_calls, Arena *arena, Diag *diag) {
  if (keep_calls)
    passes_add_function_edges(p);
  else if (!passes_import_calls(p, arena, diag))
    return false;
  constraints_apply(p, false, arena);
  passes_order_functions(p, arena);
  // After constraints: two members may have got different shardings from them.
  return sharding_groups_import(p, arena, diag);
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
