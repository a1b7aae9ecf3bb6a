// The planner's problem, without any notion of programs (decision D9): choose one strategy per
// variable so that the sum of costs is least and memory never exceeds the limit.
//
//   cost  = sum of vars' strategy costs + sum of edges' matrix entries      (one is forbidden: no
//   plan) bytes at time t = sum of the chosen strategies' bytes of vars with begin <= t < end
#ifndef TESSERA_SOLVE_PROBLEM_H
#define TESSERA_SOLVE_PROBLEM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/idmap.h"
#include "base/vec.h"

__extension__ typedef __int128 Wide;

// A cost from here on means: not allowed. The IOPDDL contest's value.
#define PLAN_FORBIDDEN INT64_C(1000000000000000000)

typedef struct PlanVar {
  uint32_t first;      // its first strategy in `costs` and `bytes`
  uint32_t n;          // number of strategies, > 0
  int64_t begin, end;  // half-open live interval of its bytes; empty if begin >= end
} PlanVar;

typedef struct PlanMatrix {
  uint64_t first;  // in `entries`, row by row
  uint32_t n;      // number of entries: strategies of a times strategies of b
} PlanMatrix;

typedef struct PlanEdge {
  uint32_t a, b;    // different variables; rows are a's strategies
  uint32_t matrix;  // equal matrices are stored once
} PlanEdge;

typedef struct Problem {
  Guard *guard;  // out-of-memory is thrown there
  HEAPVEC(PlanVar) vars;
  HEAPVEC(int64_t) costs;  // >= 0
  HEAPVEC(int64_t) bytes;  // >= 0
  HEAPVEC(PlanMatrix) matrices;
  HEAPVEC(int64_t) entries;  // >= 0
  HEAPVEC(PlanEdge) edges;
  int64_t limit_bytes;
  IdMap interned;
} Problem;

void problem_init(Problem *problem, Guard *guard);
void problem_deinit(Problem *problem);
void problem_release(void *problem);  // for a GuardCleanup

// The index of a matrix with these entries, which are copied if it is new. Expected O(n).
uint32_t problem_matrix(Problem *problem, const int64_t *entries, uint32_t n);
static inline const int64_t *problem_entries(const Problem *problem, uint32_t matrix) {
  return problem->entries.items + problem->matrices.items[matrix].first;
}
// For building a problem by hand: adds a variable with n strategies, and an edge with n(a) * n(b)
// entries.
uint32_t problem_add_var(Problem *problem, uint32_t n, const int64_t *costs, const int64_t *bytes,
                         int64_t begin, int64_t end);
void problem_add_edge(Problem *problem, uint32_t a, uint32_t b, const int64_t *entries);

// INVALID_ARGUMENT if edges or sizes contradict each other, or a sum could exceed 2^62.
Status *problem_check(const Problem *problem) MUST_USE;

typedef struct PlanValue {
  Wide cost;           // exact, forbidden entries included as numbers
  Wide peak_bytes;     // over all times
  uint64_t forbidden;  // number of forbidden entries chosen
} PlanValue;

// Evaluates one strategy per variable. O(variables log variables + edges); throws without memory.
PlanValue problem_evaluate(const Problem *problem, const uint32_t *choice);
static inline bool plan_feasible(const Problem *problem, const PlanValue *value) {
  return !value->forbidden && value->peak_bytes <= problem->limit_bytes;
}

#endif
