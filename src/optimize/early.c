// Problem: a partial sum is scaled and reshaped before its all_reduce, because the partitioner
// carries partial sums through linear ops. Between a reduction and an all_reduce such an op is a
// kernel of its own; behind the all_reduce it fuses with the users of the sum.
//
//   reduce → broadcast_in_dim → divide by n → all_reduce → subtract       3 kernels and a
//   collective reduce → all_reduce → broadcast_in_dim → divide by n → subtract       2 kernels and
//   a collective
//
// Idea: all_reduce(f(x)) → f(all_reduce(x)) for chains of ops f that commute with the sum, whose
// other operands are constants, and which do not make the value smaller. Only if the chain begins
// at an op that does not fuse with it. This undoes what pass `sums` moved for a merge that did not
// happen; that pass does not run again.
//
// Invariant: as many bytes are sent, values are equal up to the order of sums, nothing crosses an
// optimization_barrier. Sums of 16-bit floats stay: they are rounded once, where they are. Cost:
// O(ops + chains).
#include "ops/commute.h"
#include "ops/splat.h"
#include "ops/work.h"
#include "optimize/barriers.h"
#include "optimize/collective.h"
#include "optimize/facts.h"

enum { MOST_OPERANDS = 4, MOST_STEPS = 16 };

static bool is_wide_float(const Program *p, ValueId v) {
  DType type = type_dtype(p->context, value_type(p, v));
  return type == DT_f32 || type == DT_f64;
}

static bool is_constant(const Program *p, ValueId v) {
  Scalar x;
  return fact_constant(p, v) || op_splat(p, v, &x);
}

// The operand of the op that defines v, if the op can stand behind an all_reduce of that operand
// instead of before it; UINT32_MAX if not.
static uint32_t movable_operand(const Program *p, ValueId v) {
  OpId op = value_def(p, v);
  if (!op || !fact_used_once(p, v) || !fact_is_pure(p, op)) return UINT32_MAX;
  const Op *o = op_at(p, op);
  if (!o->n_operands || o->n_operands > MOST_OPERANDS || o->n_results != 1 || o->n_regions)
    return UINT32_MAX;
  bool partial[MOST_OPERANDS] = {0};
  uint32_t at = UINT32_MAX;
  for (uint32_t i = 0; i < o->n_operands; i++) {
    if (is_constant(p, op_operand(p, op, i))) continue;
    if (at != UINT32_MAX) return UINT32_MAX;
    at = i;
    partial[i] = true;
  }
  if (at == UINT32_MAX) return UINT32_MAX;
  ValueId x = op_operand(p, op, at);
  bool same = is_wide_float(p, x) && fact_bytes(p, x) <= fact_bytes(p, v);
  return same && op_commutes(p, op, COMBINE_SUM, partial) == COMBINE_SUM ? at : UINT32_MAX;
}

// Steps of the chain before an all_reduce, if it begins at an op that does not fuse with it.
static uint32_t chain_length(const Program *p, const Barriers *barriers, OpId sum) {
  ValueId v = op_operand(p, sum, 0);
  for (uint32_t n = 0; n <= MOST_STEPS; n++) {
    OpId op = value_def(p, v);
    if (!op || op_at(p, op)->block != op_at(p, sum)->block) return 0;
    uint32_t at = movable_operand(p, v);
    if (at == UINT32_MAX) return op_fusing(p, op) == FUSING_BOTH ? 0 : n;
    if (!barriers_none_between(barriers, op, sum)) return 0;
    v = op_operand(p, op, at);
  }
  return 0;
}

// Moves the all_reduce before the op that defines its operand. Returns the new one.
static OpId move_before(Program *p, OpId sum) {
  ValueId v = op_operand(p, sum, 0);
  OpId op = value_def(p, v);
  uint32_t at = movable_operand(p, v);
  ValueId x = op_operand(p, op, at);
  Builder b = rewrite_like(p, op, sum);
  ValueId reduced =
      build_collective(&b, OP_all_reduce, x, value_type(p, x), op_at(p, sum)->attrs, COMBINE_SUM);
  operand_set(p, op_at(p, op)->operands + at, reduced);
  value_replace_uses(p, op_result(p, sum, 0), v);
  op_erase(p, sum);
  return value_def(p, reduced);
}

uint32_t pass_early(Optimizer *o) {
  Program *p = o->p;
  uint32_t changes = 0;
  Barriers barriers = barriers_find(o);
  for (OpId op = p->root, next; op; op = next) {
    next = op_walk_next(p, op, p->root);
    if (collective_sum(p, op) != COMBINE_SUM || op_at(p, op)->n_operands != 1 ||
        !is_wide_float(p, op_operand(p, op, 0)) || !is_wide_float(p, op_result(p, op, 0)))
      continue;
    uint32_t n = chain_length(p, &barriers, op);
    while (next && n && fact_in_block(p, next, op_at(p, op)->block) == op)
      next = op_walk_next(p, next, p->root);  // behind the op's region, which is erased
    OpId sum = op;
    for (uint32_t i = 0; i < n; i++) sum = move_before(p, sum);
    changes += n;
  }
  return changes;
}
