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
enum { PLAN_VERSION = 2, PLAN_OLDEST = 1 };  // that is written; that is read

// Why a mesh that was tried is not the plan's, in a few words.
void plan_put_why_lost(const Plan *plan, const PlanTrial *trial, StrBuf *out);
void plan_release_text(void *text);  // a StrBuf, for a GuardCleanup

// Pairs arguments with the results that replace them. Per argument: 1 + the result; 0 = none.
// INVALID_ARGUMENT if a pair of the request names nothing, or values of different types.
Status *plan_pair_state(const Program *p, OpId entry, const PlanRequest *request, Arena *arena,
                        uint32_t **out) MUST_USE;

// A solution in words: a line for all axes ("data x8, Megatron x4 on mlp"), then one per axis. The
// session is the model's, after STAGE_ANNOTATE. O(program · axes).
void plan_summary(Session *session, const Model *model, const uint32_t *choice, StrBuf *out);
// The request that compiles the plan's flat program. *mesh and *rules hold texts that it refers to.
void plan_request(const Plan *plan, const PlanRequest *request, const char **mesh, Source *rules,
                  CompileRequest *out);
// Per value of a session after STAGE_DECIDE: the sharding in which its op makes it; NULL if it has
// none. O(decisions).
const Sharding **plan_held(const Session *session, Arena *arena);
// Finds the short list of annotations, and a layout by names (plan_short.c). `source` is the
// program that they are for.
Status *plan_shorten(const Program *source, const PlanRequest *request, Guard *guard, Arena *arena,
                     Plan *plan) MUST_USE;

// `[{"x", "y"}, {}, {"z"}, {}]` as `P(("x", "y"), None, "z")`: of any rank.
const char *plan_spec(const char *sharding, Arena *arena);

// Plans for one mesh (NULL: the program's). A trial that cannot be used has `refused`.
Status *plan_try_mesh(const Program *program, const PlanRequest *request, const char *mesh,
                      bool explain, Arena *arena, Plan *out) MUST_USE;
// Of two predictions the one that fits is better, then the faster one.
bool plan_is_better(const PlanTrial *a, const PlanTrial *b, double usable);

#endif
