// Local search on the simulated time. Only pipeline/plan*.c include this.
#ifndef TESSERA_PIPELINE_PLAN_CLIMB_H
#define TESSERA_PIPELINE_PLAN_CLIMB_H

#include "pipeline/plan_trial.h"

// Climbs from t->best_choice, whose problem is priced. try: compiles and simulates a choice, and
// makes it t->best_choice if it is the best so far; returns whether it is.
Status *climb(Trial *t, Guard *guard, bool (*try)(Trial *, const uint32_t *)) MUST_USE;

#endif
