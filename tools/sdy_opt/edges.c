// Data-flow edges: an op that stands for the sharding of all values that are one through a loop, a
// branch, a barrier or a body. The result of the op owns the edge; in a body whose arguments have
// shardings of their own (manual and named computations), each argument does.
#include "annotate/annotation.h"
#include "ops/functions.h"
#include "ops/op.h"
#include "passes.h"

static bool has_static_shape(const Program *p, ValueId v) {
  return type_is_tensor(p->context, value_type(p, v)) &&
         type_is_static(p->context, value_type(p, v));
}

// An edge for v behind it (before what was behind it); all other uses go through it.
static OpId add_edge(Program *p, ValueId v, uint16_t code, OpId owner) {
  OpId edge = op_create_identity(p, code, v, 0, owner);
  value_replace_uses_except(p, v, op_result(p, edge, 0), edge);
  return edge;
}

// Last one first, so that they stand in the order of their values.
static void add_edges(Program *p, OpId owner, ValueId first, uint32_t n) {
  for (uint32_t i = n; i-- > 0;) {
    if (!has_static_shape(p, first + i)) continue;
    Attr sharding = annotation_own(p, first + i);
    OpId edge = add_edge(p, first + i, OP_sdy_data_flow_edge, owner);
    op_insert_after_value(p, edge, first + i);
    if (sharding) op_set_attr(p, edge, "sharding", sharding);
  }
}

void passes_add_edges_of(Program *p, OpId op) {
  Flow flow = op_flow(p, op);
  if (flow == FLOW_NONE) return;
  if (flow == FLOW_BODY)
    for (uint32_t r = 0; r < op_at(p, op)->n_regions; r++) {
      BlockId block = region_block(p, op_region(p, op, r));
      if (block) add_edges(p, op, block_at(p, block)->args, block_at(p, block)->n_args);
    }
  add_edges(p, op, op_at(p, op)->results, op_at(p, op)->n_results);
}

void passes_add_edges(Program *p) {
  for (OpId o = p->root; o; o = op_walk_next(p, o, p->root)) passes_add_edges_of(p, o);
}

// The edges' shardings of n values go to the values; those without get an open one if any has one.
static void sink(Program *p, ValueId first, uint32_t n, Arena *arena) {
  ArenaMark mark = arena_mark(arena);
  OpId *edges = ARENA_ARRAY(arena, OpId, n ? n : 1);
  Attr *shardings = ARENA_ARRAY(arena, Attr, n ? n : 1), mesh = 0;
  for (uint32_t i = 0; i < n; i++) {
    edges[i] = annotation_edge(p, first + i);
    shardings[i] = edges[i] ? op_attr(p, edges[i], "sharding") : 0;
    if (!mesh && shardings[i]) mesh = attr_get(p->context, shardings[i], "mesh");
  }
  for (uint32_t i = 0; i < n; i++)
    if (edges[i]) op_replace_by_operand(p, edges[i]);
  for (uint32_t i = 0; mesh && i < n; i++) {
    uint32_t rank = type_info(p->context, value_type(p, first + i))->rank;
    annotation_set(p, first + i,
                   shardings[i] ? shardings[i] : annotation_open(p->context, mesh, rank));
  }
  arena_rewind(arena, mark);
}

void passes_sink_edges(Program *p, Arena *arena) {
  for (OpId o = p->root; o; o = op_walk_next(p, o, p->root)) {
    Flow flow = op_flow(p, o);
    if (flow == FLOW_NONE) continue;
    if (flow == FLOW_BODY)
      for (uint32_t r = 0; r < op_at(p, o)->n_regions; r++) {
        BlockId block = region_block(p, op_region(p, o, r));
        if (block) sink(p, block_at(p, block)->args, block_at(p, block)->n_args, arena);
      }
    sink(p, op_at(p, o)->results, op_at(p, o)->n_results, arena);
  }
}

// ---- edges of functions ----

static void add_function_edges(Program *p, OpId owner, ValueId first, uint32_t n) {
  for (uint32_t i = n; i-- > 0;) {
    if (!has_static_shape(p, first + i)) continue;
    Attr sharding = annotation_own(p, first + i);
    OpId edge = add_edge(p, first + i, OP_sdy_func_data_flow_edge, owner);
    op_insert_after_value(p, edge, first + i);
    if (sharding) annotation_set(p, op_result(p, edge, 0), sharding);
  }
}

void passes_add_function_edges(Program *p) {
  OpId main_op = passes_main(p);
  for (OpId o = p->root; o; o = op_walk_next(p, o, p->root)) {
    if (op_is_function(p, o) && o != main_op) {
      BlockId block = region_block(p, op_region(p, o, 0));
      if (block) add_function_edges(p, o, block_at(p, block)->args, block_at(p, block)->n_args);
    }
    if (op_row(op_at(p, o)->code)->traits & TRAIT_CALL)
      add_function_edges(p, o, op_at(p, o)->results, op_at(p, o)->n_results);
  }
}

void passes_sink_function_edges(Program *p) {
  for (OpId o = p->root, next; o; o = next) {
    next = op_walk_next(p, o, p->root);
    if (op_at(p, o)->code != OP_sdy_func_data_flow_edge) continue;
    ValueId owner = op_operand(p, o, 0);
    Attr sharding = annotation_own(p, op_result(p, o, 0)), old = annotation_own(p, owner);
    op_replace_by_operand(p, o);
    if (sharding)
      annotation_set(p, owner, sharding);
    else if (old)
      annotation_set(p, owner,
                     annotation_open(p->context, attr_get(p->context, old, "mesh"),
                                     type_info(p->context, value_type(p, owner))->rank));
  }
}
