// Random small problems and their optimum by brute force, for the tests of src/plan.
#ifndef TESSERA_SOLVE_PROBLEM_FIXTURE_H
#define TESSERA_SOLVE_PROBLEM_FIXTURE_H

#include "solve/problem.h"
#include "solve/random.h"

// 1 to 7 variables with 1 to 4 strategies. Structured matrices (additive, functional, forbidden)
// are frequent, so that every reduction applies somewhere. The limit often binds.
static inline void random_matrix(Problem *problem, uint32_t a, uint32_t b, uint64_t *random) {
  int64_t m[16];
  uint32_t rows = problem->vars.items[a].n, columns = problem->vars.items[b].n;
  uint32_t kind = random_below(random, 5);
  int64_t row[4], column[4];
  for (uint32_t i = 0; i < 4; i++)
    row[i] = random_below(random, 9), column[i] = random_below(random, 9);
  for (uint32_t p = 0; p < rows; p++)
    for (uint32_t q = 0; q < columns; q++) {
      int64_t *at = &m[p * columns + q];
      *at = random_below(random, 20);
      if (kind == 1) *at = row[p] + column[q];
      if (kind == 2 && q != (uint32_t)row[p] % columns) *at = PLAN_FORBIDDEN;
      if (kind == 3 && p != (uint32_t)column[q] % rows) *at = PLAN_FORBIDDEN + 5;
      if (kind == 4 && random_below(random, 3) == 0) *at = PLAN_FORBIDDEN;
    }
  problem_add_edge(problem, a, b, m);
}

static inline void random_problem(Problem *problem, uint64_t *random) {
  uint32_t n = 1 + random_below(random, 7), edges = random_below(random, 2 * n);
  for (uint32_t v = 0; v < n; v++) {
    int64_t costs[4], bytes[4];
    for (uint32_t p = 0; p < 4; p++) {
      costs[p] = random_below(random, 12) ? random_below(random, 30) : PLAN_FORBIDDEN;
      bytes[p] = random_below(random, 10);
    }
    int64_t begin = random_below(random, 6);
    problem_add_var(problem, 1 + random_below(random, 4), costs, bytes, begin,
                    begin + random_below(random, 5));
  }
  for (uint32_t e = 0; e < edges && n > 1; e++) {
    uint32_t a = random_below(random, n), b = random_below(random, n - 1);
    random_matrix(problem, a, b + (b >= a), random);
  }
  problem->limit_bytes = random_below(random, 6 * n) + 2;
}

// The least cost of a plan that fits; -1 if there is none. Every combination is evaluated.
static inline Wide brute_force(const Problem *problem) {
  uint32_t choice[8] = {0};
  Wide best = -1;
  for (;;) {
    PlanValue value = problem_evaluate(problem, choice);
    if (plan_feasible(problem, &value) && (best < 0 || value.cost < best)) best = value.cost;
    uint32_t v = 0;
    while (v < problem->vars.count && ++choice[v] == problem->vars.items[v].n) choice[v++] = 0;
    if (v == problem->vars.count) return best;
  }
}

#endif
