// Constraints and groups. Constraints are looked at in program order; whether one dictates its
// operand's sharding depends on the operand's other users only. Groups are joined by union-find
// over their ids.
#include "annotate/annotation.h"
#include "propagate/passes.h"
#include "propagate/passes_rewrite.h"

static void free_symbols(void *symbols) { symbols_deinit(symbols); }

// ---- constraints ----

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
  op_insert_behind(p, op, input);
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
    op_insert_behind(p, constraint, input);
    value_replace_uses_except(p, input, op_result(p, constraint, 0), constraint);
    put_unreduced(p, input, sharding);
  }
}

static const uint8_t *called_functions(const Program *p, Arena *arena) {
  SymbolTable symbols;
  symbols_init(&symbols, p, p->root, p->guard);
  GuardCleanup cleanup = {free_symbols, &symbols, NULL};
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

void passes_apply_constraints(Program *p, bool implied_edges, Arena *arena) {
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

void passes_constraints_to_reshards(Program *p) {
  for (OpId o = p->root; o; o = op_walk_next(p, o, p->root))
    if (op_at(p, o)->code == OP_sdy_sharding_constraint) op_at(p, o)->code = OP_sdy_reshard;
}

// ---- sums that are not finished ----

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
    uint16_t traits = op_row(op->code)->traits;
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

typedef struct Member {
  OpId op;  // sdy.sharding_group
  int64_t id;
  uint32_t group;  // index in the sorted ids
} Member;
typedef VEC(Member) Members;

static void collect(const Program *p, Arena *arena, Members *out) {
  for (OpId o = p->root; o; o = op_walk_next(p, o, p->root))
    if (op_at(p, o)->code == OP_sdy_sharding_group)
      VEC_PUSH(arena, out, ((Member){o, attr_as_int(p->context, op_attr(p, o, "group_id"), 0), 0}));
}

// Counts the distinct ids and numbers them in rising order. O(n log n).
static void sort_ids(int64_t *ids, int64_t *scratch, uint32_t n) {
  for (uint32_t width = 1; width < n; width *= 2) {
    for (uint32_t at = 0; at < n; at += 2 * width) {
      uint32_t mid = at + width < n ? at + width : n, end = mid + width < n ? mid + width : n;
      for (uint32_t i = at, j = mid, k = at; k < end; k++)
        scratch[k] = i < mid && (j >= end || ids[i] <= ids[j]) ? ids[i++] : ids[j++];
    }
    for (uint32_t k = 0; k < n; k++) ids[k] = scratch[k];
  }
}

static uint32_t number_groups(Members *members, Arena *arena) {
  uint32_t n = members->count, distinct = 0;
  int64_t *ids = ARENA_ARRAY(arena, int64_t, n), *scratch = ARENA_ARRAY(arena, int64_t, n);
  for (uint32_t i = 0; i < n; i++) ids[i] = members->items[i].id;
  sort_ids(ids, scratch, n);
  for (uint32_t i = 0; i < n; i++)
    if (i == 0 || ids[i] != ids[i - 1]) ids[distinct++] = ids[i];
  for (uint32_t i = 0; i < n; i++) {
    uint32_t low = 0, high = distinct;
    while (low + 1 < high) {
      uint32_t mid = low + (high - low) / 2;
      if (ids[mid] <= members->items[i].id)
        low = mid;
      else
        high = mid;
    }
    members->items[i].group = low;
  }
  return distinct;
}

static OpId manual_around(const Program *p, OpId op) {
  for (OpId o = op_parent(p, op); o; o = op_parent(p, o))
    if (op_at(p, o)->code == OP_sdy_manual_computation) return o;
  return 0;
}

static bool same_shape(const Context *context, Type a, Type b) {
  const TypeInfo *ia = type_info(context, a), *ib = type_info(context, b);
  if (ia->rank != ib->rank) return false;
  for (uint32_t d = 0; d < ia->rank; d++)
    if (ia->dims[d] != ib->dims[d]) return false;
  return true;
}

static bool check_groups(const Program *p, const Members *members, uint32_t n_groups, Arena *arena,
                         Diag *diag) {
  OpId *first = ARENA_ARRAY(arena, OpId, n_groups);
  for (uint32_t i = 0; i < members->count; i++) {
    const Member *m = &members->items[i];
    OpId *one = &first[m->group];
    if (!*one) *one = m->op;
    if (manual_around(p, *one) != manual_around(p, m->op))
      return diag_error(diag, op_at(p, m->op)->pos,
                        "ShardingGroupOps values cannot cross ManualComputationOp boundaries for "
                        "groupId: %lld",
                        (long long)m->id);
    Type type = op_operand_type(p, m->op, 0), other = op_operand_type(p, *one, 0);
    if (!same_shape(p->context, type, other))
      return diag_error(diag, op_at(p, m->op)->pos,
                        "ShardingGroupOps values must have the same shape for groupId: %lld; one "
                        "has %s, another %s",
                        (long long)m->id, type_text(p->context, other),
                        type_text(p->context, type));
  }
  return true;
}

static uint32_t find(uint32_t *parent, uint32_t x) {
  while (parent[x] != x) x = parent[x] = parent[parent[x]];
  return x;
}

bool passes_import_groups(Program *p, Arena *arena, Diag *diag) {
  Members members = {0};
  collect(p, arena, &members);
  if (!members.count) return true;
  uint32_t n_groups = number_groups(&members, arena);
  if (!check_groups(p, &members, n_groups, arena, diag)) return false;
  uint32_t *parent = ARENA_ARRAY(arena, uint32_t, n_groups);
  uint32_t *number = ARENA_ARRAY(arena, uint32_t, n_groups), n = 0;
  uint32_t *group_of = ARENA_ARRAY(arena, uint32_t, p->values.count);  // + 1
  for (uint32_t g = 0; g < n_groups; g++) parent[g] = g;
  for (uint32_t i = 0; i < members.count; i++) {
    uint32_t *seen = &group_of[op_operand(p, members.items[i].op, 0)];
    uint32_t g = find(parent, members.items[i].group);
    if (*seen) {
      uint32_t other = find(parent, *seen - 1);
      parent[g > other ? g : other] = g > other ? other : g;  // the least stands for all
      op_erase(p, members.items[i].op);
      members.items[i].op = 0;
    } else {
      *seen = g + 1;
    }
  }
  for (uint32_t g = 0; g < n_groups; g++)
    number[g] = parent[g] == g ? n++ : number[find(parent, g)];
  for (uint32_t i = 0; i < members.count; i++)
    if (members.items[i].op)
      op_set_attr(p, members.items[i].op, "group_id",
                  attr_i64(p->context, number[members.items[i].group]));
  return true;
}

static void sync_group(Program *p, const ValueId *values, uint32_t n, int64_t id, Diag *diag) {
  Attr common = 0;
  ValueId first = 0, other = 0;
  for (uint32_t i = 0; i < n && !other; i++) {
    Attr one = annotation_get(p, values[i]);
    if (!one || (n > 1 && annotation_says_nothing(p->context, one))) continue;
    if (!common)
      common = one, first = values[i];
    else if (one != common)
      other = values[i];
  }
  if (!common) return;
  bool conflict = other != 0;
  if (conflict)
    diag_warning(diag, op_at(p, value_owner(p, values[0]))->pos,
                 "The initial operand shardings on the sharding groups of groupID: %lld do not "
                 "match: %%%s and %%%s differ. Each member is followed by a sharding constraint "
                 "that is open in all dimensions; to avoid it, give the grouped values equal "
                 "shardings",
                 (long long)id, name_text(p->context, value_at(p, first)->name),
                 name_text(p->context, value_at(p, other)->name));
  for (uint32_t i = 0; i < n; i++) {
    if (!conflict) {
      annotation_put(p, values[i], common);
      continue;
    }
    uint32_t rank = type_info(p->context, value_type(p, values[i]))->rank;
    NamedAttr field = {name_of(p->context, "sharding"),
                       annotation_open(p->context, attr_get(p->context, common, "mesh"), rank)};
    OpId constraint =
        op_create_identity(p, OP_sdy_sharding_constraint, values[i],
                           attr_dict(p->context, 1, &field), value_owner(p, values[i]));
    op_insert_behind(p, constraint, values[i]);
    value_replace_uses_except(p, values[i], op_result(p, constraint, 0), constraint);
  }
}

void passes_sync_groups(Program *p, Arena *arena, Diag *diag) {
  Members members = {0};
  collect(p, arena, &members);
  if (!members.count) return;
  uint32_t n_groups = number_groups(&members, arena);
  // Members group by group, each in program order, a value once.
  uint32_t *first = ARENA_ARRAY(arena, uint32_t, n_groups + 2);
  ValueId *values = ARENA_ARRAY(arena, ValueId, members.count);
  int64_t *ids = ARENA_ARRAY(arena, int64_t, n_groups);
  uint8_t *seen = ARENA_ARRAY(arena, uint8_t, p->values.count);
  for (uint32_t i = 0; i < members.count; i++) first[members.items[i].group + 2]++;
  for (uint32_t g = 0; g < n_groups; g++) first[g + 2] += first[g + 1];
  uint32_t *end = first + 1;
  for (uint32_t i = 0; i < members.count; i++) {
    const Member *m = &members.items[i];
    ValueId v = op_operand(p, m->op, 0);
    ids[m->group] = m->id;
    if (seen[v]) continue;
    seen[v] = 1;
    values[end[m->group]++] = v;
  }
  // The order of groups is that of their first member in the program.
  uint8_t *done = ARENA_ARRAY(arena, uint8_t, n_groups);
  for (uint32_t i = 0; i < members.count; i++) {
    uint32_t g = members.items[i].group;
    if (done[g]) continue;
    done[g] = 1;
    sync_group(p, values + first[g], end[g] - first[g], ids[g], diag);
  }
}

void passes_remove_groups(Program *p) {
  for (OpId o = p->root, next; o; o = next) {
    next = op_walk_next(p, o, p->root);
    if (op_at(p, o)->code == OP_sdy_sharding_group) op_erase(p, o);
  }
}
