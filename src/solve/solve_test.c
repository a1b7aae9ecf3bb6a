// The solver against brute force on random small problems, most of which memory binds; each
// reduction alone keeps the optimum; bounds are never above it.
#include "solve/solve.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/sanitize.h"
#include "solve/core_fixture.h"
#include "solve/eliminate.h"
#include "solve/problem_fixture.h"

enum { CASES = SANITIZED ? 600 : 3000 };

static uint64_t first_seed(void) {
  const char *text = getenv("TESSERA_SEED");
  return 1000003 * (uint64_t)(text ? atoi(text) + 1 : 1);
}

// ---- the solver ----

static void check_solve(const Problem *problem, Guard *guard, uint64_t seed) {
  uint32_t choice[8];
  SolveResult r;
  SolveOptions options = {.level = 1, .work_scale = 1};
  assert_null(solve_problem(problem, &options, guard, choice, &r));
  Wide best = brute_force(problem);
  if (best < 0) {
    if (r.outcome != SOLVE_INFEASIBLE && r.outcome != SOLVE_NOT_FOUND)
      fail_msg("seed %llu: a plan where none exists", (unsigned long long)seed);
    return;
  }
  if (r.outcome == SOLVE_INFEASIBLE || r.outcome == SOLVE_NOT_FOUND)
    fail_msg("seed %llu: no plan found", (unsigned long long)seed);
  PlanValue value = problem_evaluate(problem, choice);
  assert_true(plan_feasible(problem, &value));
  assert_true(value.cost == r.cost && value.peak_bytes == r.peak_bytes);
  if (r.bound > best) fail_msg("seed %llu: the bound is too high", (unsigned long long)seed);
  if (r.cost != best) fail_msg("seed %llu: not the optimum", (unsigned long long)seed);
  if (r.outcome == SOLVE_OPTIMAL) assert_true(r.bound == best);
}

// The bound alone never exceeds the optimum, and exists unless no plan does.
static void check_bound(const Problem *problem, Guard *guard, uint64_t seed) {
  int64_t bound;
  bool infeasible;
  assert_null(solve_bound(problem, guard, &bound, &infeasible));
  Wide best = brute_force(problem);
  if (best < 0) return;
  if (infeasible) fail_msg("seed %llu: infeasible, with a plan", (unsigned long long)seed);
  if (bound > best) fail_msg("seed %llu: the bound is too high", (unsigned long long)seed);
  assert_true(bound > INT64_MIN);
}

static Status *solve_random(Guard *guard, void *arg) {
  uint64_t seed = *(uint64_t *)arg, random = seed * 2654435761u + 88172645463325252u;
  Problem problem;
  problem_init(&problem, guard);
  random_problem(&problem, &random);
  assert_null(problem_check(&problem));
  check_solve(&problem, guard, seed);
  check_bound(&problem, guard, seed);
  problem_deinit(&problem);
  return NULL;
}

// Without a binding limit the answer is exact.
static Status *solve_unlimited(Guard *guard, void *arg) {
  uint64_t seed = *(uint64_t *)arg, random = seed * 2654435761u + 88172645463325252u;
  Problem problem;
  uint32_t choice[8];
  SolveResult r;
  SolveOptions options = {.level = 1};
  problem_init(&problem, guard);
  random_problem(&problem, &random);
  problem.limit_bytes = 1000;
  assert_null(solve_problem(&problem, &options, guard, choice, &r));
  Wide best = brute_force(&problem);
  assert_int_equal(r.outcome, best < 0 ? SOLVE_INFEASIBLE : SOLVE_OPTIMAL);
  if (best >= 0) assert_true(r.cost == best && r.bound == best);
  problem_deinit(&problem);
  return NULL;
}

static void test_unlimited(void **state) {
  (void)state;
  uint64_t seed = first_seed();
  for (uint32_t i = 0; i < CASES; i++, seed++) assert_null(guard_run(solve_unlimited, &seed));
}

static void test_brute_force(void **state) {
  (void)state;
  uint64_t seed = first_seed();
  for (uint32_t i = 0; i < CASES / 10; i++, seed++) assert_null(guard_run(solve_random, &seed));
}

// ---- reductions ----

// Every plan of the core expands to a plan of the problem with the same cost that fits, too.
static Wide core_brute_force(const Problem *problem, const Reduction *reduction) {
  const Core *core = reduction_core(reduction);
  uint32_t x[8] = {0}, choice[8];
  Wide best = -1;
  for (;;) {
    Wide cost = core_cost(core, x);
    reduction_expand(reduction, x, choice);
    PlanValue value = problem_evaluate(problem, choice);
    assert_true((cost >= 0) == plan_feasible(problem, &value));
    if (cost >= 0) assert_true(cost == value.cost);
    if (cost >= 0 && (best < 0 || cost < best)) best = cost;
    uint32_t v = 0;
    while (v < core->n_vars && ++x[v] == core->n[v]) x[v++] = 0;
    if (v == core->n_vars) return best;
  }
}

