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
} SolveOptions;

typedef enum SolveOutcome {
  SOLVE_OPTIMAL,  // the plan's cost equals the bound
  SOLVE_FEASIBLE,
  SOLVE_NOT_FOUND,   // no plan was found; one may exist
  SOLVE_INFEASIBLE,  // no plan exists: proven
} SolveOutcome;

typedef struct SolveResult {
  SolveOutcome outcome;
  Wide cost, peak_bytes;  // of the plan
  int64_t bound;          // no plan that fits costs less; exact arithmetic
  ReduceCounts reduced;
  uint32_t core_vars, core_edges, core_points;
  uint32_t price_steps;
  uint64_t work;  // matrix entries and points read
} SolveResult;

// Writes one strategy per variable to out_choice if the outcome has a plan. Reports progress to the
// guard. The same problem and options without `seconds` give the same plan on every machine.
Status *solve_problem(const Problem *problem, const SolveOptions *options, Guard *guard,
                      uint32_t *out_choice, SolveResult *out) MUST_USE;

#endif
