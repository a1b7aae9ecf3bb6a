// The problem of a program: on tiny programs the solver equals brute force over all assignments,
// and the order of the problem's costs agrees with partitioned and simulated programs. Copies are
// paid once, loops count their trips, state pairs share a variable, constraints forbid.
#include "plan/model.h"

#include <math.h>
#include <stdlib.h>

#include "plan/model_fixture.h"
#include "solve/solve.h"

#define MLP                                                                                        \
  "  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<64x64xf32>, "       \
  "tensor<64x64xf32>) -> tensor<64x64xf32>\n"                                                      \
  "  %1 = stablehlo.tanh %0 : tensor<64x64xf32>\n"                                                 \
  "  %2 = stablehlo.dot_general %1, %v, contracting_dims = [1] x [0] : (tensor<64x64xf32>, "       \
  "tensor<64x64xf32>) -> tensor<64x64xf32>\n"

// Slow links, so that communication and compute are of one size.
#define SLOW                                                                                       \
  "{\"device\": {\"flops_per_second\": 1e11, \"bytes_per_second\": 1e11, \"memory_bytes\": 1e9, "  \
  "\"op_seconds\": 1e-7}, \"links\": [{\"latency_seconds\": 1e-6, \"gap_seconds\": 0, "            \
  "\"bytes_per_second\": 1e10}]}"

static const char *const tiny[] = {
    // An MLP: Megatron, data parallel, or replicated.
    "func.func @main(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>, %v: tensor<64x64xf32>) -> "
    "tensor<64x64xf32> {\n" MLP "  return %2 : tensor<64x64xf32>\n}\n",
    // Several users of one value: a copy.
    "func.func @main(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {\n"
    "  %0 = stablehlo.tanh %x : tensor<64x64xf32>\n"
    "  %1 = stablehlo.dot_general %0, %w, contracting_dims = [1] x [0] : (tensor<64x64xf32>, "
    "tensor<64x64xf32>) -> tensor<64x64xf32>\n"
    "  %2 = stablehlo.add %0, %1 : tensor<64x64xf32>\n"
    "  return %2 : tensor<64x64xf32>\n}\n",
    // A transpose in between.
    "func.func @main(%x: tensor<64x128xf32>) -> tensor<64xf32> {\n"
    "  %z = stablehlo.constant dense<0.0> : tensor<f32>\n"
    "  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<64x128xf32>) -> tensor<128x64xf32>\n"
    "  %1 = stablehlo.exponential %0 : tensor<128x64xf32>\n"
    "  %2 = stablehlo.reduce(%1 init: %z) applies stablehlo.add across dimensions = [0] : "
    "(tensor<128x64xf32>, tensor<f32>) -> tensor<64xf32>\n"
    "  return %2 : tensor<64xf32>\n}\n",
    // A loop.
    "func.func @main(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {\n"
    "  %zero = stablehlo.constant dense<0> : tensor<i32>\n"
    "  %one = stablehlo.constant dense<1> : tensor<i32>\n"
    "  %end = stablehlo.constant dense<4> : tensor<i32>\n"
    "  %r:2 = stablehlo.while(%i = %zero, %h = %x) : tensor<i32>, tensor<64x64xf32>\n"
    "  cond {\n"
    "    %t = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
    "    stablehlo.return %t : tensor<i1>\n"
    "  } do {\n"
    "    %p = stablehlo.dot_general %h, %w, contracting_dims = [1] x [0] : (tensor<64x64xf32>, "
    "tensor<64x64xf32>) -> tensor<64x64xf32>\n"
    "    %j = stablehlo.add %i, %one : tensor<i32>\n"
    "    stablehlo.return %j, %p : tensor<i32>, tensor<64x64xf32>\n"
    "  }\n"
    "  return %r#1 : tensor<64x64xf32>\n}\n",
};
enum { N_TINY = sizeof tiny / sizeof *tiny };

// ---- brute force ----

// The next assignment of some variables, all or copies or others; false after the last.
typedef enum Which { ALL, COPIES, OTHERS } Which;

static bool is_which(const Model *m, uint32_t v, Which which) {
  return which == ALL || (m->vars.items[v].kind == VAR_COPY) == (which == COPIES);
}

static bool next(const Model *m, Which which, uint32_t *choice) {
  for (uint32_t v = 0; v < m->vars.count; v++) {
    if (!is_which(m, v, which)) continue;
    if (++choice[v] < m->vars.items[v].n) return true;
    choice[v] = 0;
  }
  return false;
}

