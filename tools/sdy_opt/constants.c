// Constants. A constant expression is a constant, or an op of constants that only spreads or
// rearranges them (TRAIT_CONSTANT, elementwise ops, bodies of such); with it goes a broadcast of a
// scalar. Copies are made right before the original, operands first, by a walk with its own stack.
// O(program + copies).
#include <string.h>

#include "annotate/annotation.h"
#include "ops/functions.h"
#include "ops/op.h"
#include "passes.h"

typedef struct Frame {
  ValueId value;
  uint32_t operand;  // next to look at
} Frame;

typedef struct Splitter {
  Program *p;
  Arena *arena;
  uint8_t *kind;      // per op: what it was found to be
  uint32_t n_ops;     // before the first copy
  uint32_t n_values;  // that `copy` has room for
  ValueId *copy;      // per value: its copy for the use at hand
  VEC(Frame) stack;
  VEC(ValueId) copied;
  VEC(OpId) constants, expansions;
  VEC(Name) not_constant;  // names of computations that hold something else
} Splitter;

enum { KIND_NONE, KIND_CONSTANT, KIND_EXPANSION };

static uint8_t kind_of(const Splitter *s, ValueId v) {
  OpId def = value_def(s->p, v);
  return def && def < s->n_ops ? s->kind[def] : KIND_NONE;
}

static bool is_scalar(const Program *p, ValueId v) {
  const TypeInfo *type = type_info(p->context, value_type(p, v));
  return type->kind == TYPE_TENSOR && type->rank == 0;
}

static Name computation_name(const Program *p, OpId op) {
  return attr_as_name(p->context, op_attr(p, op, "name"));
}

static bool in_not_constant(const Splitter *s, Name name) {
  for (uint32_t i = 0; i < s->not_constant.count; i++)
    if (s->not_constant.items[i] == name) return true;
  return false;
}

static bool keeps_constants(const Splitter *s, OpId op) {
  uint32_t traits = op_traits(s->p, op);
  if (op_at(s->p, op)->code == OP_sdy_named_computation)
    return !in_not_constant(s, computation_name(s->p, op));
  if (op_at(s->p, op)->code == OP_sdy_propagation_barrier) return true;
  return (traits & TRAIT_PURE) && (traits & (TRAIT_CONSTANT | TRAIT_ELEMENTWISE));
}

static bool is_constant_expression(const Splitter *s, OpId op) {
  const Op *o = op_at(s->p, op);
  if (o->n_operands == 0 && o->code != OP_sdy_named_computation)
    return o->n_results == 1 && (op_traits(s->p, op) & TRAIT_CONSTANT);
  if (!keeps_constants(s, op)) return false;
  for (uint32_t i = 0; i < o->n_operands; i++)
    if (kind_of(s, op_operand(s->p, op, i)) != KIND_CONSTANT) return false;
  return true;
}

static bool is_scalar_expansion(const Program *p, OpId op) {
  return (op_traits(p, op) & TRAIT_EXPANDS) && is_scalar(p, op_operand(p, op, 0));
}

// Groups that the original is in hold the copy too.
static void copy_groups(Splitter *s, ValueId v, OpId original) {
  Program *p = s->p;
  for (OperandId use = value_at(p, v)->first_use; use; use = operand_at(p, use)->next_use) {
    OpId user = operand_at(p, use)->user;
    if (op_at(p, user)->code != OP_sdy_sharding_group) continue;
    ValueId to = s->copy[v];
    OpId group = op_create(p, &(OpSpec){.code = OP_sdy_sharding_group,
                                        .n_operands = 1,
                                        .operands = &to,
                                        .attrs = op_at(p, user)->attrs,
                                        .loc = op_at(p, user)->loc,
                                        .pos = op_at(p, user)->pos,
                                        .origin = user});
    op_insert_before(p, group, original);
  }
}

// Scalars are not sharded and stay as they are; what is not from a constant stays too.
static bool needs_copy(const Splitter *s, ValueId v) {
  return kind_of(s, v) != KIND_NONE && !is_scalar(s->p, v) && !s->copy[v];
}

// Bodies inside a computation have been split before, so there are values newer than the table.
static void make_room(Splitter *s) {
  uint32_t count = s->p->values.count;
  if (count <= s->n_values) return;
  ValueId *more = ARENA_ARRAY(s->arena, ValueId, 2 * (size_t)count);
  memcpy(more, s->copy, s->n_values * sizeof *more);
  s->copy = more;
  s->n_values = 2 * count;
}

static void copy_op(Splitter *s, ValueId v) {
  Program *p = s->p;
  make_room(s);
  OpId op = value_def(p, v);
  op_insert_before(p, op_clone(p, op, s->copy, s->n_values), op);
  for (uint32_t i = 0; i < op_at(p, op)->n_results; i++) {
    VEC_PUSH(s->arena, &s->copied, op_result(p, op, i));
    copy_groups(s, op_result(p, op, i), op);
  }
}

// A copy of the whole expression behind v, for one use.
static ValueId copy_expression(Splitter *s, ValueId v) {
  Program *p = s->p;
  if (is_scalar(p, v)) return v;
  s->stack.count = s->copied.count = 0;
  VEC_PUSH(s->arena, &s->stack, ((Frame){v, 0}));
  while (s->stack.count) {
    Frame *top = &s->stack.items[s->stack.count - 1];
    OpId op = value_def(p, top->value);
    if (top->operand < op_at(p, op)->n_operands) {
      ValueId operand = op_operand(p, op, top->operand++);
      if (needs_copy(s, operand)) VEC_PUSH(s->arena, &s->stack, ((Frame){operand, 0}));
      continue;
    }
    if (!s->copy[top->value]) copy_op(s, top->value);
    s->stack.count--;
  }
  ValueId made = s->copy[v];
  for (uint32_t i = 0; i < s->copied.count; i++) s->copy[s->copied.items[i]] = 0;
  return made;
}

