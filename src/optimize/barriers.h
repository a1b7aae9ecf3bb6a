// What stands on the same side of every optimization_barrier.
#ifndef TESSERA_OPTIMIZE_BARRIERS_H
#define TESSERA_OPTIMIZE_BARRIERS_H

#include "optimize/pass.h"

typedef struct Barriers {
  const uint32_t *before;  // per op: how many come before it; NULL: there are none
  uint32_t n;              // ops there were
} Barriers;

// In the optimizer's scratch. O(ops).
Barriers barriers_find(Optimizer *o);

// No barrier is between the two; of an op made since that is not known, so it is not said.
static inline bool barriers_none_between(const Barriers *b, OpId x, OpId y) {
  return !b->before || (x < b->n && y < b->n && b->before[x] == b->before[y]);
}

#endif