static void check_reduction(const Problem *problem, const ReduceOptions *options, Guard *guard) {
  Arena arena;
  arena_init(&arena, guard);
  Reduction *reduction;
  bool infeasible;
  reduce_problem(problem, options, &arena, &reduction, &infeasible);
  Wide best = brute_force(problem);
  if (infeasible)
    assert_true(best < 0);
  else
    assert_true(core_brute_force(problem, reduction) == best);
  arena_deinit(&arena);
}

static Status *reduce_random(Guard *guard, void *arg) {
  static const ReduceOptions options[] = {
      {0},
      {.no_dominance = true},
      {.no_contraction = true},
      {.no_memory = true},
      {.no_dominance = true, .no_memory = true},
      {.no_contraction = true, .no_memory = true},
  };
  uint64_t random = *(uint64_t *)arg * 2654435761u + 88172645463325252u;
  Problem problem;
  problem_init(&problem, guard);
  random_problem(&problem, &random);
  for (size_t i = 0; i < sizeof options / sizeof *options; i++)
    check_reduction(&problem, &options[i], guard);
  problem_deinit(&problem);
  return NULL;
}

static void test_reductions(void **state) {
  (void)state;
  uint64_t seed = first_seed();
  for (uint32_t i = 0; i < CASES; i++, seed++) assert_null(guard_run(reduce_random, &seed));
}

// ---- elimination ----

// The least cost of the plans that have a state.
static double least_with(const Core *core, uint32_t var, uint32_t strategy) {
  uint32_t x[8] = {0};
  double best = INFINITY;
  for (;;) {
    Wide cost = core_cost(core, x);
    if (cost >= 0 && x[var] == strategy && (double)cost < best) best = (double)cost;
    uint32_t v = 0;
    while (v < core->n_vars && ++x[v] == core->n[v]) x[v++] = 0;
    if (v == core->n_vars) return best;
  }
}

static void check_elimination(const Core *core, Wide best, Arena *arena) {
  uint32_t x[8] = {0};
  double unary[32], least[32];
  Elimination *e = elimination_new(core, 1 << 20, arena);
  assert_non_null(e);
  for (uint32_t s = 0; s < core->n_states; s++) unary[s] = (double)core->cost[s];
  double cost = elimination_run(e, unary, x);
  if (best < 0) {
    assert_true(cost >= CORE_BROKEN);
    return;
  }
  assert_true((Wide)cost + core->constant == best && core_cost(core, x) == best);
  elimination_marginals(e, unary, least);
  for (uint32_t v = 0; v < core->n_vars; v++)
    for (uint32_t p = 0; p < core->n[v]; p++) {
      double expected = least_with(core, v, p), found = least[core->first[v] + p];
      if (expected < INFINITY)
        assert_true(found + (double)core->constant == expected);
      else
        assert_true(found >= CORE_BROKEN);
    }
}

// On cores that few reductions shrank, so that cycles remain.
static Status *eliminate_random(Guard *guard, void *arg) {
  static const ReduceOptions options = {.no_dominance = true, .no_contraction = true};
  uint64_t random = *(uint64_t *)arg * 2654435761u + 88172645463325252u;
  Problem problem;
  Arena arena;
  Reduction *reduction;
  bool infeasible;
  problem_init(&problem, guard);
  arena_init(&arena, guard);
  random_problem(&problem, &random);
  problem.limit_bytes = 1000;
  reduce_problem(&problem, &options, &arena, &reduction, &infeasible);
  if (!infeasible) {
    Wide best = core_brute_force(&problem, reduction);
    check_elimination(reduction_core(reduction), best, &arena);
  }
  arena_deinit(&arena);
  problem_deinit(&problem);
  return NULL;
}

static void test_elimination(void **state) {
  (void)state;
  uint64_t seed = first_seed();
  for (uint32_t i = 0; i < CASES; i++, seed++) assert_null(guard_run(eliminate_random, &seed));
}

// ---- larger problems ----