static double count_assignments(const Model *m, Which which) {
  double n = 1;
  for (uint32_t v = 0; v < m->vars.count; v++)
    if (is_which(m, v, which)) n *= m->vars.items[v].n;
  return n;
}

// The least cost over all copies: the partitioner chooses them.
static double cost_of(const Model *m, uint32_t *choice) {
  Wide best = -1;
  do {
    PlanValue value = problem_evaluate(&m->problem, choice);
    if (best < 0 || value.cost < best) best = value.cost;
  } while (next(m, COPIES, choice));
  return model_seconds(best);
}

static void check_brute_force(Modelled *x) {
  Model *m = &x->model;
  assert_true(count_assignments(m, ALL) < 3e5);
  uint32_t *choice = ARENA_ARRAY(&x->session.arena, uint32_t, m->vars.count + 1);
  uint32_t *solved = ARENA_ARRAY(&x->session.arena, uint32_t, m->vars.count + 1);
  Wide most = 0, least = 0;
  PlanValue value = problem_evaluate(&m->problem, choice);
  most = least = value.peak_bytes;
  while (next(m, ALL, choice)) {
    value = problem_evaluate(&m->problem, choice);
    if (value.peak_bytes > most) most = value.peak_bytes;
    if (value.peak_bytes < least) least = value.peak_bytes;
  }
  assert_true(least > 0 && most > least);
  // Enough memory, then so little that it binds, then too little.
  const Wide limits[] = {most, (most + 3 * least) / 4, least, least - 1};
  for (uint32_t i = 0; i < 4; i++) {
    model_price(m, &pricing_serial, (double)limits[i]);
    Wide best = -1;
    memset(choice, 0, m->vars.count * sizeof *choice);
    do {
      value = problem_evaluate(&m->problem, choice);
      if (plan_feasible(&m->problem, &value) && (best < 0 || value.cost < best)) best = value.cost;
    } while (next(m, ALL, choice));
    SolveResult result;
    Status *status =
        solve_problem(&m->problem, &(SolveOptions){.level = 2}, x->guard, solved, &result);
    assert_null(status);
    if (best < 0) {
      assert_int_equal(result.outcome, SOLVE_INFEASIBLE);
      continue;
    }
    assert_int_equal(result.outcome, SOLVE_OPTIMAL);
    assert_true(result.cost == best && result.bound <= best);
    value = problem_evaluate(&m->problem, solved);
    assert_true(plan_feasible(&m->problem, &value) && value.cost == best);
  }
}

static void test_brute_force(void **state) {
  (void)state;
  for (uint32_t i = 0; i < N_TINY; i++) {
    Modelled x = {.text = tiny[i], .mesh = "x=2", .machine = SLOW, .check = check_brute_force};
    modelled_run(&x);
  }
}

// ---- order ----

typedef struct Sample {
  double cost, seconds;
} Sample;

enum { MOST_SAMPLES = 400 };

// Kendall's tau, of pairs that differ by more than 1 % in both.
static double tau(const Sample *s, uint32_t n) {
  double agree = 0, pairs = 0;
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t k = 0; k < i; k++) {
      double a = s[i].cost - s[k].cost, b = s[i].seconds - s[k].seconds;
      if (fabs(a) < 0.01 * s[i].cost || fabs(b) < 0.01 * s[i].seconds) continue;
      pairs++;
      agree += (a > 0) == (b > 0) ? 1 : -1;
    }
  return pairs > 0 ? agree / pairs : 1;
}

// Every assignment, or a fixed sample of them, is partitioned, optimized and simulated.
static void check_order(Modelled *x) {
  Model *m = &x->model;
  static Sample samples[MOST_SAMPLES + 1];
  uint32_t *choice = ARENA_ARRAY(&x->session.arena, uint32_t, m->vars.count + 1);
  uint32_t *solved = ARENA_ARRAY(&x->session.arena, uint32_t, m->vars.count + 1);
  double all = count_assignments(m, OTHERS),
         step = all > (double)MOST_SAMPLES ? all / (double)MOST_SAMPLES : 1, at = 0;
  SolveResult result;
  Status *status =
      solve_problem(&m->problem, &(SolveOptions){.level = 2}, x->guard, solved, &result);
  assert_null(status);
  Tried best, t;
  modelled_try(x, solved, true, &best);
  if (best.refused || !best.agrees) fail_msg("%s", best.why);
  uint32_t n = 0;
  double fastest = best.seconds, error = 0;
  for (double i = 0; n < MOST_SAMPLES; i++) {
    if (i >= at) {
      at += step;
      modelled_try(x, choice, n % 16 == 0, &t);
      if (t.refused || !t.agrees) fail_msg("%s", t.why);
      samples[n] = (Sample){cost_of(m, choice), t.seconds};
      error += fabs(samples[n].cost - t.seconds) / t.seconds;
      if (t.seconds < fastest) fastest = t.seconds;
      n++;
    }
    if (!next(m, OTHERS, choice)) break;
  }
  double order = tau(samples, n);
  printf(
      "%.0f assignments, %u simulated: tau %.2f, mean error %.0f %%, the answer is %.1f %% above "
      "the fastest\n",
      all, n, order, 100 * error / n, 100 * (best.seconds / fastest - 1));
  assert_true(order >= 0.8);
  assert_true(best.seconds <= 1.02 * fastest);
}

