// Branch and bound for narrow cores: bounds by elimination with memory prices.
#ifndef TESSERA_SOLVE_EXPLORE_H
#define TESSERA_SOLVE_EXPLORE_H

#include "solve/core.h"

// Searches all plans that fit and cost less than *upper. A cheaper one goes to out_x and *upper.
// `price` (per point) is where prices start. Returns whether the search was complete: then no plan
// that fits costs less than *upper. Stops after `most_work`, added to *work.
bool explore_run(const Core *core, const double *price, int64_t *upper, uint32_t *out_x,
                 uint64_t most_work, uint64_t *work, Arena *arena);

#endif
