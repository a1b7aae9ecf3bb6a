// Inside of the plan stage. Only pipeline/plan*.c include this.
#ifndef TESSERA_PIPELINE_PLAN_PRIVATE_H
#define TESSERA_PIPELINE_PLAN_PRIVATE_H

#include "pipeline/plan.h"
#include "plan/model.h"

// Why nothing fits in limit_bytes, and remedies, on several lines. enough: a number of devices that
// suffices; 0 = unknown. In the arena.
const char *plan_shortfall(Session *session, const Model *model, double limit_bytes,
                           uint32_t enough, Arena *arena);

#endif
