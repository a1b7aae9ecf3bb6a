// Problem: XLA gathers and scatters along the major dimension of a layout. Along another dimension
// the collective gets a transposed layout, and XLA copies to and from it: for CPUs element by
// element, at a third of the speed of a transpose.
//
// Idea: write the transposes, so that the tiles lie along dimension 0:
//
//   all_gather(x, dim d)  =  transpose(all_gather(transpose(x, [d, ...]), dim 0), [1, ..., 0, ...])
//
// and so for reduce_scatter. XLA folds a transpose into the contraction that makes or reads it.
// Invariant: values, kinds of collectives and bytes sent stay equal. O(ops).
#include "build/build.h"
#include "optimize/pass.h"

// The attribute with the dimension of the tiles; NULL if the op has none.
static const char *tile_attribute(const Program *p, OpId op) {
  switch (op_at(p, op)->code) {
  case OP_reduce_scatter: return "scatter_dimension";
  case OP_all_gather: return "all_gather_dim";
  default: return NULL;
  }
}

// The dimension of the tiles if a device has several indices of a dimension before it; else 0.
static uint32_t tile_dimension(Optimizer *o, OpId op) {
  const Program *p = o->p;
  const char *name = tile_attribute(p, op);
  if (!name || op_at(p, op)->n_operands != 1) return 0;
  int64_t dim = attr_as_int(o->context, op_attr(p, op, name), 0);
  const TypeInfo *type = type_info(o->context, op_operand_type(p, op, 0));
  for (uint32_t d = 0; d < dim && d < type->rank; d++)
    if (type->dims[d] != 1) return (uint32_t)dim;
  return 0;
}

// x -> transpose(collective(transpose(x, [d, ...]), dim 0), [1, ..., 0, ...])
static void transpose_around(Optimizer *o, OpId op, uint32_t dim) {
  Program *p = o->p;
  ValueId result = op_result(p, op, 0);
  Type before = value_type(p, result);
  const TypeInfo *type = type_info(o->context, before);
  int64_t *there = ARENA_ARRAY(&o->scratch, int64_t, type->rank);
  int64_t *back = ARENA_ARRAY(&o->scratch, int64_t, type->rank);
  int64_t *dims = ARENA_ARRAY(&o->scratch, int64_t, type->rank);
  for (uint32_t i = 0; i < type->rank; i++) {
    there[i] = i == 0 ? dim : i <= dim ? i - 1 : i;
    back[there[i]] = i;
    dims[i] = type->dims[there[i]];
  }
  Builder b = build_before(p, op);
  operand_set(p, op_at(p, op)->operands, build_transpose(&b, op_operand(p, op, 0), there));
  op_set_attr(p, op, tile_attribute(p, op), attr_i64(o->context, 0));
  value_at(p, result)->type = type_tensor(o->context, type->elem, type->rank, dims, type->encoding);
  Builder after = build_before(p, op_at(p, op)->next);
  ValueId same = build_transpose(&after, result, back);
  value_replace_uses(p, result, same);
  operand_set(p, op_at(p, value_def(p, same))->operands, result);
}

uint32_t pass_leading(Optimizer *o) {
  Program *p = o->p;
  uint32_t changes = 0;
  for (OpId op = p->root; op; op = op_walk_next(p, op, p->root)) {
    uint32_t dim = tile_dimension(o, op);
    if (!dim) continue;
    transpose_around(o, op, dim);
    changes++;
  }
  return changes;
}
