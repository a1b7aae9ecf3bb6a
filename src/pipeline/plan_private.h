// Inside of the plan stage. Only pipeline/plan*.c include this.
#ifndef TESSERA_PIPELINE_PLAN_PRIVATE_H
#define TESSERA_PIPELINE_PLAN_PRIVATE_H

#include "annotate/target.h"
#include "base/json_read.h"
#include "pipeline/plan.h"
#include "plan/contract.h"
#include "plan/decisions.h"
#include "plan/model.h"
#include "tactics/tactics.h"

// Why nothing fits in limit_bytes, and remedies, on several lines. enough: a number of devices that
// suffices; 0 = unknown. free_seconds: cost of a step without a limit; 0 = unknown. In the arena.
const char *plan_shortfall(Session *session, const Model *model, double limit_bytes,
                           uint32_t enough, double free_seconds, Arena *arena);

// A plan's program is compiled with the plan's annotations (NULL: none) instead of the request's:
// its decisions satisfy those already, and annotations change the numbers of ops.
void plan_annotations(PropagateRequest *request, const Source *rules);
enum { PLAN_VERSION = 2, PLAN_OLDEST = 1 };  // that is written; that is read

// Reads a plan's file. INVALID_ARGUMENT if the text is no plan of a known version.
Status *plan_read_json(Str text, Arena *arena, const JsonValue **out_root) MUST_USE;

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

// Has the sharding neither sub-axes ({"x":(1)2}) nor strides ([4{} 2{"x"}]), so that a
// PartitionSpec expresses it?
bool plan_is_named(const char *sharding);
// `[{"x", "y"}, {}, {"z"}, {}]` as `P(("x", "y"), None, "z")`: of any rank. A sharding that no
// PartitionSpec expresses stays as it is.
const char *plan_spec(const char *sharding, Arena *arena);

// ---- plan_layers.c ----

// Programs with fewer layers that stand for a program.
typedef struct PlanLayers {
  const Program *base_program;  // of the base: contracted, or the whole program
  OpId base_entry;
  Contraction base;              // program NULL: the base is the whole program
  Contraction model, few, more;  // of the base
  PlanTarget whole, of_base, of_few, of_more;
  uint32_t n_layers;                                 // of the whole program
  uint32_t base_dropped, few_dropped, more_dropped;  // of these
  const uint32_t *state, *model_state;  // plan_pair_state of the whole program and of the model's
} PlanLayers;

// Contracts a program with many layers. *out_contracted: false if it is planned as it is. Tables
// are in the arena; the caller calls plan_release_layers in any case. O(program).
Status *plan_contract(const Program *program, const PlanRequest *request, Guard *guard,
                      Arena *arena, PlanLayers *out, bool *out_contracted) MUST_USE;
void plan_release_layers(void *layers);  // for a GuardCleanup
// The prediction for the whole program, from one for few layers and one for more.
void plan_extrapolate(const PlanLayers *layers, const Prediction *few, const Prediction *more,
                      Arena *arena, Simulated *out);
// Refines *out by a simulation of the base.
void plan_refine(const PlanLayers *layers, const Simulated *more, const Simulated *base,
                 Simulated *out);

// ---- plan_trial.c ----

// Sees the model of a trial before it is solved: reads it, or forbids strategies (plan_forbid).
typedef struct PlanHook {
  // *out_stop: the trial ends here, without a plan.
  Status *(*built)(void *user, Session *session, Model *model, double limit_bytes, bool *out_stop);
  void *user;
  bool climbs;  // local search follows, as without a hook
  bool exact;   // only solutions are candidates: not what the partitioner makes of their borders
  const uint32_t
      *start;  // a solution of the model to start from, which `built` can set; NULL: none
} PlanHook;

// Plans for one mesh (NULL: the program's). A trial that cannot be used has `refused`. explain: if
// nothing fits. hook: NULL = none. Progress goes to `outer` (NULL: nowhere).
Status *plan_try_mesh(const Program *program, const PlanRequest *request, const char *mesh,
                      bool explain, const PlanHook *hook, const Guard *outer, Arena *arena,
                      Plan *out) MUST_USE;
