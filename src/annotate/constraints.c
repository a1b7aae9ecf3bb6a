// Problem: a constraint annotates its result; its operand should be produced in that sharding.
// Idea: a constraint determines its operand's sharding if no other user requires a different one.
// Constraints are visited in program order; each inspects its operand's users only.
//
//   %1 = add ...                                   %1 = add ... {sdy.sharding = [{"x"}]}
//   %2 = sharding_constraint %1 <[{"x"}]>          %2 = sharding_constraint %1 <[{"x"}]>
//
// Invariant: an existing annotation is never replaced.
// Cost: O(program + uses of constrained values).
#include "annotate/constraints.h"

#include "annotate/annotation.h"
#include "ops/factors.h"
#include "ops/functions.h"
#include "ops/op.h"

// The sharding that a use requires: of a constraint or a manual computation. 0 = none.
static Attr required(const Program *p, OperandId use) {
  OpId op = operand_at(p, use)->user;
  uint32_t i = use - op_at(p, op)->operands;
  if (op_at(p, op)->code == OP_sdy_sharding_constraint) return op_attr(p, op, "sharding");
  if (op_at(p, op)->code != OP_sdy_manual_computation) return 0;
  Attr list = attr_get(p->context, op_attr(p, op, "in_shardings"), "shardings");
  const AttrInfo *items = attr_info(p->context, list);
  return i < items->count ? items->items[i] : 0;
}

static bool required_otherwise(const Program *p, ValueId v, Attr sharding) {
  for (OperandId use = value_at(p, v)->first_use; use; use = operand_at(p, use)->next_use) {
    Attr other = required(p, use);
    if (other && other != sharding) return true;
  }
  return false;
}

static bool required_by_others(const Program *p, ValueId v, OpId except) {
  for (OperandId use = value_at(p, v)->first_use; use; use = operand_at(p, use)->next_use)
    if (operand_at(p, use)->user != except && required(p, use)) return true;
  return false;
}

typedef struct Applier {
  Program *p;
  uint32_t *order;        // per op: its index in program order
  const uint8_t *called;  // per op: it is a called function; NULL: only explicit edges count
  uint32_t n_ops;         // ops before the pass
  Arena *rules;           // not NULL: copied constraints get their sharding rule
} Applier;

// The value that stands for the data-flow edge of v if the edge is implied by an op or a call: the
// loop's result for a loop's body argument, else v itself. 0 if v is on no such edge.
static ValueId flow_owner(const Applier *a, ValueId v) {
  const Program *p = a->p;
  OpId owner = value_owner(p, v);
  if (!a->called || owner >= a->n_ops) return 0;
  Flow flow = op_flow(p, owner);
  if (!value_at(p, v)->is_arg)
    return flow != FLOW_NONE || (op_row(op_at(p, owner)->code)->traits & TRAIT_CALL) ? v : 0;
  uint32_t i = value_at(p, v)->index;
  if (flow == FLOW_LOOP && i < op_at(p, owner)->n_results) return op_result(p, owner, i);
  return flow == FLOW_BODY || a->called[owner] ? v : 0;
}

static bool has_flow_edge(const Applier *a, ValueId v) {
  OpId def = value_def(a->p, v);
  return (def && op_at(a->p, def)->code == OP_sdy_data_flow_edge) || annotation_edge(a->p, v) ||
         flow_owner(a, v);
}

// Only a closed sharding on a value without annotation, and no other use may require another one.
static bool should_apply(const Applier *a, ValueId v, Attr sharding) {
  const Program *p = a->p;
  ValueId owner = flow_owner(a, v);
  return annotation_possible(p, owner ? owner : v) && !annotation_get(p, owner ? owner : v) &&
         annotation_is_closed(p->context, sharding) && !required_otherwise(p, v, sharding);
}

// Unreduced axes do not propagate, so the operand gets them here, open in all dimensions.
static void put_unreduced(Program *p, ValueId v, Attr sharding) {
  Context *context = p->context;
  if (!attr_get(context, sharding, "unreduced")) return;
  uint32_t rank = type_info(context, value_type(p, v))->rank;
  Attr open = annotation_open(context, attr_get(context, sharding, "mesh"), rank);
  AttrInfo info = *attr_info(context, open);
  NamedAttr fields[5];
  uint32_t n = 0;
  for (uint32_t i = 0; i < info.count && n < 3; i++) fields[n++] = info.fields[i];
  fields[n++] =
      (NamedAttr){name_of(context, "unreduced"), attr_get(context, sharding, "unreduced")};
  Attr reducer = attr_get(context, sharding, "reducer");
  if (reducer) fields[n++] = (NamedAttr){name_of(context, "reducer"), reducer};
  annotation_set(p, v, attr_struct(context, "sdy.sharding", n, fields));
}

// The last constraint of a chain that begins at `head`. 0 if the chain has one constraint only or
// other users require a sharding.
static OpId chain_tail(const Program *p, OpId head) {
  ValueId input = op_operand(p, head, 0);
  OpId def = value_def(p, input);
  if (def && op_at(p, def)->code == OP_sdy_sharding_constraint) return 0;
  if (annotation_get(p, input) || required_by_others(p, input, head)) return 0;
  OpId tail = head;
  for (;;) {
    OperandId use = value_at(p, op_result(p, tail, 0))->first_use;
    if (!use || operand_at(p, use)->next_use) break;
    OpId user = operand_at(p, use)->user;
    if (op_at(p, user)->code != OP_sdy_sharding_constraint) break;
    tail = user;
  }
  return tail == head || required_by_others(p, op_result(p, tail, 0), 0) ? 0 : tail;
}

