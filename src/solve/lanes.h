// Improves a plan on several threads, with the same result for any number of them.
#ifndef TESSERA_SOLVE_LANES_H
#define TESSERA_SOLVE_LANES_H

#include "solve/search.h"

enum { LANE_COUNT = 4 };

typedef struct Lanes {
  const Core *core;
  Search lane[LANE_COUNT];
  State best;  // the plan of all lanes
  bool found;  // best is a plan that fits
  // Merging
  State base;
  uint32_t *stack, *old;
  uint8_t *mark;
  uint64_t work;
} Lanes;

void lanes_init(Lanes *lanes, const Core *core, const double *price, Arena *arena);
// Repairs and improves a plan; keeps it if it is the best.
void lanes_offer(Lanes *lanes, const uint32_t *x, uint64_t most_work);
// Every lane improves the best plan for `work_each`, or until the clock passes `deadline` (0: no
// deadline); then what they found is put together.
Status *lanes_run(Lanes *lanes, uint32_t threads, uint64_t work_each, double deadline) MUST_USE;
uint64_t lanes_work(const Lanes *lanes);

#endif
