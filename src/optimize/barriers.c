// Two ops are on the same side of every barrier if equally many barriers come before them. O(ops).
#include "optimize/barriers.h"

Barriers barriers_find(Optimizer *o) {
  Program *p = o->p;
  bool any = false;
  for (OpId op = p->root; op && !any; op = op_walk_next(p, op, p->root))
    any = op_at(p, op)->code == OP_optimization_barrier;
  if (!any) return (Barriers){0};
  uint32_t n = 0, *before = ARENA_ARRAY(&o->scratch, uint32_t, p->ops.count + 1);
  for (OpId op = p->root; op; op = op_walk_next(p, op, p->root)) {
    before[op] = n;
    n += op_at(p, op)->code == OP_optimization_barrier;
  }
  return (Barriers){before, p->ops.count};
}
