// Problem: XLA expands a scatter of one index: read the window at the clamped index, select between
// it and the update, write it back. If the operand is a dynamic_slice, XLA merges the read into it:
// it adds both offsets and clamps only the sum. An index that is out of bounds, as indices of other
// devices' shards are, then reads an element of another shard and writes it into this one.
//
// Idea: XLA merges nothing across an optimization_barrier, so one is put before the operands of
// each scatter. Arguments get one too, since the caller may have sliced them. O(ops + operands of
// scatters).
#include "build/build.h"
#include "optimize/pass.h"

uint32_t pass_fenced(Optimizer *o) {
  Program *p = o->p;
  uint32_t changes = 0;
  for (OpId op = p->root; op; op = op_walk_next(p, op, p->root)) {
    if (op_at(p, op)->code != OP_scatter) continue;
    for (uint32_t i = 0; i < op_at(p, op)->n_results; i++) {  // operands are first, one per result
      Builder b = build_before(p, op);
      ValueId v = build_unary(&b, OP_optimization_barrier, op_operand(p, op, i));
      operand_set(p, op_at(p, op)->operands + i, v);
      changes++;
    }
  }
  return changes;
}