// No solution has this strategy, in any round.
void plan_forbid(Model *model, uint32_t var, uint32_t strategy);
bool plan_has_mesh(const Program *program);
// Is the time limit of the request over?
bool plan_is_late(const PlanRequest *request);
// Of two predictions the one that fits is better, then the faster one.
bool plan_is_better(const PlanTrial *a, const PlanTrial *b, double usable);

// ---- plan_restrict.c ----

// The variable that determines a value's sharding, and the sharding per strategy of it.
typedef struct PlanPort {
  uint32_t var;
  ListId list;
  Type type;
} PlanPort;

// False if no variable determines it (constants, ops that run on replicated operands only); then
// *out_why says why. O(variables).
bool plan_port(const Model *model, const Target *target, Arena *arena, PlanPort *out,
               const char **out_why);
// Does a sharding have the axes of another: exactly in closed dimensions, at least in open ones?
bool plan_sharding_fits(const ShardingTable *table, Sharding wanted, Sharding has);
// Forbids all other shardings of a value. Returns the number of strategies that are left; if it is
// 0, none is forbidden. O(strategies).
uint32_t plan_keep(Model *model, PlanPort port, Sharding wanted);
// An argument and the result that replaces it have one variable: what is required of the result is
// required of the argument. Pairs with different requirements are separated. O(arguments).
void plan_fix_state(Session *session, OpId entry, Sharding *fixed, const Sharding *fixed_results,
                    uint32_t *state);
// INVALID_ARGUMENT, at its op, if no strategy of an op has the sharding that its result is
// annotated with. O(strategies).
Status *plan_check_fixed(Session *session, const Model *model) MUST_USE;
// Reads a sharding for a target, such as [{"x"}, {}] or P("x"). INVALID_ARGUMENT with the column.
Status *plan_read_sharding(Session *session, Str text, const Target *target, Arena *arena,
                           Sharding *out) MUST_USE;
// [{"x"}, {}]. In the arena.
const char *plan_sharding_text(Session *session, Sharding sharding, uint32_t rank, Arena *arena);

// ---- plan_meshes.c ----

// A mesh to plan for, with lower bounds.
typedef struct PlanMesh {
  const char *text;        // "x=4,y=2"; NULL: the program's
  const char *links;       // along each axis, in words; NULL: all are alike, or unknown
  double bound_seconds;    // without overlap; 0: unknown
  double overlap_seconds;  // with overlap
  bool infeasible;         // nothing fits: proven
  uint32_t streams;        // of which each collective uses one at least; 0: unknown
} PlanMesh;
typedef VEC(PlanMesh) PlanMeshVec;

// All shapes of n devices. The last axis joins neighbours. O(divisors^axes).
void plan_list_meshes(uint32_t n, uint32_t level, Arena *arena, PlanMeshVec *out);
// Sets the bounds of a mesh from its model; the model's scale is 1 afterwards. quick: only the one
// of compute.
Status *plan_bound_mesh(Session *session, Model *model, double limit_bytes, bool quick,
                        Arena *arena, PlanMesh *out) MUST_USE;
// Takes a bound without overlap into account, of a solution with a larger budget.
void plan_bound_serial(PlanMesh *mesh, double bound_seconds);
// The most promising first.
void plan_sort_meshes(PlanMeshVec *meshes);

// ---- plan_tactics.c ----

// The view of a session's program for tactics, after STAGE_ANNOTATE; in the session's arena.
// tactics_candidates(*out) then lists standard plans as --shard rules, which a trial may partition
// and simulate beside its own. INVALID_ARGUMENT if there are several meshes.
Status *plan_view_tactics(Session *session, const PlanRequest *request, Tactics **out) MUST_USE;
// The plan that the request's tactics make, for the request's mesh.
Status *plan_tactics(const Program *program, const PlanRequest *request, Guard *guard, Arena *arena,
                     Plan *out) MUST_USE;
// The rows of tactics as text and as JSON; nothing if there are none.
void plan_put_tactics(const Plan *plan, StrBuf *out);
void plan_json_tactics(const Plan *plan, Json *json);

#endif
