// Tells whether an optimization_barrier is between two ops: nothing may move across one.
#ifndef TESSERA_OPTIMIZE_BARRIERS_H
#define TESSERA_OPTIMIZE_BARRIERS_H

#include "optimize/pass.h"

typedef struct Barriers {
  const uint32_t *before;  // per op: barriers before it; NULL: the program has none
  uint32_t n;              // ops at the time of barriers_find
} Barriers;

// Allocated in the optimizer's scratch. O(ops).
Barriers barriers_find(Optimizer *o);

// True if no barrier is between two ops. False for an op created after barriers_find, if there are
// barriers: its position is unknown.
static inline bool barriers_none_between(const Barriers *b, OpId x, OpId y) {
  return !b->before || (x < b->n && y < b->n && b->before[x] == b->before[y]);
}

#endif
