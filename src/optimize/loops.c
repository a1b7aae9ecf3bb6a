// The reverse of program order has inner loops before outer ones. O(ops).
#include "optimize/loops.h"

LoopList loops_find(Optimizer *o) {
  Program *p = o->p;
  LoopList loops = {0};
  for (OpId op = p->root; op; op = op_walk_next(p, op, p->root))
    if (op_at(p, op)->code == OP_while && loop_test(p, op) && loop_body(p, op))
      VEC_PUSH(&o->scratch, &loops, op);
  for (uint32_t i = 0; i < loops.count / 2; i++) {
    OpId swap = loops.items[i];
    loops.items[i] = loops.items[loops.count - 1 - i];
    loops.items[loops.count - 1 - i] = swap;
  }
  return loops;
}
