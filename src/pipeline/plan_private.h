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

// Sees the model of a trial before it is solved: reads it, or forbids strategies (plan_forbid).
typedef struct PlanHook {
  // *out_stop: the trial ends here, without a plan.
  Status *(*built)(void *user, Session *session, Model *model, double limit_bytes, bool *out_stop);
  void *user;
  bool exact;  // only solutions are candidates: not what the partitioner makes of their borders
} PlanHook;

// Plans for one mesh (NULL: the program's). A trial that cannot be used has `refused`. explain: if
// nothing fits. hook: NULL = none. Progress goes to `outer` (NULL: nowhere).
Status *plan_try_mesh(const Program *program, const PlanRequest *request, const char *mesh,
                      bool explain, const PlanHook *hook, const Guard *outer, Arena *arena,
                      Plan *out) MUST_USE;
// No solution has this strategy, in any round.
void plan_forbid(Model *model, uint32_t var, uint32_t strategy);
// Is the time limit of the request over?
bool plan_is_late(const PlanRequest *request);
// Of two predictions the one that fits is better, then the faster one.
bool plan_is_better(const PlanTrial *a, const PlanTrial *b, double usable);

// ---- plan_meshes.c ----

// A mesh to plan for, with lower bounds.
typedef struct PlanMesh {
  const char *text;        // "x=4,y=2"; NULL: the program's
  const char *links;       // along each axis, in words; NULL: all are alike, or unknown
  double bound_seconds;    // without overlap; 0: unknown
  double overlap_seconds;  // with overlap
  bool infeasible;         // nothing fits: proven
} PlanMesh;
typedef VEC(PlanMesh) PlanMeshVec;

// All shapes of n devices. The last axis joins neighbours. O(divisors^axes).
void plan_list_meshes(uint32_t n, uint32_t level, Arena *arena, PlanMeshVec *out);
// Sets the bounds of a mesh from its model; the model's scale is 1 afterwards.
Status *plan_bound_mesh(Session *session, Model *model, double limit_bytes, Arena *arena,
                        PlanMesh *out) MUST_USE;
// The most promising first.
void plan_sort_meshes(PlanMeshVec *meshes);

#endif
