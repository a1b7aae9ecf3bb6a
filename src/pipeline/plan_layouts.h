// Starts of the local search: solutions of the problem as experts would restrict it, or at other
// prices. Only pipeline/plan*.c include this.
#ifndef TESSERA_PIPELINE_PLAN_LAYOUTS_H
#define TESSERA_PIPELINE_PLAN_LAYOUTS_H

#include "pipeline/plan_trial.h"

// Solves the problem again and again, restricted or at other prices, and tries the solutions, as
// climb does. Afterwards the problem has t->best_pricing. *budget: how many may be tried; it is
// lowered.
Status *layouts_try(Trial *t, Guard *guard, uint32_t *budget, TryChoice try) MUST_USE;

#endif
