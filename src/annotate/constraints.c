// A constraint dictates the sharding of its operand if no other user of the operand requires
// another one. Constraints are visited in program order, and each looks at its operand's users
// only. O(program + uses of constrained values).
#include "annotate/constraints.h"

#include "annotate/annotation.h"
#include "ops/factors.h"
#include "ops/functions.h"
#include "ops/op.h"

// What an op asks of its operand's sharding: constraints and manual computations do. 0 = nothing.
static Attr asked(const Program *p, OperandId use) {
  OpId op = operand_at(p, use)->user;
  uint32_t i = use - op_at(p, op)->operands;
  if (op_at(p, op)->code == OP_sdy_sharding_constraint) return op_attr(p, op, "sharding");
  if (op_at(p, op)->code != OP_sdy_manual_computation) return 0;
  Attr list = attr_get(p->context, op_attr(p, op, "in_shardings"), "shardings");
  const AttrInfo *items = attr_info(p->context, list);
  return i < items->count ? items->items[i] : 0;
}

static bool asked_otherwise(const Program *p, ValueId v, Attr sharding) {
  for (OperandId use = value_at(p, v)->first_use; use; use = operand_at(p, use)->next_use) {
    Attr other = asked(p, use);
    if (other && other != sharding) return true;
  }
  return false;
}

static bool asked_by_others(const Program *p, ValueId v, OpId except) {
  for (OperandId use = value_at(p, v)->first_use; use; use = operand_at(p, use)->next_use)
    if (operand_at(p, use)->user != except && asked(p, use)) return true;
  return false;
}

typedef struct Applier {
  Program *p;
  uint32_t *order;        // per op: its place in the program
  const uint8_t *called;  // per op: a function that is called; NULL: only edges that are written
  uint32_t n_ops;         // those that were there before
  Arena *rules;           // not NULL: constraints that are copied get their rule
} Applier;

// The result that speaks for a value which flows through an op (or a call) without a written edge,
// or the value itself; 0 if it does not flow.
static ValueId flows_as(const Applier *a, ValueId v) {
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

static bool edge_speaks_for(const Applier *a, ValueId v) {
  OpId def = value_def(a->p, v);
  return (def && op_at(a->p, def)->code == OP_sdy_data_flow_edge) || annotation_edge(a->p, v) ||
         flows_as(a, v);
}

static bool should_apply(const Applier *a, ValueId v, Attr sharding) {
  const Program *p = a->p;
  ValueId speaks = flows_as(a, v);
  return annotation_possible(p, speaks ? speaks : v) && !annotation_get(p, speaks ? speaks : v) &&
         annotation_is_closed(p->context, sharding) && !asked_otherwise(p, v, sharding);
}

// Sums that are not finished do not travel: they are said of the operand at once.
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
  annotation_put(p, v, attr_struct(context, "sdy.sharding", n, fields));
}

// The last of a chain of constraints that begins at `head`; 0 if there is no chain of two or more
// that alone decides.
static OpId chain_tail(const Program *p, OpId head) {
  ValueId input = op_operand(p, head, 0);
  OpId def = value_def(p, input);
  if (def && op_at(p, def)->code == OP_sdy_sharding_constraint) return 0;
  if (annotation_get(p, input) || asked_by_others(p, input, head)) return 0;
  OpId tail = head;
  for (;;) {
    OperandId use = value_at(p, op_result(p, tail, 0))->first_use;
    if (!use || operand_at(p, use)->next_use) break;
    OpId user = operand_at(p, use)->user;
    if (op_at(p, user)->code != OP_sdy_sharding_constraint) break;
    tail = user;
  }
  return tail == head || asked_by_others(p, op_result(p, tail, 0), 0) ? 0 : tail;
}

// Uses of the chain's operand behind the chain, in its block, take the chain's result.
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

// As Shardy does: its explanations need the rule of what it copies along.
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

static void apply_constraint(Applier *a, OpId op) {
  Program *p = a->p;
  OpId tail = chain_tail(p, op);
  if (tail && tail < a->n_ops) follow_chain(a, op, tail);
  ValueId input = op_operand(p, op, 0);
  Attr sharding = op_attr(p, op, "sharding");
  if (!should_apply(a, input, sharding)) return;
  if (!edge_speaks_for(a, input)) {
    annotation_put(p, input, sharding);
    if (a->rules) put_rule(p, op, a->rules);
    return;
  }
  op_detach(p, op);
  op_insert_after_value(p, op, input);
  a->order[op] = value_at(p, input)->is_arg ? 0 : a->order[value_def(p, input)];
  value_replace_uses_except(p, input, op_result(p, op, 0), op);
  put_unreduced(p, input, sharding);
}

static void apply_manual(Applier *a, OpId op) {
  Program *p = a->p;
  for (uint32_t i = 0; i < op_at(p, op)->n_operands; i++) {
    ValueId input = op_operand(p, op, i);
    Attr sharding = asked(p, op_at(p, op)->operands + i);
    if (!sharding || !should_apply(a, input, sharding)) continue;
    if (!edge_speaks_for(a, input)) {
      annotation_put(p, input, sharding);
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
    if (o >= a.n_ops) continue;  // made on the way
    if (op_at(p, o)->code == OP_sdy_sharding_constraint)
      apply_constraint(&a, o);
    else if (op_at(p, o)->code == OP_sdy_manual_computation)
      apply_manual(&a, o);
  }
}
