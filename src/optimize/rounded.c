// Collectives are collected before any is rewritten, so new ops are not visited. O(ops + uses).
#include "optimize/rounded.h"

#include "base/vec.h"
#include "ops/factors.h"
#include "optimize/facts.h"

typedef VEC(OpId) OpList;

// The element type of all operands of an all_reduce or reduce_scatter with a named reducer; 0 if
// the op is another one or the types differ.
static Type operand_elem(const Program *p, OpId op) {
  const Op *o = op_at(p, op);
  if ((o->code != OP_all_reduce && o->code != OP_reduce_scatter) || !o->n_operands) return 0;
  Type elem = type_elem(p->context, op_operand_type(p, op, 0));
  if (type_is_quant(p->context, op_operand_type(p, op, 0)) || !combine_is_named(op_combine(p, op)))
    return 0;
  for (uint32_t i = 1; i < o->n_operands; i++)
    if (type_elem(p->context, op_operand_type(p, op, i)) != elem) return 0;
  return elem;
}

// The element type in which the collective must sum, if it is wider than the operands'; else 0.
static Type wider_elem(const Program *p, OpId op, Type elem) {
  Type type = op_operand_type(p, op, 0), sum = build_sum_type(p->context, op_combine(p, op), type);
  return elem && sum != type ? type_elem(p->context, sum) : 0;
}

static Type result_elem(const Program *p, OpId op) {
  return type_elem(p->context, op_result_type(p, op, 0));
}

// A copy of the collective with results of another element type, before it.
static OpId retyped(Optimizer *o, OpId op, Type elem) {
  Program *p = o->p;
  uint32_t n = op_at(p, op)->n_operands;
  ValueId *operands = ARENA_ARRAY(&o->scratch, ValueId, n);
  Type *types = ARENA_ARRAY(&o->scratch, Type, n);
  for (uint32_t i = 0; i < n; i++) {
    operands[i] = op_operand(p, op, i);
    types[i] = type_with_elem(o->context, op_result_type(p, op, i), elem);
  }
  Builder b = build_before(p, op);
  return build_collective_many(&b, op_at(p, op)->code, n, operands, types, op_at(p, op)->attrs,
                               op_combine(p, op));
}

// ---- two ops to one ----

// All uses are converts back to the operands' type: only then can the f32 result disappear.
static bool is_only_rounded(const Program *p, OpId op, Type elem) {
  for (uint32_t i = 0; i < op_at(p, op)->n_results; i++)
    for (OperandId use = value_at(p, op_result(p, op, i))->first_use; use;
         use = operand_at(p, use)->next_use) {
      OpId user = operand_at(p, use)->user;
      if (op_at(p, user)->code != OP_convert ||
          type_elem(p->context, op_result_type(p, user, 0)) != elem)
        return false;
    }
  return true;
}

// only: the operands' type to which the rewrite is limited, for sums; 0 = all types and reducers.
static uint32_t join(Optimizer *o, DType only) {
  Program *p = o->p;
  OpList sums = {0};
  for (OpId op = p->root; op; op = op_walk_next(p, op, p->root)) {
    Type elem = operand_elem(p, op), wide = elem ? wider_elem(p, op, elem) : 0;
    bool matches = wide && (!only || (type_dtype(o->context, op_operand_type(p, op, 0)) == only &&
                                      op_combine(p, op) == COMBINE_SUM));
    if (matches && result_elem(p, op) == wide && is_only_rounded(p, op, elem))
      VEC_PUSH(&o->scratch, &sums, op);
  }
  for (uint32_t k = 0; k < sums.count; k++) {
    OpId op = sums.items[k], made = retyped(o, op, operand_elem(p, op));
    for (uint32_t i = 0; i < op_at(p, op)->n_results; i++)
      for (OperandId use; (use = value_at(p, op_result(p, op, i))->first_use) != 0;)
        op_replace(p, operand_at(p, use)->user, op_result(p, made, i));
    op_erase(p, op);
  }
  return sums.count;
}

void rounded_join(Optimizer *o) { join(o, (DType)0); }

uint32_t rounded_join_bf16(Optimizer *o) { return join(o, DT_bf16); }

// ---- one op to two ----

typedef struct Order {
  uint32_t n;          // ops at the time of find_order
  uint32_t *number;    // per op: its number in program order
  uint32_t *barriers;  // per op: barriers before it
} Order;

static Order find_order(Optimizer *o) {
  Program *p = o->p;
  Order at = {.n = p->ops.count};
  at.number = ARENA_ARRAY(&o->scratch, uint32_t, at.n + 1);
  at.barriers = ARENA_ARRAY(&o->scratch, uint32_t, at.n + 1);
  uint32_t n = 0, barriers = 0;
  for (OpId op = p->root; op; op = op_walk_next(p, op, p->root)) {
    at.number[op] = n++;
    at.barriers[op] = barriers;
    barriers += op_at(p, op)->code == OP_optimization_barrier;
  }
  return at;
}

// The op of the collective's block before which result i must be rounded: its first user, or the
// collective itself if a barrier is in between.
static OpId first_use(const Program *p, const Order *at, OpId op, uint32_t i) {
  OpId first = 0;
  for (OperandId use = value_at(p, op_result(p, op, i))->first_use; use;
       use = operand_at(p, use)->next_use) {
    OpId user = fact_in_block(p, operand_at(p, use)->user, op_at(p, op)->block);
    if (!first || at->number[user] < at->number[first]) first = user;
  }
  return first && at->barriers[first] != at->barriers[op] ? op : first;
}

// Each result is rounded by one convert, however many users it has.
static void split(Optimizer *o, const Order *at, OpId op, Type wide) {
  Program *p = o->p;
  OpId made = retyped(o, op, wide);
  for (uint32_t i = 0; i < op_at(p, op)->n_results; i++) {
    OpId before = first_use(p, at, op, i);
    if (!before) continue;
    ValueId sum = op_result(p, made, i), result = op_result(p, op, i);
    Builder b = build_like(p, before, made);
    value_replace_uses(p, result,
                       build_convert(&b, sum, type_elem(o->context, value_type(p, result))));
  }
  op_erase(p, op);
}

void rounded_split(Optimizer *o) {
  Program *p = o->p;
  OpList sums = {0};
  for (OpId op = p->root; op; op = op_walk_next(p, op, p->root)) {
    Type elem = operand_elem(p, op);
    if (elem && wider_elem(p, op, elem) && result_elem(p, op) == elem)
      VEC_PUSH(&o->scratch, &sums, op);
  }
  if (!sums.count) return;
  Order at = find_order(o);
  for (uint32_t k = 0; k < sums.count; k++) {
    OpId op = sums.items[k];
    split(o, &at, op, wider_elem(p, op, operand_elem(p, op)));
  }
}
