// The stage that plans: chooses a mesh and shardings by search, and predicts the result.
#ifndef TESSERA_PIPELINE_PLAN_H
#define TESSERA_PIPELINE_PLAN_H

#include "base/json.h"
#include "pipeline/compile.h"
#include "solve/solve.h"

typedef struct PlanRequest {
  PropagateRequest annotations;  // constraints; its meshes: the one to plan for, or none
  uint32_t level;                // 1: about a second; 2: seconds to minutes
  uint32_t threads;              // 0 and 1: the calling one. The plan does not depend on it
  uint32_t devices;              // if no mesh is given; 0: those of the machine's shape
  bool untied;                   // repeated layers may differ
  bool no_greedy;                // only solutions: the partitioner chooses nothing by itself
  double limit_bytes;            // memory of a device; 0: the machine's
  const char *const *state;      // pairs of state, as --state has them (plan_state.c)
  uint32_t n_state;
  const Program *source;  // the program before it was flattened: rules of the short list are for
                          // it; NULL = the flat program
  const char *machine_of_any_shape;  // the machine's text without a shape, to find how many devices
                                     // would suffice; NULL = the same as annotations.machine
  double time_limit;                 // seconds; > 0: the plan depends on the planner's speed
  double known_seconds;              // > 0: slower plans are of no use
  uint32_t contract_ops;  // a program with as many ops is planned by a few of its layers;
                          // 0: 20,000
  uint32_t base_ops;      // ops with which the best of these plans is simulated; 0: 25,000
  const struct PlanLayers *layers;  // set by plan_program; NULL: the program is planned as it is
  double deadline;                  // set by plan_program: clock_seconds() at which it is over
  const char *tactics;  // "data:x, megatron:y, auto" (tactics/tactics.h); NULL = the search alone
} PlanRequest;

// An argument or result of the program in the plan.
typedef struct PlannedValue {
  const char *name, *type, *sharding;
  double bytes, local_bytes;
  uint32_t state;  // of an argument: 1 + the result that replaces it; 0 = none
  bool donated;    // of an argument: the program may write over it
} PlannedValue;

// A value inside the program, in the sharding in which its op makes it.
typedef struct PlannedInside {
  const char *name, *op, *sharding;  // name: "%12"; "" = it has none
  uint32_t line;                     // in the program's text or the user's; 0 = unknown
} PlannedInside;

// The fewest annotations found that give the plan (plan_short.c).
typedef struct ShortList {
  const char *const *rules;  // of --shard
  uint32_t n;
  bool computed;               // false: the program is too large for the level
  bool reproduces;             // propagation gives all arguments and results their shardings
  double seconds, peak_bytes;  // simulated with the rules alone; 0: they cannot be partitioned
} ShortList;

// The search after some work, in seconds of the problem. Not finite: none yet.
typedef struct PlanSample {
  double work, cost, bound;
} PlanSample;

// What the planner predicts for one mesh.
typedef struct PlanTrial {
  const char *mesh;                    // "x=4,y=2"
  double seconds, peak_bytes;          // simulated; 0 if it was discarded
  double cost_seconds, bound_seconds;  // of the problem: the sum of all times, without overlap
  double problem_peak_bytes;
  double overlap_bound_seconds;  // at the problem's prices no step is shorter, even if all
                                 // overlaps
  const char *links;             // along each axis of the mesh, in words; NULL: all alike
  bool discarded;                // by its bound: it was not planned
  SolveOutcome outcome;
  bool greedy;           // only arguments and results are as solved; the partitioner chose the rest
  const char *refused;   // why it cannot be used; NULL = it can
  const char *strategy;  // in words: one line per mesh axis; NULL = unknown
} PlanTrial;

// Collectives of one kind along the same axes in a plan and in another one.
typedef struct PlanChange {
  const char *kind, *axes;
  double bytes[2], seconds[2];  // sent per device; in which links are busy
} PlanChange;

// Another sharding of a value with the cost of the problem solved again.
typedef struct PlanOther {
  const char *sharding;
  double cost_seconds;  // 0: no solution was found that fits
} PlanOther;

