// Inside of the plan stage: the search on one mesh. Only pipeline/plan*.c and bench/near_optimum.c
// include this.
//
//   Trial t;
//   trial_init(&t, program, request, mesh, arena, &plan);
//   guard_run(body, &t);      // trial_extract, then trial_solve, trial_write, trial_simulate
//   trial_release(&t);
#ifndef TESSERA_PIPELINE_PLAN_TRIAL_H
#define TESSERA_PIPELINE_PLAN_TRIAL_H

#include "pipeline/plan_private.h"
#include "reshard/memo.h"

typedef struct Trial {
  Guard *guard;        // of the guard_run at hand
  const Guard *outer;  // hears about progress; NULL = nobody
  const PlanHook *hook;
  const Program *program;
  const PlanRequest *request;
  PropagateRequest annotations;
  const char *mesh;
  const char *any_shape;  // the machine's text without its shape; NULL = the default
  double limit_bytes;     // of this round
  Pricing pricing;        // the same
  bool repriced;          // there is a simulation that it is from
  double peak_bytes;      // of the last solution's simulation
  Arena *arena;           // of the results
  Plan *plan;             // the best candidate so far; best.seconds is 0 before the first
  Session model_session;
  Model model;
  bool has_model;
  bool explain;       // if nothing fits
  bool exact;         // rules annotate values inside: what the partitioner makes of the solution's
                      // arguments and results would not obey them
  bool probe;         // only whether the problem has a solution
  ReshardMemo *memo;  // of the candidates
  StrBuf text;
  uint32_t *choice;
  uint32_t *best_choice;       // of the best solution so far; NULL: none
  Pricing best_pricing;        // from its simulation
  bool thrifty_lost;           // thrifty passes were tried and did not win
  bool thrifty, best_thrifty;  // the solution that is tried, and the best one, with thrifty passes
  Simulated best, best_more;   // numbers of the best one: predicted, and with more layers
  const char *rules;           // the solution's shardings of arguments and results
  SolveResult solved;
  double least_gain;   // by which fraction of the best step a candidate must be faster to win
  VEC(uint64_t) seen;  // hashes of the choices that were simulated (flips_hash)
} Trial;

// Compiles and simulates a choice, and makes it t->best_choice if it is the best so far; returns
// whether it is. A choice that was tried before, or that costs much more than the best one at the
// best one's prices, is not simulated.
typedef bool (*TryChoice)(Trial *t, const uint32_t *choice);

void trial_init(Trial *t, const Program *program, const PlanRequest *request, const char *mesh,
                Arena *arena, Plan *plan);
void trial_release(Trial *t);

// Builds the model of a clone of the program.
Status *trial_extract(Trial *t, Guard *guard) MUST_USE;
// The choice as decisions, in t->arena.
const char *trial_decisions(Trial *t, const uint32_t *choice);

// A way to obey a choice: its decisions, or rules for --shard, from which the partitioner decides
// the rest.
typedef struct Candidate {
  Trial *t;
  const char *decisions;  // NULL: the partitioner's own
  const char *rules;      // then: the annotations,
  bool saves;             // and once it has won, its decisions are saved
  // Results.
  Simulated simulated;  // only its numbers
  char why[256];        // it was refused
  Session session;
  Session more;                // if few layers stand for all: of more layers,
  const char *decisions_more;  // for them,
  Simulated simulated_more;    // and their numbers
  StrBuf saved;
} Candidate;

// Compiles and simulates a candidate, under a guard of its own. False: it was refused. Call
// candidate_release in any case.
bool candidate_run(Candidate *candidate);
void candidate_release(void *candidate);  // for a GuardCleanup

#endif