// A grid of variables with a limit that binds: too large for brute force, so the plan is held
// against its own bound and against a second run.
static Status *solve_grid(Guard *guard, void *arg) {
  enum { SIDE = 8, N = SIDE * SIDE, STRATEGIES = 4 };
  uint64_t random = *(uint64_t *)arg * 2654435761u + 88172645463325252u;
  Problem problem;
  uint32_t choice[N], again[N];
  int64_t costs[STRATEGIES], bytes[STRATEGIES], m[STRATEGIES * STRATEGIES];
  problem_init(&problem, guard);
  for (uint32_t v = 0; v < N; v++) {
    for (uint32_t p = 0; p < STRATEGIES; p++)
      costs[p] = random_below(&random, 100), bytes[p] = random_below(&random, 100);
    problem_add_var(&problem, STRATEGIES, costs, bytes, v, v + 6);
  }
  for (uint32_t v = 0; v < N; v++)
    for (uint32_t down = 0; down < 2; down++) {
      uint32_t other = down ? v + SIDE : v + 1;
      if (other >= N || (!down && other % SIDE == 0)) continue;
      for (uint32_t i = 0; i < STRATEGIES * STRATEGIES; i++)
        m[i] = random_below(&random, 12) ? random_below(&random, 60) : PLAN_FORBIDDEN;
      problem_add_edge(&problem, v, other, m);
    }
  problem.limit_bytes = 300;
  SolveResult r, s;
  SolveOptions options = {.level = 1};
  assert_null(solve_problem(&problem, &options, guard, choice, &r));
  assert_null(solve_problem(&problem, &options, guard, again, &s));
  assert_true(r.outcome == SOLVE_FEASIBLE || r.outcome == SOLVE_OPTIMAL);
  PlanValue value = problem_evaluate(&problem, choice);
  assert_true(plan_feasible(&problem, &value) && value.cost == r.cost);
  assert_true(r.bound <= r.cost && r.bound > r.cost / 2);
  assert_memory_equal(choice, again, sizeof choice);
  assert_true(r.work == s.work);
  problem_deinit(&problem);
  return NULL;
}

static void test_grid(void **state) {
  (void)state;
  uint64_t seed = first_seed();
  for (uint32_t i = 0; i < (SANITIZED ? 1 : 2); i++, seed++)
    assert_null(guard_run(solve_grid, &seed));
}

// ---- special problems ----

// A chain whose cheapest plan does not fit: the bound counts memory.
static Status *solve_chain(Guard *guard, void *arg) {
  (void)arg;
  Problem problem;
  uint32_t choice[4];
  SolveResult r;
  problem_init(&problem, guard);
  for (uint32_t v = 0; v < 4; v++)
    problem_add_var(&problem, 2, (int64_t[]){0, 10}, (int64_t[]){8, 4}, v, v + 2);
  for (uint32_t v = 0; v < 3; v++) problem_add_edge(&problem, v, v + 1, (int64_t[]){0, 3, 3, 0});
  problem.limit_bytes = 12;
  SolveOptions options = {.level = 1};
  assert_null(solve_problem(&problem, &options, guard, choice, &r));
  assert_true(r.cost == brute_force(&problem));
  assert_true(r.bound > 0 && r.bound <= r.cost);
  problem_deinit(&problem);
  return NULL;
}

static Status *solve_impossible(Guard *guard, void *arg) {
  (void)arg;
  Problem problem;
  uint32_t choice[2];
  SolveResult r;
  problem_init(&problem, guard);
  problem_add_var(&problem, 1, (int64_t[]){0}, (int64_t[]){8}, 0, 2);
  problem_add_var(&problem, 2, (int64_t[]){0, 0}, (int64_t[]){5, 6}, 1, 2);
  problem.limit_bytes = 12;
  SolveOptions options = {.level = 1};
  assert_null(solve_problem(&problem, &options, guard, choice, &r));
  assert_int_equal(r.outcome, SOLVE_INFEASIBLE);
  problem.limit_bytes = 13;
  assert_null(solve_problem(&problem, &options, guard, choice, &r));
  assert_int_equal(r.outcome, SOLVE_OPTIMAL);
  assert_int_equal(choice[1], 0);
  problem_deinit(&problem);
  return NULL;
}

// Sums beyond 64 bits are refused where the solver would need them, and right where it does not.
static Status *solve_large(Guard *guard, void *arg) {
  (void)arg;
  Problem problem;
  problem_init(&problem, guard);
  int64_t large = PLAN_FORBIDDEN - 1;
  for (uint32_t v = 0; v < 6; v++) problem_add_var(&problem, 1, &large, &large, 0, 1);
  problem.limit_bytes = INT64_MAX;
  PlanValue value = problem_evaluate(&problem, (uint32_t[6]){0});
  assert_true(value.cost == (Wide)6 * large && value.peak_bytes == (Wide)6 * large);
  Status *status = problem_check(&problem);
  assert_string_equal(status_message(status), "the costs may add up to more than 2^62; scale them");
  status_free(status);
  problem_deinit(&problem);
  return NULL;
}

static void test_special(void **state) {
  (void)state;
  assert_null(guard_run(solve_chain, NULL));
  assert_null(guard_run(solve_impossible, NULL));
  assert_null(guard_run(solve_large, NULL));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_special),     cmocka_unit_test(test_reductions),
      cmocka_unit_test(test_elimination), cmocka_unit_test(test_unlimited),
      cmocka_unit_test(test_grid),        cmocka_unit_test(test_brute_force),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