// The plan if a value had another sharding (plan_why_not).
typedef struct PlanAnswer {
  const char *question;
  const char *value, *type;            // "argument 3 'params.w'"
  const char *planned, *other;         // shardings
  bool next_best;                      // the question names no sharding
  bool same;                           // the plan has the sharding: all below is empty
  double cost_seconds, bound_seconds;  // of the problem with the other sharding
  double seconds, peak_bytes;          // simulated
  const char *refused;                 // no plan has it: why; NULL = some have
  const PlanChange *changes;           // the largest first
  uint32_t n_changes;
  const PlanOther *others;  // if next_best: all shardings of the value, the cheapest first
  uint32_t n_others;
} PlanAnswer;

// How an old plan does on the program (plan_from).
typedef struct PlanFrom {
  const char *path;                 // of the old plan
  bool kept;                        // the plan is the old one
  bool replanned;                   // … with its arguments and results, other ops planned again
  const char *unusable;             // it is no candidate: why; NULL = it is
  double seconds, new_seconds;      // simulated: of the old plan, and of the new one; 0: none
  uint32_t n_arguments, n_results;  // that have a counterpart in the old plan
  uint32_t n_ops, all_ops;          // the same of ops, of all that can be split
} PlanFrom;

// A tactic of the request: what it annotated, and the price of the program with all annotations so
// far, partitioned and simulated.
typedef struct PlanTactic {
  const char *name;         // "data:x"
  const char *found;        // "batch: dimension 0 of tokens, size 32"
  uint32_t n_annotated;     // arguments and values
  const char *examples[3];  // "tokens [{"x"}, {}]"; NULL after the last
  double seconds, bytes, peak_bytes;
} PlanTactic;

typedef struct Plan {
  PlanTrial best;
  const PlanTactic *tactics;  // of the request, in order
  uint32_t n_tactics;
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
  const uint32_t *choice;  // one strategy per variable of the mesh's model
  uint32_t n_choice;
  const PlanFrom *from;       // set by plan_from; NULL = it began from nothing
  const PlanAnswer *answers;  // set by the caller
  uint32_t n_answers;
  bool hurried;        // a time limit was given: the plan is not reproducible
  uint32_t n_refused;  // solutions that the partitioner refused: an error of Tessera
  uint32_t n_ops, n_vars, n_tied, core_vars;
  // Repeated layers that were planned as one, and of these, that were simulated. If fewer: the
  // prediction is extrapolated. 0: the program was planned as it is.
  uint32_t n_layers, n_simulated_layers;
  double model_seconds, solve_seconds, check_seconds;  // of the planner
  const PlanSample *search;                            // of the best mesh
  uint32_t n_search;
  // From plan_describe:
  const PlannedInside *inside;
  uint32_t n_inside;
  const char *mesh;    // "x=4,y=2", also if it is the program's
  const char *limit;   // what limits the plan, in words; NULL = unknown
  const char *layout;  // --layout that reproduces the plan's arguments; NULL = there is none
  ShortList short_list;
  bool too_large;  // to be described at level 1
} Plan;

// Inlines all calls that can be inlined and erases functions that nothing names any more: a plan is
// about this form of the program. O(program with inlined calls).
void plan_flatten(Program *program, Guard *guard, Arena *arena);

// Does the text begin like a plan, and not like decisions alone?
bool plan_is(Str text);
// Prepares a program for the plan in a file's text: flattens it, and puts the plan's mesh,
// annotations and, if the request has none, machine into the request. INVALID_ARGUMENT if the text
// is no plan, or one for another program.
Status *plan_open(Program *program, Str text, Guard *guard, Arena *arena,
                  PropagateRequest *request) MUST_USE;

// Plans a verified, flat program, which is not changed. Results are in the arena. INVALID_ARGUMENT
// for contradictions and for machines without devices; RESOURCE_EXHAUSTED if no plan fits in
// memory.
Status *plan_program(const Program *program, const PlanRequest *request, Guard *guard, Arena *arena,
                     Plan *out) MUST_USE;

