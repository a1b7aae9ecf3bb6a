// An all_reduce leaves a loop if its result is only combined into a carry that nothing else looks
// at (a gradient summed over microbatches), or put into one by dynamic_update_slice at the same
// place on all devices (a stack of results): the loop carries partial values, and they are reduced
// once behind it. What the carry begins with then enters once: it combines to itself (zeros of a
// sum), or only the first device of each group keeps it. Inner loops first. O(ops).
#include "ops/factors.h"
#include "optimize/build.h"
#include "optimize/facts.h"
#include "optimize/loops.h"
#include "optimize/varies.h"

enum { MOST_TERMS = 16 };

typedef struct Carry {
  Optimizer *o;
  Program *p;
  Varies varies;
  OpId loop;
  uint32_t index;
  ValueId arg;  // of the body
  OpId sums[MOST_TERMS];
  uint32_t n_sums;
  Combine combine;
} Carry;

static Combine combine_of_op(uint16_t code) {
  switch (code) {
  case OP_add: return COMBINE_SUM;
  case OP_maximum: return COMBINE_MAX;
  case OP_minimum: return COMBINE_MIN;
  case OP_multiply: return COMBINE_MUL;
  case OP_and: return COMBINE_AND;
  case OP_or: return COMBINE_OR;
  default: return COMBINE_NONE;
  }
}

// An all_reduce in the body itself whose result is used here only.
static bool add_sum(Carry *c, ValueId v) {
  Program *p = c->p;
  OpId op = value_def(p, v);
  Combine combine = collective_sum(p, op);
  if (combine == COMBINE_NONE || op_at(p, op)->block != loop_body(p, c->loop) ||
      !fact_used_once(p, v) || c->n_sums == MOST_TERMS)
    return false;
  if (c->n_sums && (op_at(p, c->sums[0])->attrs != op_at(p, op)->attrs || combine != c->combine))
    return false;
  c->combine = combine;
  c->sums[c->n_sums++] = op;
  return true;
}

static bool is_step(const Carry *c, ValueId v) {
  OpId op = value_def(c->p, v);
  return op && op_at(c->p, op)->block == loop_body(c->p, c->loop) &&
         combine_of_op(op_at(c->p, op)->code) != COMBINE_NONE && fact_used_once(c->p, v);
}

// next = ((arg + a) + b) + c, in any order, with all_reduces for a, b, c.
static bool is_accumulated(Carry *c, ValueId next) {
  Program *p = c->p;
  Combine combine = COMBINE_NONE;
  for (ValueId v = next; v != c->arg;) {
    if (!is_step(c, v)) return false;
    OpId op = value_def(p, v);
    ValueId a = op_operand(p, op, 0), b = op_operand(p, op, 1);
    Combine here = combine_of_op(op_at(p, op)->code);
    if (combine != COMBINE_NONE && here != combine) return false;
    combine = here;
    bool left = a == c->arg || (b != c->arg && collective_sum(p, value_def(p, b)) != COMBINE_NONE);
    if (!add_sum(c, left ? b : a)) return false;
    v = left ? a : b;
  }
  return c->n_sums && c->combine == combine;
}

// next = dynamic_update_slice(arg, all_reduce, …) at one place.
static bool is_stacked(Carry *c, ValueId next) {
  Program *p = c->p;
  OpId op = fact_def(p, next, OP_dynamic_update_slice);
  if (!op || op_at(p, op)->block != loop_body(p, c->loop) || op_operand(p, op, 0) != c->arg ||
      !fact_used_once(p, next) || !add_sum(c, op_operand(p, op, 1)))
    return false;
  const DeviceGroups *groups = collective_groups(c->o, c->sums[0]);
  for (uint32_t i = 2; groups && i < op_at(p, op)->n_operands; i++)
    if (!varies_not_in(&c->varies, op_operand(p, op, i), groups)) return false;
  return true;
}

// ---- what it begins with ----

static bool enters_once(Carry *c, ValueId init, const DeviceGroups *groups) {
  if (collective_keeps(c->p, init, c->combine)) return true;
  return varies_not_in(&c->varies, init, groups) && collective_place_is_known(c->o, groups) &&
         !type_is_quant(c->o->context, value_type(c->p, init));
}

static void enter_once(Carry *c, const DeviceGroups *groups) {
  Program *p = c->p;
  OperandId operand = op_at(p, c->loop)->operands + c->index;
  ValueId init = operand_at(p, operand)->value;
  if (collective_keeps(p, init, c->combine)) return;
  Type type = value_type(p, init);
  Context *context = c->o->context;
  ValueId place = collective_place(c->o, c->loop, groups), zero = build_index(p, c->loop, 0);
  NamedAttr equal = {name_of(context, "comparison_direction"),
                     attr_enum(context, "stablehlo.comparison_direction", "EQ")};
  Type truth = type_tensor(context, type_scalar(DT_i1), 0, NULL, 0);
  ValueId first = build_op(p, c->loop, OP_compare, 2, (ValueId[]){place, zero}, truth,
                           attr_dict(context, 1, &equal));
  ValueId none = build_identity(p, c->loop, type, c->combine);
  operand_set(p, operand,
              build_op(p, c->loop, OP_select, 3, (ValueId[]){first, init, none}, type, 0));
}

// ---- the move ----

static bool is_free(const Carry *c) {
  return fact_used_once(c->p, c->arg) &&
         !value_has_uses(c->p, block_arg(c->p, loop_test(c->p, c->loop), c->index));
}

static bool leave(Carry *c) {
  Program *p = c->p;
  ValueId next = loop_next(p, c->loop, c->index);
  c->n_sums = 0;
  if (!is_free(c)) return false;
  if (!is_accumulated(c, next)) {
    c->n_sums = 0;
    if (!is_stacked(c, next)) return false;
  }
  const DeviceGroups *groups = collective_groups(c->o, c->sums[0]);
  if (!groups || !enters_once(c, op_operand(p, c->loop, c->index), groups)) return false;
  enter_once(c, groups);
  ValueId result = op_result(p, c->loop, c->index);
  ValueId whole = build_reduction(p, op_at(p, c->loop)->next, OP_all_reduce, c->sums[0], result,
                                  value_type(p, result), op_at(p, c->sums[0])->attrs, c->combine);
  value_replace_uses(p, result, whole);
  operand_set(p, op_at(p, value_def(p, whole))->operands, result);
  for (uint32_t i = 0; i < c->n_sums; i++)
    build_replace(p, c->sums[i], op_operand(p, c->sums[i], 0));
  return true;
}

uint32_t pass_carry(Optimizer *o) {
  Program *p = o->p;
  LoopList loops = loops_find(o);
  if (!loops.count || !o->n_devices) return 0;
  uint32_t changes = 0;
  Carry c = {.o = o, .p = p, .varies = varies_find(o)};
  for (uint32_t k = 0; k < loops.count; k++) {
    c.loop = loops.items[k];
    for (uint32_t i = 0; i < op_at(p, c.loop)->n_operands; i++) {
      c.index = i;
      c.arg = block_arg(p, loop_body(p, c.loop), i);
      changes += leave(&c);
    }
  }
  return changes;
}
