// Problem. Partitioning changes the order of sums. A result may be as far off as the narrowest type
// that a value on the way to it was rounded to.
//
// Idea. Walk from each result back to the values that it depends on, through loops, branches and
// calls, and take the largest tolerance of their types. Not all values count. Values that are only
// moved, or computed elementwise from arguments and constants, have the same bits however the
// program is split. So bf16 weights that are converted and multiplied in f32 leave f32's tolerance
// unchanged.
//
// Cost. O(results · program).
#include "pipeline/verify_tolerance.h"

#include "base/vec.h"
#include "ops/op.h"
#include "partition/tiles.h"

typedef struct Walk {
  const Program *p;
  Arena *arena;
  bool *same;  // per value: it has the same bits however the program is split
  bool *seen;  // per value: it was pushed
  VEC(ValueId) pending;
  double tolerance;
} Walk;

// ---- values with the same bits ----

static bool is_same(const Walk *w, OpId op) {
  const Op *o = op_at(w->p, op);
  uint32_t traits = op_traits(w->p, op);
  if (o->n_regions || !(traits & (TRAIT_ELEMENTWISE | TRAIT_MOVES | TRAIT_CONSTANT))) return false;
  for (uint32_t i = 0; i < o->n_operands; i++)
    if (!w->same[op_operand(w->p, op, i)]) return false;
  return true;
}

static void find_same(Walk *w, OpId function) {
  const Program *p = w->p;
  BlockId block = region_block(p, op_region(p, function, 0));
  for (uint32_t i = 0; block && i < block_at(p, block)->n_args; i++)
    w->same[block_arg(p, block, i)] = true;
  for (OpId op = p->root; op; op = op_walk_next(p, op, p->root)) {
    bool same = is_same(w, op);
    for (uint32_t i = 0; i < op_at(p, op)->n_results; i++) w->same[op_result(p, op, i)] = same;
  }
}

// ---- walking back ----

static void push(Walk *w, ValueId value) {
  if (w->seen[value]) return;
  w->seen[value] = true;
  VEC_PUSH(w->arena, &w->pending, value);
}

#define ALL UINT32_MAX

static void push_operands(Walk *w, OpId op, uint32_t which) {
  uint32_t n = op_at(w->p, op)->n_operands;
  for (uint32_t i = 0; i < n; i++)
    if (which == ALL || i == which) push(w, op_operand(w->p, op, i));
}

// Pushes the values that region r of the op returns: one, or ALL.
static void push_returned(Walk *w, OpId op, uint32_t r, uint32_t which) {
  BlockId block = region_block(w->p, op_region(w->p, op, r));
  OpId last = block ? block_at(w->p, block)->last : 0;
  if (last) push_operands(w, last, which);
}

static OpId callee_of(const Program *p, OpId call) {
  Name name = attr_as_name(p->context, op_attr(p, call, "callee"));
  BlockId block = region_block(p, op_region(p, p->root, 0));
  for (OpId op = block ? block_at(p, block)->first : 0; op; op = op_at(p, op)->next)
    if ((op_traits(p, op) & TRAIT_FUNCTION) &&
        attr_as_name(p->context, op_attr(p, op, "sym_name")) == name)
      return op;
  return 0;
}

static void visit_argument(Walk *w, OpId op, uint32_t i) {
  Flow flow = op_flow(w->p, op);
  if (flow == FLOW_LOOP) push_returned(w, op, op_at(w->p, op)->n_regions - 1, i);
  if (flow == FLOW_LOOP || flow == FLOW_BODY) push_operands(w, op, i);
}  // others: all operands were pushed with the op; a function's: with the call

static void visit_call(Walk *w, OpId op, uint32_t i) {
  OpId callee = callee_of(w->p, op);
  if (callee) push_returned(w, callee, 0, i);
  push_operands(w, op, ALL);
}

static void visit_computed(Walk *w, OpId op, uint32_t i) {
  const Program *p = w->p;
  ValueId value = op_result(p, op, i);
  Type type = value_type(p, value);
  if (!w->same[value] && !(op_traits(p, op) & TRAIT_MOVES) &&
      type_info(p->context, type)->kind == TYPE_TENSOR) {
    double tolerance = tile_tolerance(type_dtype(p->context, type));
    if (tolerance > w->tolerance) w->tolerance = tolerance;
  }
  push_operands(w, op, ALL);
  for (uint32_t r = 0; r < op_at(p, op)->n_regions; r++) push_returned(w, op, r, ALL);
}

static void visit_result(Walk *w, OpId op, uint32_t i) {
  uint32_t n_regions = op_at(w->p, op)->n_regions;
  if (op_traits(w->p, op) & TRAIT_CALL) {
    visit_call(w, op, i);
    return;
  }
  switch (op_flow(w->p, op)) {
  case FLOW_EACH: push_operands(w, op, i); break;
  case FLOW_LOOP:
    for (uint32_t r = 0; r < n_regions; r++)
      push_returned(w, op, r, r + 1 == n_regions ? i : ALL);  // a condition says how often
    push_operands(w, op, i);
    break;
  case FLOW_BRANCH:
    for (uint32_t r = 0; r < n_regions; r++) push_returned(w, op, r, i);
    push_operands(w, op, ALL);
    break;
  case FLOW_BODY: push_returned(w, op, 0, i); break;
  case FLOW_NONE: visit_computed(w, op, i); break;
  }
}

static void visit(Walk *w, ValueId value) {
  const Value *v = value_at(w->p, value);
  if (v->is_arg)
    visit_argument(w, region_at(w->p, block_at(w->p, v->def)->region)->op, v->index);
  else
    visit_result(w, v->def, v->index);
}

const double *verify_tolerances(const Program *p, OpId function, Arena *arena) {
  uint32_t n_values = p->values.count;
  Walk w = {.p = p, .arena = arena, .same = ARENA_ARRAY(arena, bool, n_values)};
  find_same(&w, function);
  BlockId block = region_block(p, op_region(p, function, 0));
  OpId last = block ? block_at(p, block)->last : 0;
  uint32_t n = last ? op_at(p, last)->n_operands : 0;
  double *out = ARENA_ARRAY(arena, double, n + 1);
  w.seen = ARENA_ARRAY(arena, bool, n_values);
  for (uint32_t i = 0; i < n; i++) {
    Type type = op_operand_type(p, last, i);
    if (type_info(p->context, type)->kind != TYPE_TENSOR) continue;
    out[i] = tile_tolerance(type_dtype(p->context, type));
    if (out[i] == 0) continue;
    memset(w.seen, 0, n_values * sizeof *w.seen);
    w.tolerance = out[i];
    push(&w, op_operand(p, last, i));
    while (w.pending.count) visit(&w, w.pending.items[--w.pending.count]);
    out[i] = w.tolerance;
  }
  return out;
}
