// A program as a planning problem (solve/problem.h): variables with strategies, seconds and bytes.
//
//   argument   shardings that divide it             bytes: alive for the whole program, or until
//   its last use if donated op         axes per factor (strategies.h)       seconds: compute and
//   own communication; bytes: its results border     shardings of a loop carry, branch result,
//   barrier result     shardings of a result of @main; a state argument and its new value are one
//              variable
//   copy       a value that several ops use: the sharding in which they read it
//
// Edges are reshards: seconds from the sharding that a value is made in to the one an op needs,
// times the iterations around. Costs are in units of PLAN_UNIT seconds.
#ifndef TESSERA_PLAN_MODEL_H
#define TESSERA_PLAN_MODEL_H

#include "cost/attention.h"
#include "cost/fusion.h"
#include "cost/machine.h"
#include "cost/slack.h"
#include "plan/contract.h"
#include "plan/strategies.h"
#include "solve/problem.h"

#define PLAN_UNIT 1e-10
#define PLAN_FREE UINT32_MAX  // no sharding is required

typedef enum VarKind { VAR_ARGUMENT, VAR_OP, VAR_BORDER, VAR_RESULT, VAR_COPY } VarKind;

// A reshard or an op's own communication, in units of PLAN_UNIT. work: of the device, to store what
// would have stayed in a fusion and to take slices.
typedef struct Sent {
  int64_t transfer, latency, work;
} Sent;

typedef struct ModelVar {
  VarKind kind;
  OpId op;         // VAR_OP, and the control flow of VAR_BORDER
  ValueId value;   // of an argument, border or copy; 0 for others
  uint32_t index;  // number of the argument, result of @main or result of the control flow
  uint32_t set;    // VAR_OP: of strategies.sets; 0: it runs on replicated operands
  ListId list;     // others: the sharding per strategy
  uint32_t n;      // strategies
  uint32_t position;
  bool shares;  // VAR_BORDER: a loop invariant, whose buffer may be that of the value that enters
  bool local;   // VAR_BORDER, VAR_OP: of or in a manual computation, which has one strategy
  uint32_t n_shared;  // strategies in which it is; 0: in all
  bool new_state;     // VAR_OP, VAR_COPY: a result that replaces an argument of which the buffer is
                      // not donated
  double runs;
  int64_t begin, end;           // live interval of the bytes
  int64_t *costs, *bytes;       // per strategy
  Sent *sent;                   // communication, beside the costs: one row of n per class
  double windows[SLACK_COUNT];  // seconds of work beside which it may run, in all runs
  uint8_t part;                 // of the step: in which it runs
} ModelVar;

typedef struct ModelOptions {
  const Machine *machine;
  uint32_t n_devices;
  uint32_t level;  // 1 or 2
  // Elements per device of a factor that is split unevenly, at least; 0 = 16. Fewer would mostly be
  // padding.
  uint32_t least_uneven;
  CustomRules *call_rules;
  // Required shardings, per value and per result of @main; PLAN_FREE: any. NULL: none is required.
  const Sharding *fixed, *fixed_results;
  const uint32_t *state;  // per argument of @main: 1 + the result that replaces it; 0 = none
  bool untied;            // repeated layers may differ
  // The program stands for one with more layers, of which seconds and bytes are counted; NULL: for
  // itself.
  const Contraction *contraction;
} ModelOptions;

// What a matrix of reshards is priced with.
typedef struct MatrixPart {
  uint8_t slack, part;  // class of the value; part of the step in which it is made
  double window;        // seconds of work beside which the reshard may run, in all runs
  double runs;
} MatrixPart;

typedef struct Model {
  Program *p;
  OpId entry;  // @main
  ModelOptions options;
  Guard *guard;
  Arena arena;
  Strategies strategies;
  Network network;  // with the bandwidths that are reached
  Rates rates;
  Fusion fusion;
  Attention attention;    // arrays are NULL: attention is not fused
  Problem problem;        // variable i is vars[i]
  VEC(Sent) sent;         // per entry of a matrix of reshards
  uint32_t first_tie;     // edges from here on are ties
  VEC(MatrixPart) parts;  // per matrix of reshards; these come first
  VEC(ModelVar) vars;
  uint32_t n_arguments, n_results;
  uint32_t *argument_vars, *result_vars;
  uint32_t n_ties, n_copies, n_tied_ops;
  struct ModelBuild *build;  // scratch of model.c
} Model;

// Builds the problem of the program's entry function, whose calls should be inlined.
// INVALID_ARGUMENT with the location in diag for manual computations on another mesh. O(program +
// distinct ops · strategies + distinct pairs · strategies²). Call model_release in any case.
Status *model_build(Model *model, Program *p, ShardingTable *table, MeshId mesh,
                    const ModelOptions *options, Guard *guard, Diag *diag) MUST_USE;
void model_release(void *model);  // for a GuardCleanup

// Factors of prices. Of s seconds of communication that may run beside w seconds of work, compute
// waits for at least s - w, and for the fraction `exposed` of the rest. For activations w is the
// backlog of the part of the step in which they are made.
typedef struct Pricing {
  double compute;
  double transfer[SLACK_COUNT], latency[SLACK_COUNT], exposed[SLACK_COUNT];
  double backlog[BACKLOG_PARTS];
  double offset;  // seconds that the simulated step takes longer than the cost
} Pricing;

extern const Pricing pricing_serial;  // 1 for all: nothing overlaps

// Sets the costs of the problem, and the memory of a device. O(problem).
void model_price(Model *model, const Pricing *pricing, double limit_bytes);
// The same with nothing but a factor of all communication.
void model_scale(Model *model, double communication, double limit_bytes);
// Seconds of a choice by part, serially; exposed: what cannot overlap. O(variables + edges).
void model_parts(const Model *model, const uint32_t *choice, const Pricing *pricing, Pricing *out);
// The step of a choice at these prices, in seconds. O(variables + edges).
double model_predict(const Model *model, const uint32_t *choice, const Pricing *pricing);
// The factors with which the choice's parts are those of its simulation: what of its communication
// compute waits for, with latencies that combined collectives share. simulated: of the choice;
// compute_seconds: the same.
Pricing model_reprice(const Model *model, const uint32_t *choice, const Exposure *simulated,
                      double compute_seconds);

// The sharding of a variable that is not an op, in a strategy.
Sharding model_sharding(const Model *model, uint32_t var, uint32_t strategy);
// May the program write over an argument (tf.aliasing_output, jax.buffer_donor)?
bool model_is_donated(const Model *model, uint32_t argument);
double model_seconds(Wide cost);  // of a cost of the problem

#endif