// Uses of the chain's operand that come after the chain in its block use the chain's result.
static void follow_chain(const Applier *a, OpId head, OpId tail) {
  Program *p = a->p;
  ValueId input = op_operand(p, head, 0), last = op_result(p, tail, 0);
  for (OperandId use = value_at(p, input)->first_use, next; use; use = next) {
    next = operand_at(p, use)->next_use;
    OpId user = operand_at(p, use)->user;
    if (user != head && user < a->n_ops && op_at(p, user)->code != OP_func_return &&
        op_at(p, user)->block == op_at(p, tail)->block && a->order[user] > a->order[tail])
      operand_set(p, use, last);
  }
}

// Attaches the sharding rule, as Shardy does: its explanations need the rules of copied
// constraints.
static void put_rule(Program *p, OpId op, Arena *arena) {
  ArenaMark mark = arena_mark(arena);
  FactorMap map;
  Attr rule =
      !op_attr(p, op, "sdy.sharding_rule") && op_factors(p, op, &(FactorOptions){0}, arena, &map)
          ? factor_map_to_attr(&map, p->context)
          : 0;
  if (rule) op_set_attr(p, op, "sdy.sharding_rule", rule);
  arena_rewind(arena, mark);
}

// With an edge, the constraint moves directly after its operand and takes over the operand's users,
// so that the edge itself stays free to propagate.
static void apply_constraint(Applier *a, OpId op) {
  Program *p = a->p;
  OpId tail = chain_tail(p, op);
  if (tail && tail < a->n_ops) follow_chain(a, op, tail);
  ValueId input = op_operand(p, op, 0);
  Attr sharding = op_attr(p, op, "sharding");
  if (!should_apply(a, input, sharding)) return;
  if (!has_flow_edge(a, input)) {
    annotation_set(p, input, sharding);
    if (a->rules) put_rule(p, op, a->rules);
    return;
  }
  op_detach(p, op);
  op_insert_after_value(p, op, input);
  a->order[op] = value_at(p, input)->is_arg ? 0 : a->order[value_def(p, input)];
  value_replace_uses_except(p, input, op_result(p, op, 0), op);
  put_unreduced(p, input, sharding);
}

// in_shardings of a manual computation are constraints on its operands.
static void apply_manual(Applier *a, OpId op) {
  Program *p = a->p;
  for (uint32_t i = 0; i < op_at(p, op)->n_operands; i++) {
    ValueId input = op_operand(p, op, i);
    Attr sharding = required(p, op_at(p, op)->operands + i);
    if (!sharding || !should_apply(a, input, sharding)) continue;
    if (!has_flow_edge(a, input)) {
      annotation_set(p, input, sharding);
      continue;
    }
    NamedAttr field = {name_of(p->context, "sharding"), sharding};
    OpId constraint = op_create_identity(p, OP_sdy_sharding_constraint, input,
                                         attr_dict(p->context, 1, &field), op);
    op_insert_after_value(p, constraint, input);
    value_replace_uses_except(p, input, op_result(p, constraint, 0), constraint);
    put_unreduced(p, input, sharding);
  }
}

static const uint8_t *called_functions(const Program *p, Arena *arena) {
  SymbolTable symbols;
  symbols_init(&symbols, p, p->root, p->guard);
  GuardCleanup cleanup = {symbols_release, &symbols, NULL};
  guard_push(p->guard, &cleanup);
  uint8_t *called = ARENA_ARRAY(arena, uint8_t, p->ops.count);
  for (OpId o = p->root; o; o = op_walk_next(p, o, p->root)) {
    if (!(op_row(op_at(p, o)->code)->traits & TRAIT_CALL)) continue;
    OpId f = symbols_find(&symbols, attr_as_name(p->context, op_attr(p, o, "callee")));
    if (f && op_is_function(p, f)) called[f] = 1;
  }
  guard_pop(p->guard, &cleanup);
  symbols_deinit(&symbols);
  return called;
}

void constraints_apply(Program *p, bool implied_edges, Arena *arena) {
  Applier a = {.p = p, .n_ops = p->ops.count};
  a.order = ARENA_ARRAY(arena, uint32_t, a.n_ops);
  a.called = implied_edges ? called_functions(p, arena) : NULL;
  a.rules = implied_edges ? NULL : arena;
  uint32_t n = 0;
  for (OpId o = p->root; o; o = op_walk_next(p, o, p->root)) a.order[o] = ++n;
  for (OpId o = p->root, next; o; o = next) {
    next = op_walk_next(p, o, p->root);
    if (o >= a.n_ops) continue;  // created by this pass
    if (op_at(p, o)->code == OP_sdy_sharding_constraint)
      apply_constraint(&a, o);
    else if (op_at(p, o)->code == OP_sdy_manual_computation)
      apply_manual(&a, o);
  }
}
