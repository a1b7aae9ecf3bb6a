// The stage that plans: chooses a mesh and shardings by search, and predicts the result.
#ifndef TESSERA_PIPELINE_PLAN_H
#define TESSERA_PIPELINE_PLAN_H

#include "pipeline/compile.h"
#include "solve/solve.h"

typedef struct PlanRequest {
  PropagateRequest annotations;      // constraints; its meshes: the one to plan for, or none
  uint32_t level;                    // 1: about a second; 2: seconds to minutes
  uint32_t devices;                  // if no mesh is given; 0: those of the machine's shape
  bool untied;                       // repeated layers may differ
  bool no_greedy;                    // only solutions: the partitioner chooses nothing by itself
  double limit_bytes;                // memory of a device; 0: the machine's
  const char *machine_of_any_shape;  // the machine's text without a shape, to find how many devices
                                     // would suffice; NULL = the same as annotations.machine
} PlanRequest;

// An argument or result of the program in the plan.
typedef struct PlannedValue {
  const char *name, *type, *sharding;
  double bytes, local_bytes;
  uint32_t state;  // of an argument: 1 + the result that replaces it; 0 = none
} PlannedValue;

// What the planner predicts for one mesh.
typedef struct PlanTrial {
  const char *mesh;                    // "x=4,y=2"
  double seconds, peak_bytes;          // simulated; 0 if it was discarded
  double cost_seconds, bound_seconds;  // of the problem: the sum of all times, without overlap
  double problem_peak_bytes;
  SolveOutcome outcome;
  bool greedy;          // only arguments and results are as solved; the partitioner chose the rest
  const char *refused;  // why it cannot be used; NULL = it can
} PlanTrial;

typedef struct Plan {
  PlanTrial best;
  const PlanTrial *trials;
  uint32_t n_trials;
  const char *annotations;  // shardings of arguments and results, as rules of --shard, one per line
  const char *strategy;     // in words: one line per mesh axis
  const char *shortfall;    // if nothing fits: why, and remedies, on several lines; else NULL
  uint64_t program;         // program_hash of the flat program
  const char *decisions;  // JSON (docs/partition-decisions.md), for the program with inlined calls
  double compute_seconds, exposed_seconds, utilization, usable_bytes, bytes;
  const PlannedValue *arguments, *results;
  uint32_t n_arguments, n_results;
  uint32_t n_refused;  // solutions that the partitioner refused: an error of Tessera
  uint32_t n_ops, n_vars, n_tied, core_vars;
  double model_seconds, solve_seconds, check_seconds;  // of the planner
} Plan;

// Inlines all calls that can be inlined and erases functions that nothing names any more: a plan is
// about this form of the program. O(program with inlined calls).
void plan_flatten(Program *program, Guard *guard, Arena *arena);

// Does the text begin like a plan, and not like decisions alone?
bool plan_is(Str text);
// Prepares a program for the plan in a file's text: flattens it, and puts the plan's mesh and
// annotations into the request. INVALID_ARGUMENT if the text is no plan, or one for another
// program.
Status *plan_open(Program *program, Str text, Guard *guard, Arena *arena,
                  PropagateRequest *request) MUST_USE;

// Plans a verified, flat program, which is not changed. Results are in the arena. INVALID_ARGUMENT
// for contradictions and for machines without devices; RESOURCE_EXHAUSTED if no plan fits in
// memory.
Status *plan_program(const Program *program, const PlanRequest *request, Guard *guard, Arena *arena,
                     Plan *out) MUST_USE;

// The plan as text for people, and as JSON (docs/plan.md): both end with a newline.
void plan_put(const Plan *plan, const char *machine, StrBuf *out);
void plan_json(const Plan *plan, const char *machine, StrBuf *out);

#endif