static void visit(Splitter *s, OpId op) {
  Program *p = s->p;
  if (op_is_function(p, op) || op_at(p, op)->code == OP_sdy_sharding_group) return;
  if (is_constant_expression(s, op)) {
    s->kind[op] = KIND_CONSTANT;
    VEC_PUSH(s->arena, &s->constants, op);
    return;
  }
  if (!keeps_constants(s, op) && !(op_traits(p, op) & TRAIT_TERMINATOR))
    for (OpId o = op_parent(p, op); o; o = op_parent(p, o))
      if (op_at(p, o)->code == OP_sdy_named_computation) {
        if (!in_not_constant(s, computation_name(p, o)))
          VEC_PUSH(s->arena, &s->not_constant, computation_name(p, o));
        break;
      }
  if (is_scalar_expansion(p, op)) {
    s->kind[op] = KIND_EXPANSION;
    VEC_PUSH(s->arena, &s->expansions, op);
    return;
  }
  for (uint32_t i = 0; i < op_at(p, op)->n_operands; i++) {
    ValueId v = op_operand(p, op, i);
    if (kind_of(s, v) != KIND_NONE)
      operand_set(p, op_at(p, op)->operands + i, copy_expression(s, v));
  }
}

static void erase_if_unused(Program *p, OpId op) {
  for (uint32_t i = 0; i < op_at(p, op)->n_results; i++)
    for (OperandId use = value_at(p, op_result(p, op, i))->first_use; use;
         use = operand_at(p, use)->next_use)
      if (op_at(p, operand_at(p, use)->user)->code != OP_sdy_sharding_group) return;
  for (uint32_t i = 0; i < op_at(p, op)->n_results; i++) {
    ValueId v = op_result(p, op, i);
    while (value_at(p, v)->first_use) op_erase(p, operand_at(p, value_at(p, v)->first_use)->user);
  }
  op_erase(p, op);
}

// One body; bodies of named computations, which see nothing from outside, are bodies of their own.
static void split_body(Splitter *s, OpId root) {
  Program *p = s->p;
  s->constants.count = s->expansions.count = 0;
  for (OpId o = op_walk_next(p, root, root), next; o; o = next) {
    bool inner = op_at(p, o)->code == OP_sdy_named_computation;
    next = inner ? op_walk_over(p, o, root) : op_walk_next(p, o, root);
    visit(s, o);
  }
  for (uint32_t i = 0; i < s->expansions.count; i++) erase_if_unused(p, s->expansions.items[i]);
  for (uint32_t i = s->constants.count; i-- > 0;) erase_if_unused(p, s->constants.items[i]);
}

void passes_split_constants(Program *p, Arena *arena) {
  Splitter s = {.p = p, .arena = arena, .n_ops = p->ops.count, .n_values = p->values.count};
  s.kind = ARENA_ARRAY(arena, uint8_t, s.n_ops);
  s.copy = ARENA_ARRAY(arena, ValueId, s.n_values);
  VEC(OpId) bodies = {0};  // inner ones last
  for (OpId o = p->root; o; o = op_walk_next(p, o, p->root)) {
    if (op_at(p, o)->code == OP_constant) op_at(p, o)->code = OP_sdy_constant;
    if (op_is_function(p, o) || op_at(p, o)->code == OP_sdy_named_computation)
      VEC_PUSH(arena, &bodies, o);
  }
  for (uint32_t i = bodies.count; i-- > 0;)
    if (op_at(p, bodies.items[i])->code) split_body(&s, bodies.items[i]);
}

// ---- merging ----

typedef struct Merge {
  Program *p;
  IdMap map;
} Merge;

static RegionId region_of(const Program *p, OpId op) {
  return block_at(p, op_at(p, op)->block)->region;
}

static bool same_constant(const void *owner, uint32_t id, const void *key) {
  const Program *p = ((const Merge *)owner)->p;
  OpId other = *(const OpId *)key;
  const Op *a = op_at(p, id), *b = op_at(p, other);
  if (a->code != b->code || a->attrs != b->attrs || a->n_operands != b->n_operands ||
      region_of(p, id) != region_of(p, other) ||
      op_result_type(p, id, 0) != op_result_type(p, other, 0))
    return false;
  return a->n_operands == 0 || op_operand(p, id, 0) == op_operand(p, other, 0);
}

void passes_merge_constants(Program *p, Arena *arena) {
  Merge m = {.p = p};
  GuardCleanup cleanup = {idmap_release, &m.map, NULL};
  (void)arena;
  guard_push(p->guard, &cleanup);
  for (OpId o = p->root, next; o; o = next) {
    next = op_walk_next(p, o, p->root);
    const Op *op = op_at(p, o);
    if (op->n_results != 1 || op->n_regions || !(op_traits(p, o) & TRAIT_PURE)) continue;
    bool constant = op->code == OP_sdy_constant || op->code == OP_constant;
    if (!constant && !is_scalar_expansion(p, o)) continue;
    uint64_t hash = hash_mix(hash_mix(op->code, op->attrs), region_of(p, o));
    hash = hash_mix(hash, op_result_type(p, o, 0));
    if (op->n_operands) hash = hash_mix(hash, op_operand(p, o, 0));
    OpId first = idmap_find(&m.map, hash, same_constant, &m, &o);
    if (first) {
      value_replace_uses(p, op_result(p, o, 0), op_result(p, first, 0));
      op_erase(p, o);
    } else {
      idmap_add(&m.map, p->guard, hash, o);
    }
  }
  guard_pop(p->guard, &cleanup);
  idmap_deinit(&m.map);
}