// Adds to a plan what people read and files hold: shardings of all values, what limits the plan,
// a layout by names, the short list of annotations. Nothing at level 1 if the program is large.
// Results are in the arena. O(compilations · program); their number has a budget.
Status *plan_describe(const Program *program, const PlanRequest *request, Guard *guard,
                      Arena *arena, Plan *plan) MUST_USE;

// Plans as plan_program does, but keeps the old plan in `text`, read from `path`, unless a new one
// is more than 1 % faster. Arguments and results are matched by path, ops by name and order, so
// that the program may have changed. INVALID_ARGUMENT if the text is no plan.
Status *plan_from(const Program *program, const PlanRequest *request, Str text, const char *path,
                  Guard *guard, Arena *arena, Plan *out) MUST_USE;
void plan_put_from(const Plan *plan, StrBuf *out);
void plan_json_from(const Plan *plan, Json *json);

// Why the plan does not give a value another sharding: plans again with it. The question is a value
// (annotate/target.h) and a sharding, `%w1: [{"y"},{}]`, or only a value: then its next-best
// sharding. INVALID_ARGUMENT for unknown values, and for shardings that no strategy has, with the
// reason. Results are in the arena.
Status *plan_why_not(const Program *program, const PlanRequest *request, const Plan *plan,
                     const char *question, Guard *guard, Arena *arena, PlanAnswer *out) MUST_USE;
void plan_put_answers(const Plan *plan, StrBuf *out);
void plan_json_answers(const Plan *plan, Json *json);

// ---- several programs, one layout ----

typedef struct ShareProgram {
  const char *path;        // of its file, for messages
  const Program *program;  // verified and flat
  double weight;           // how often it runs, in relation to the others; > 0
} ShareProgram;

typedef struct ShareRequest {
  PlanRequest request;
  const char *const *globs;  // of the arguments that have one sharding in all programs
  uint32_t n_globs;
  const ShareProgram *programs;
  uint32_t n_programs;
} ShareRequest;

// An argument that several programs have.
typedef struct SharedValue {
  const char *name, *type, *sharding;
} SharedValue;

// Plans of several programs in which shared arguments have the same shardings.
typedef struct SharedPlan {
  const char *mesh;
  Plan *plans;                              // per program
  double *own_seconds;                      // of the best plan of each program alone, on this mesh
  double total_seconds, own_total_seconds;  // weighted sums
  double joint_seconds, joint_bound_seconds;  // of the joint problem: weighted sums, no overlap
  const SharedValue *values;
  uint32_t n_values, n_programs;
  const char *refused;  // no plan fits: why; NULL = there is one
} SharedPlan;

// Finds one sharding for each argument whose path matches a glob and that two programs have at
// least, so that the weighted sum of the steps is least and every program fits. INVALID_ARGUMENT if
// a glob matches nothing, or types differ. Results are in the arena.
Status *plan_share(const ShareRequest *request, Guard *guard, Arena *arena,
                   SharedPlan *out) MUST_USE;
void plan_share_put(const SharedPlan *shared, const ShareRequest *request, const char *machine,
                    StrBuf *out);
void plan_share_json(const SharedPlan *shared, const ShareRequest *request, const char *machine,
                     StrBuf *out);

// The plan as text for people, and as JSON (docs/plan.md): both end with a newline.
void plan_put(const Plan *plan, const char *machine, StrBuf *out);
void plan_json(const Plan *plan, const char *machine, StrBuf *out);
// Is the mesh that was tried the plan's? If not: why, in a few words.
bool plan_is_winner(const Plan *plan, const PlanTrial *trial);
void plan_put_why_lost(const Plan *plan, const PlanTrial *trial, StrBuf *out);
// Mesh and PartitionSpecs by path, as Python for JAX.
void plan_jax(const Plan *plan, const char *machine, StrBuf *out);
// Writes the plan's shardings into a session's flat program, which was not compiled further than
// STAGE_VERIFY: on arguments and results, and constraints at reshards. mhlo: in GSPMD's form.
Status *plan_write(Session *session, const PlanRequest *request, const Plan *plan,
                   bool mhlo) MUST_USE;

#endif
