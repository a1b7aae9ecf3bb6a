// What the planner asks the solver: tied layers at full size, any number of threads, a plan to
// start from, one variable fixed, and why nothing fits.
#include "solve/solve.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/sanitize.h"
#include "base/mem.h"
#include "solve/problem_fixture.h"
#include "solve/step_fixture.h"

static uint64_t first_seed(void) {
  const char *text = getenv("TESSERA_SEED");
  return 1000003 * (uint64_t)(text ? atoi(text) + 1 : 1);
}

static bool has_plan(const SolveResult *r) {
  return r->outcome == SOLVE_OPTIMAL || r->outcome == SOLVE_FEASIBLE;
}

static void check_samples(const SolveResult *r) {
  assert_true(r->n_samples <= SOLVE_MOST_SAMPLES);
  for (uint32_t i = 1; i < r->n_samples; i++) {
    assert_true(r->samples[i].work >= r->samples[i - 1].work);
    assert_true(r->samples[i].cost <= r->samples[i - 1].cost);
    assert_true(r->samples[i].bound >= r->samples[i - 1].bound);
  }
  if (!has_plan(r)) return;
  assert_true(r->n_samples > 0 && r->samples[r->n_samples - 1].cost == r->cost);
  assert_true(r->samples[r->n_samples - 1].bound == r->bound);
}

// ---- tied layers ----

typedef struct Step {
  uint32_t layers;
  int64_t tightness;
  uint64_t seed;
} Step;

// The core does not grow with the number of layers; the plan is proven optimal although memory
// binds.
static Status *solve_step(Guard *guard, void *arg) {
  const Step *step = arg;
  Problem problem;
  problem_init(&problem, guard);
  step_problem(&problem, step->layers, step->tightness, step->seed);
  assert_null(problem_check(&problem));
  uint32_t n = problem.vars.count;
  uint32_t *choice = mem_alloc(2 * n * sizeof *choice), *again = choice + n;
  assert_non_null(choice);
  SolveResult r, s;
  SolveOptions options = {.level = 1};
  assert_null(solve_problem(&problem, &options, guard, choice, &r));
  assert_int_equal(r.outcome, SOLVE_OPTIMAL);
  assert_true(r.core_vars <= STEP_LAYER);
  PlanValue value = problem_evaluate(&problem, choice);
  assert_true(plan_feasible(&problem, &value) && value.cost == r.cost);
  check_samples(&r);
  options.start = choice;
  // The next best answer for a parameter, from the plan.
  uint32_t v = STEP_FORWARD + STEP_BACKWARD;
  uint32_t other = choice[v] ? 0 : 1;
  assert_null(solve_fixed(&problem, &options, v, other, guard, again, &s));
  if (has_plan(&s)) {
    assert_int_equal(again[v], other);
    assert_true(s.cost >= r.cost);
  }
  mem_free(choice);
  problem_deinit(&problem);
  return NULL;
}

static void test_steps(void **state) {
  (void)state;
  static const Step steps[] = {
      {4, 1000, 1}, {4, 100, 1}, {4, 30, 1}, {40, 60, 2}, {SANITIZED ? 60 : 300, 100, 1}};
  for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
    Step step = steps[i];
    assert_null(guard_run(solve_step, &step));
  }
}

// ---- threads ----

static void add_grid(Problem *problem, uint32_t side, uint64_t *random) {
  enum { STRATEGIES = 5 };
  int64_t costs[STRATEGIES], bytes[STRATEGIES], m[STRATEGIES * STRATEGIES];
  uint32_t n = side * side;
  for (uint32_t v = 0; v < n; v++) {
    for (uint32_t p = 0; p < STRATEGIES; p++)
      costs[p] = random_below(random, 100), bytes[p] = random_below(random, 100);
    problem_add_var(problem, STRATEGIES, costs, bytes, v, v + 6);
  }
  for (uint32_t v = 0; v < n; v++)
    for (uint32_t down = 0; down < 2; down++) {
      uint32_t other = down ? v + side : v + 1;
      if (other >= n || (!down && other % side == 0)) continue;
      for (uint32_t i = 0; i < STRATEGIES * STRATEGIES; i++)
        m[i] = random_below(random, 12) ? random_below(random, 60) : PLAN_FORBIDDEN;
      problem_add_edge(problem, v, other, m);
    }
  problem->limit_bytes = 300;
}

// The same plan, bound and work for 1, 2 and 4 threads.
static Status *solve_threads(Guard *guard, void *arg) {
  uint64_t random = *(uint64_t *)arg * 2654435761u + 88172645463325252u;
  enum { SIDE = SANITIZED ? 10 : 14, N = SIDE * SIDE };
  Problem problem;
  uint32_t first[N], choice[N];
  SolveResult r, s;
  problem_init(&problem, guard);
  add_grid(&problem, SIDE, &random);
  SolveOptions options = {.level = 1, .threads = 1};
  assert_null(solve_problem(&problem, &options, guard, first, &r));
  assert_true(has_plan(&r));
  check_samples(&r);
  for (options.threads = 2; options.threads <= 4; options.threads *= 2) {
    assert_null(solve_problem(&problem, &options, guard, choice, &s));
    assert_memory_equal(first, choice, sizeof first);
    assert_true(r.work == s.work && r.bound == s.bound && r.n_samples == s.n_samples);
  }
  // A plan to start from is never made worse.
  options.start = first;
  assert_null(solve_problem(&problem, &options, guard, choice, &s));
  assert_true(s.cost <= r.cost);
  problem_deinit(&problem);
  return NULL;
}