static void test_order(void **state) {
  (void)state;
  for (uint32_t i = 0; i < N_TINY; i++) {
    Modelled x = {.text = tiny[i], .mesh = "x=2", .machine = SLOW, .check = check_order};
    modelled_run(&x);
  }
}

// ---- structure ----

// Two users that need the gathered value: with a copy, the gather is paid once.
static void check_copy(Modelled *x) {
  Model *m = &x->model;
  assert_int_equal(m->n_copies, 1);
  uint32_t copy = m->vars.count;
  for (uint32_t v = 0; v < m->vars.count; v++)
    if (m->vars.items[v].kind == VAR_COPY) copy = v;
  assert_true(copy < m->vars.count);
  // All ops replicated; the argument is sharded in both, the copy is not.
  uint32_t *choice = ARENA_ARRAY(&x->session.arena, uint32_t, m->vars.count + 1);
  choice[m->argument_vars[0]] = 1;
  uint32_t sharded = UINT32_MAX, replicated = UINT32_MAX;
  for (uint32_t k = 0; k < m->vars.items[copy].n; k++) {
    if (model_sharding(m, copy, k) == 0) replicated = k;
    if (model_sharding(m, copy, k) == model_sharding(m, m->argument_vars[0], 1)) sharded = k;
  }
  assert_true(sharded != UINT32_MAX && replicated != UINT32_MAX);
  Wide none, once, twice;
  choice[copy] = replicated;
  once = problem_evaluate(&m->problem, choice).cost;
  choice[copy] = sharded;
  twice = problem_evaluate(&m->problem, choice).cost;
  choice[copy] = replicated;
  choice[m->argument_vars[0]] = 0;
  none = problem_evaluate(&m->problem, choice).cost;
  assert_true(once > none);
  assert_true(twice - none == 2 * (once - none));
}

static void test_copies_are_paid_once(void **state) {
  (void)state;
  Modelled x = {.text = "func.func @main(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {\n"
                        "  %0 = stablehlo.tanh %x : tensor<64x64xf32>\n"
                        "  %1 = stablehlo.exponential %x : tensor<64x64xf32>\n"
                        "  %2 = stablehlo.multiply %0, %1 : tensor<64x64xf32>\n"
                        "  return %2 : tensor<64x64xf32>\n}\n",
                .mesh = "x=2",
                .check = check_copy};
  modelled_run(&x);
}

// An op in a loop of 4 trips costs 4 times as much.
static void check_trips(Modelled *x) {
  uint32_t dot = modelled_var(x, "stablehlo.dot_general", 0);
  assert_true(x->model.vars.items[dot].runs == 4);
  *(int64_t *)x->user = x->model.vars.items[dot].costs[0];
  // The carry is one variable: initial value, argument, body's result, loop's result.
  uint32_t borders = 0;
  for (uint32_t v = 0; v < x->model.vars.count; v++)
    borders += x->model.vars.items[v].kind == VAR_BORDER && x->model.vars.items[v].n > 1;
  assert_int_equal(borders, 1);
}

static void check_once(Modelled *x) {
  uint32_t dot = modelled_var(x, "stablehlo.dot_general", 0);
  int64_t once = x->model.vars.items[dot].costs[0];
  assert_true(llabs(*(int64_t *)x->user - 4 * once) <= 4);
}

static void test_loops_count_trips(void **state) {
  (void)state;
  int64_t cost = 0;
  Modelled loop = {
      .text = tiny[3], .mesh = "x=2", .machine = SLOW, .check = check_trips, .user = &cost};
  modelled_run(&loop);
  Modelled once = {
      .text = tiny[0], .mesh = "x=2", .machine = SLOW, .check = check_once, .user = &cost};
  modelled_run(&once);
}

