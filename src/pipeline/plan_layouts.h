// Solutions for layouts that experts use. Only pipeline/plan*.c include this.
#ifndef TESSERA_PIPELINE_PLAN_LAYOUTS_H
#define TESSERA_PIPELINE_PLAN_LAYOUTS_H

#include "pipeline/plan_trial.h"

// Solves the problem for standard compositions of tactics and tries the solutions, as climb does.
// *budget: how many may be tried; it is lowered.
Status *layouts_try(Trial *t, Guard *guard, uint32_t *budget,
                    bool (*try)(Trial *, const uint32_t *)) MUST_USE;

#endif
