// While loops of a program, for passes.
#ifndef TESSERA_OPTIMIZE_LOOPS_H
#define TESSERA_OPTIMIZE_LOOPS_H

#include "base/vec.h"
#include "optimize/pass.h"

typedef VEC(OpId) LoopList;

// All while loops with a condition and a body, inner ones before outer ones. Allocated in the
// optimizer's scratch.
LoopList loops_find(Optimizer *o);

static inline BlockId loop_test(const Program *p, OpId loop) {
  return region_block(p, op_region(p, loop, 0));
}
static inline BlockId loop_body(const Program *p, OpId loop) {
  return region_block(p, op_region(p, loop, 1));
}
// The value that the body returns for carry i.
static inline ValueId loop_next(const Program *p, OpId loop, uint32_t i) {
  return op_operand(p, block_at(p, loop_body(p, loop))->last, i);
}

#endif
