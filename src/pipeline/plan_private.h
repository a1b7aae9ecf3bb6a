// Inside of the plan stage. Only pipeline/plan*.c include this.
#ifndef TESSERA_PIPELINE_PLAN_PRIVATE_H
#define TESSERA_PIPELINE_PLAN_PRIVATE_H

#include "pipeline/plan.h"
#include "plan/model.h"

// Why nothing fits in limit_bytes, and remedies, on several lines. enough: a number of devices that
// suffices; 0 = unknown. In the arena.
const char *plan_shortfall(Session *session, const Model *model, double limit_bytes,
                           uint32_t enough, Arena *arena);

// A plan's program is compiled with the plan's annotations (NULL: none) instead of the request's:
// its decisions satisfy those already, and annotations change the numbers of ops.
void plan_annotations(PropagateRequest *request, const Source *rules);
void plan_release_text(void *text);  // a StrBuf, for a GuardCleanup

// Pairs arguments with the results that replace them. Per argument: 1 + the result; 0 = none.
uint32_t *plan_pair_state(const Program *p, OpId entry, Arena *arena);

// Plans for one mesh (NULL: the program's). A trial that cannot be used has `refused`.
Status *plan_try_mesh(const Program *program, const PlanRequest *request, const char *mesh,
                      bool explain, Arena *arena, Plan *out) MUST_USE;
// Of two predictions the one that fits is better, then the faster one.
bool plan_is_better(const PlanTrial *a, const PlanTrial *b, double usable);

#endif
