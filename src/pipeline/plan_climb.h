// Local search on the simulated time. Only pipeline/plan*.c include this.
#ifndef TESSERA_PIPELINE_PLAN_CLIMB_H
#define TESSERA_PIPELINE_PLAN_CLIMB_H

#include "pipeline/plan_trial.h"

// Climbs from t->best_choice, whose problem is priced.
Status *climb(Trial *t, Guard *guard, TryChoice try) MUST_USE;

#endif
