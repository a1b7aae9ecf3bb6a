// Problem: XLA scatters along the major dimension of a layout. A reduce_scatter along another
// dimension gets a transposed layout, with a copy before and a copy after it.
//
// Idea: JAX's gradients of weights are contractions followed by a transpose. If that transpose
// moves the scattered dimension to the front, it goes first:
//
//   transpose(reduce_scatter(x, dim d), [d, ...])  =  reduce_scatter(transpose(x, [d, ...]), dim 0)
//
// XLA folds the transpose into the contraction, or copies once. Invariant: values and bytes sent
// stay equal. O(ops).
#include "build/build.h"
#include "optimize/facts.h"
#include "optimize/pass.h"

// The transpose that is the only user of a reduce_scatter along a dimension other than 0, and moves
// that dimension to the front; else 0.
static OpId transpose_behind(Optimizer *o, OpId op) {
  const Program *p = o->p;
  if (op_at(p, op)->code != OP_reduce_scatter || op_at(p, op)->n_operands != 1) return 0;
  ValueId result = op_result(p, op, 0);
  int64_t dim = attr_as_int(o->context, op_attr(p, op, "scatter_dimension"), 0);
  if (!dim || !fact_used_once(p, result)) return 0;
  OpId user = operand_at(p, value_at(p, result)->first_use)->user;
  if (op_at(p, user)->code != OP_transpose || op_at(p, user)->block != op_at(p, op)->block)
    return 0;
  Ints order = attr_as_ints(o->context, op_attr(p, user, "permutation"));
  return order.n && order.v[0] == dim ? user : 0;
}

static void transpose_first(Optimizer *o, OpId op, OpId transpose) {
  Program *p = o->p;
  Ints order = attr_as_ints(o->context, op_attr(p, transpose, "permutation"));
  ValueId operand = op_operand(p, op, 0), result = op_result(p, op, 0);
  Builder b = build_before(p, op);
  operand_set(p, op_at(p, op)->operands, build_transpose(&b, operand, order.v));
  op_set_attr(p, op, "scatter_dimension", attr_i64(o->context, 0));
  value_at(p, result)->type = op_result_type(p, transpose, 0);
  op_replace(p, transpose, result);
}

uint32_t pass_major(Optimizer *o) {
  Program *p = o->p;
  uint32_t changes = 0;
  for (OpId op = p->root; op; op = op_walk_next(p, op, p->root)) {
    OpId transpose = transpose_behind(o, op);
    if (!transpose) continue;
    transpose_first(o, op, transpose);
    changes++;
  }
  return changes;
}