// A state argument and its new value are one variable.
static void check_state(Modelled *x) {
  const Model *m = &x->model;
  bool pair = x->user != NULL;
  assert_int_equal(m->n_results, 1);
  assert_true((m->result_vars[0] == m->argument_vars[0]) == pair);
}

static void test_state(void **state) {
  (void)state;
  static const uint32_t pairs[] = {1, 0, 0};
  Modelled with = {
      .text = tiny[0], .mesh = "x=2", .state = pairs, .check = check_state, .user = &with};
  modelled_run(&with);
  Modelled without = {.text = tiny[0], .mesh = "x=2", .check = check_state};
  modelled_run(&without);
}

// An argument with a rule has one strategy. An annotated op's other strategies are forbidden.
static void check_constraint(Modelled *x) {
  Model *m = &x->model;
  uint32_t w = m->argument_vars[1];
  assert_int_equal(m->vars.items[w].n, 1);
  const ShardingInfo *info = sharding_info(x->session.table, model_sharding(m, w, 0));
  assert_int_equal(sharding_dim_axes(info, 0).n, 0);
  assert_int_equal(sharding_dim_axes(info, 1).n, 1);
  uint32_t *solved = ARENA_ARRAY(&x->session.arena, uint32_t, m->vars.count + 1);
  SolveResult result;
  Status *status =
      solve_problem(&m->problem, &(SolveOptions){.level = 1}, x->guard, solved, &result);
  assert_null(status);
  assert_int_equal(result.outcome, SOLVE_OPTIMAL);
  assert_true(result.cost < PLAN_FORBIDDEN);
  Tried t;
  modelled_try(x, solved, true, &t);
  if (t.refused || !t.agrees) fail_msg("%s", t.why);
}

static void test_constraints(void **state) {
  (void)state;
  Modelled x = {.text = tiny[0],
                .mesh = "x=2",
                .machine = SLOW,
                .rules = "w=P(None, 'x')\n",
                .check = check_constraint};
  modelled_run(&x);
}

// Twelve equal layers: ops and weights are tied, and tied plans are the same with and without ties
// if that is the optimum.
static void check_ties(Modelled *x) {
  const Model *m = &x->model;
  *(Wide *)x->user = -1;
  uint32_t *solved = ARENA_ARRAY(&x->session.arena, uint32_t, m->vars.count + 1);
  SolveResult result;
  Status *status =
      solve_problem(&m->problem, &(SolveOptions){.level = 2}, x->guard, solved, &result);
  assert_null(status);
  *(Wide *)x->user = result.cost;
  assert_true((m->n_ties > 0) == !x->untied);
  for (uint32_t i = 2; !x->untied && i + 1 < m->n_arguments; i++)
    assert_int_equal(solved[m->argument_vars[i]], solved[m->argument_vars[i + 1]]);
}

static void test_ties(void **state) {
  (void)state;
  char text[8192];
  size_t n = (size_t)snprintf(text, sizeof text, "func.func @main(%%h0: tensor<64x64xf32>");
  for (uint32_t i = 0; i < 12; i++)
    n += (size_t)snprintf(text + n, sizeof text - n, ", %%w%u: tensor<64x64xf32>", i);
  n += (size_t)snprintf(text + n, sizeof text - n, ") -> tensor<64x64xf32> {\n");
  for (uint32_t i = 0; i < 12; i++)
    n += (size_t)snprintf(
        text + n, sizeof text - n,
        "%%a%u = stablehlo.dot_general %%h%u, %%w%u, contracting_dims = [1] x [0] : "
        "(tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>\n"
        "%%b%u = stablehlo.tanh %%a%u : tensor<64x64xf32>\n"
        "%%c%u = stablehlo.exponential %%b%u : tensor<64x64xf32>\n"
        "%%h%u = stablehlo.negate %%c%u : tensor<64x64xf32>\n",
        i, i, i, i, i, i, i, i + 1, i);
  snprintf(text + n, sizeof text - n, "return %%h12 : tensor<64x64xf32>\n}\n");
  Wide tied, untied;
  Modelled x = {.text = text, .mesh = "x=2", .check = check_ties, .user = &tied};
  modelled_run(&x);
  Modelled y = {.text = text, .mesh = "x=2", .check = check_ties, .user = &untied, .untied = true};
  modelled_run(&y);
  assert_true(untied <= tied);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_brute_force),
                                     cmocka_unit_test(test_order),
                                     cmocka_unit_test(test_copies_are_paid_once),
                                     cmocka_unit_test(test_loops_count_trips),
                                     cmocka_unit_test(test_state),
                                     cmocka_unit_test(test_constraints),
                                     cmocka_unit_test(test_ties)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
