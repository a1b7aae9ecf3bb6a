// Solves a problem: reduces it, raises a lower bound, finds plans, improves the best one.
#ifndef TESSERA_SOLVE_SOLVE_H
#define TESSERA_SOLVE_SOLVE_H

#include "solve/problem.h"
#include "solve/reduce.h"

typedef struct SolveOptions {
  uint32_t level;       // 1: about a second; 2: seconds to a minute
  double seconds;       // if > 0, runs about that long whatever the level: the plan depends on the
                        // machine's speed
  uint64_t work_scale;  // multiplies the level's budget; 0 is 1
  bool quick;           // the small budget of solve_fixed, whatever the level
  double gap;           // relative distance of cost and bound at which it stops; 0: optimal
  uint32_t threads;     // 0 and 1: the calling thread only. The plan does not depend on it
  const uint32_t *start;  // a plan to start from, one strategy per variable; NULL: none. It need
                          // not fit. The result costs no more than it if it does
} SolveOptions;

typedef enum SolveOutcome {
  SOLVE_OPTIMAL,  // the plan's cost equals the bound
  SOLVE_FEASIBLE,
  SOLVE_NOT_FOUND,   // no plan was found; one may exist
  SOLVE_INFEASIBLE,  // no plan exists: proven
} SolveOutcome;

enum { SOLVE_MOST_SAMPLES = 64 };

// The state of the search after some work, for charts.
typedef struct SolveSample {
  uint64_t work;
  int64_t cost;   // of the best plan; INT64_MAX: none yet
  int64_t bound;  // INT64_MIN: none yet
} SolveSample;

typedef struct SolveResult {
  SolveOutcome outcome;
  Wide cost, peak_bytes;  // of the plan
  int64_t bound;          // no plan that fits costs less; exact arithmetic
  ReduceCounts reduced;
  uint32_t core_vars, core_edges, core_points;
  uint32_t price_steps;
  uint64_t work;                            // matrix entries and points read: about nanoseconds
  SolveSample samples[SOLVE_MOST_SAMPLES];  // work grows, cost falls, bound rises
  uint32_t n_samples;
  // If the outcome is SOLVE_INFEASIBLE: every plan without forbidden entries needs at least these
  // bytes at its peak, and this time is where they are needed. 0 bytes: no plan avoids forbidden
  // entries, whatever the limit.
  int64_t least_bytes, infeasible_time;
} SolveResult;

// Writes one strategy per variable to out_choice if the outcome has a plan. Reports progress to the
// guard. The same problem and options without `seconds` give the same plan on every machine and
// for every number of threads.
Status *solve_problem(const Problem *problem, const SolveOptions *options, Guard *guard,
                      uint32_t *out_choice, SolveResult *out) MUST_USE;

// The same with one variable fixed, for questions after a plan was found: a small budget (some
// hundredths of a second beyond the reductions), so options->start should be that plan.
Status *solve_fixed(const Problem *problem, const SolveOptions *options, uint32_t var,
                    uint32_t strategy, Guard *guard, uint32_t *out_choice,
                    SolveResult *out) MUST_USE;

// A lower bound of the cost of all plans that fit, with the small budget of solve_fixed. INT64_MIN:
// none. *out_infeasible: no plan exists, proven.
Status *solve_bound(const Problem *problem, Guard *guard, int64_t *out_bound,
                    bool *out_infeasible) MUST_USE;

#endif
