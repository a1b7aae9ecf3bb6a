// Shrinks a problem without losing its optimum: the reduced problem has the same least cost, and
// each of its plans expands to a plan of the problem with the same cost and memory.
#ifndef TESSERA_SOLVE_REDUCE_H
#define TESSERA_SOLVE_REDUCE_H

#include "solve/core.h"
#include "solve/problem.h"

typedef struct Reduction Reduction;

// What was removed, for messages.
typedef struct ReduceCounts {
  uint32_t contracted;  // variables that are a function of another one
  uint32_t additive;    // edges that are a sum of two unary costs
  uint32_t parallel;    // edges merged with another one of the same pair
  uint32_t impossible;  // strategies that no plan can take
  uint32_t dominated;   // strategies that another one beats everywhere
} ReduceCounts;

typedef struct ReduceOptions {
  bool no_dominance;  // leaves rules out
  bool no_contraction;
  bool no_memory;  // every point stays, no strategy goes because of memory
  bool any_limit;  // the result holds for every limit: only points that others dominate go
  bool fix;        // `fixed_var` takes `fixed_strategy`
  uint32_t fixed_var, fixed_strategy;
} ReduceOptions;

// Reduces to a fixpoint. Everything is in the arena. *out_infeasible: no plan exists; then there is
// no core. O(edges * strategies^2) per round, few rounds; near linear in the text in practice.
void reduce_problem(const Problem *problem, const ReduceOptions *options, Arena *arena,
                    Reduction **out, bool *out_infeasible);

const Core *reduction_core(const Reduction *reduction);
ReduceCounts reduction_counts(const Reduction *reduction);
// The strategy of every variable of the problem. O(variables).
void reduction_expand(const Reduction *reduction, const uint32_t *core_choice,
                      uint32_t *out_choice);
// The core's strategies of a plan of the problem; strategies that are gone are replaced by the
// cheapest. O(core).
void reduction_project(const Reduction *reduction, const uint32_t *choice,
                       uint32_t *out_core_choice);

#endif