static void test_threads(void **state) {
  (void)state;
  uint64_t seed = first_seed();
  for (uint32_t i = 0; i < (SANITIZED ? 1 : 2); i++, seed++)
    assert_null(guard_run(solve_threads, &seed));
}

// ---- one variable fixed ----

static Wide fixed_brute_force(const Problem *problem, uint32_t var, uint32_t strategy) {
  uint32_t choice[8] = {0}, v;
  Wide best = -1;
  do {
    PlanValue value = problem_evaluate(problem, choice);
    if (choice[var] == strategy && plan_feasible(problem, &value) &&
        (best < 0 || value.cost < best))
      best = value.cost;
    for (v = 0; v < problem->vars.count && ++choice[v] == problem->vars.items[v].n;)
      choice[v++] = 0;
  } while (v < problem->vars.count);
  return best;
}

static void check_fixed(const Problem *problem, const uint32_t *start, Guard *guard) {
  uint32_t choice[8];
  SolveResult r;
  SolveOptions options = {.level = 1, .start = start};
  for (uint32_t v = 0; v < problem->vars.count; v++)
    for (uint32_t p = 0; p < problem->vars.items[v].n; p++) {
      Wide best = fixed_brute_force(problem, v, p);
      assert_null(solve_fixed(problem, &options, v, p, guard, choice, &r));
      assert_true(has_plan(&r) == (best >= 0));
      if (best < 0) continue;
      assert_int_equal(choice[v], p);
      assert_true(r.cost == best && r.bound <= best);
    }
  Status *status = solve_fixed(problem, &options, 0, 1000, guard, choice, &r);
  assert_string_equal(status_message(status), "variable 0 has no strategy 1000");
  status_free(status);
}

static Status *fix_random(Guard *guard, void *arg) {
  uint64_t random = *(uint64_t *)arg * 2654435761u + 88172645463325252u;
  Problem problem;
  uint32_t choice[8] = {0};
  SolveResult r;
  problem_init(&problem, guard);
  random_problem(&problem, &random);
  SolveOptions options = {.level = 1};
  assert_null(solve_problem(&problem, &options, guard, choice, &r));
  check_samples(&r);
  check_fixed(&problem, has_plan(&r) ? choice : NULL, guard);
  problem_deinit(&problem);
  return NULL;
}

static void test_fixed(void **state) {
  (void)state;
  uint64_t seed = first_seed();
  for (uint32_t i = 0; i < (SANITIZED ? 15 : 60); i++, seed++)
    assert_null(guard_run(fix_random, &seed));
}

// ---- why nothing fits ----

// The least peak of all plans without forbidden entries; -1: there is none.
static Wide least_peak(const Problem *problem) {
  uint32_t choice[8] = {0}, v;
  Wide least = -1;
  do {
    PlanValue value = problem_evaluate(problem, choice);
    if (!value.forbidden && (least < 0 || value.peak_bytes < least)) least = value.peak_bytes;
    for (v = 0; v < problem->vars.count && ++choice[v] == problem->vars.items[v].n;)
      choice[v++] = 0;
  } while (v < problem->vars.count);
  return least;
}

// The number of problems proven infeasible by memory goes to *arg.
static Status *refute_random(Guard *guard, void *arg) {
  uint64_t *seed = arg;
  uint64_t random = *seed * 2654435761u + 88172645463325252u;
  Problem problem;
  uint32_t choice[8];
  SolveResult r;
  problem_init(&problem, guard);
  random_problem(&problem, &random);
  Wide least = least_peak(&problem);
  problem.limit_bytes = least > 0 ? (int64_t)least - 1 : 5;
  SolveOptions options = {.level = 1};
  assert_null(solve_problem(&problem, &options, guard, choice, &r));
  if (least < 0) {
    assert_int_equal(r.outcome, SOLVE_INFEASIBLE);
    assert_true(r.least_bytes == 0);
  } else if (least > 0) {
    assert_false(has_plan(&r));
    if (r.outcome == SOLVE_INFEASIBLE) assert_true(r.least_bytes == least);
  }
  *seed = r.outcome == SOLVE_INFEASIBLE;
  problem_deinit(&problem);
  return NULL;
}

static void test_infeasible(void **state) {
  (void)state;
  uint64_t seed = first_seed();
  uint32_t proven = 0;
  enum { PROBLEMS = SANITIZED ? 60 : 200 };
  for (uint32_t i = 0; i < PROBLEMS; i++) {
    uint64_t arg = seed + i;
    assert_null(guard_run(refute_random, &arg));
    proven += (uint32_t)arg;
  }
  assert_true(proven > PROBLEMS * 3 / 4);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_steps),
      cmocka_unit_test(test_threads),
      cmocka_unit_test(test_fixed),
      cmocka_unit_test(test_infeasible),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
