// Inside of the plan stage. Only pipeline/plan*.c include this.
#ifndef TESSERA_PIPELINE_PLAN_PRIVATE_H
#define TESSERA_PIPELINE_PLAN_PRIVATE_H

#include "base/json.h"
#include "pipeline/plan.h"
#include "plan/model.h"
#include "tactics/tactics.h"

// Why nothing fits in limit_bytes, and remedies, on several lines. enough: a number of devices that
// suffices; 0 = unknown. In the arena.
const char *plan_shortfall(Session *session, const Model *model, double limit_bytes,
                           uint32_t enough, Arena *arena);

// Pairs arguments with the results that replace them: by tf.aliasing_output, then by the end of
// their paths and type, or by position if there are no names. Per argument: 1 + the result; 0 =
// none. In the arena. O(arguments · results).
uint32_t *plan_pair_state(const Program *p, OpId entry, Arena *arena);
// Of two predictions the one that fits is better, then the faster one.
bool plan_is_better(const PlanTrial *a, const PlanTrial *b, double usable_bytes);
// The view of a session's program for tactics, after STAGE_ANNOTATE; in the session's arena.
// tactics_candidates(*out) then lists standard plans as --shard rules, which a trial may partition
// and simulate beside its own. INVALID_ARGUMENT if there are several meshes.
Status *plan_view_tactics(Session *session, Tactics **out) MUST_USE;
// The plan that the request's tactics make, for the request's mesh.
Status *plan_tactics(const Program *program, const PlanRequest *request, Guard *guard, Arena *arena,
                     Plan *out) MUST_USE;
// The rows of tactics as text and as JSON; nothing if there are none.
void plan_put_tactics(const Plan *plan, StrBuf *out);
void plan_tactics_json(const Plan *plan, Json *json);

#endif
