// Local search with a simulation that is known: the problem's own prices. From the replicated
// choice it must come near the solver's optimum, try no choice that is forbidden, and leave the
// problem priced as it was.
#include "pipeline/plan_climb.h"

#include "plan/model_fixture.h"
#include "solve/solve.h"

// Slow links, so that communication and compute are of one size.
#define SLOW                                                                                       \
  "{\"device\": {\"flops_per_second\": 1e11, \"bytes_per_second\": 1e11, \"memory_bytes\": 1e9, "  \
  "\"op_seconds\": 1e-7}, \"links\": [{\"latency_seconds\": 1e-6, \"gap_seconds\": 0, "            \
  "\"bytes_per_second\": 1e10}]}"

static const char mlp[] =
    "func.func @main(%x: tensor<256x256xf32>, %w: tensor<256x256xf32>, %v: tensor<256x256xf32>) -> "
    "tensor<256x256xf32> {\n"
    "  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<256x256xf32>, "
    "tensor<256x256xf32>) -> tensor<256x256xf32>\n"
    "  %1 = stablehlo.tanh %0 : tensor<256x256xf32>\n"
    "  %2 = stablehlo.dot_general %1, %v, contracting_dims = [1] x [0] : (tensor<256x256xf32>, "
    "tensor<256x256xf32>) -> tensor<256x256xf32>\n"
    "  return %2 : tensor<256x256xf32>\n}\n";

static uint32_t n_tried;

static double seconds_of(const Trial *t, const uint32_t *choice) {
  return model_predict(&t->model, choice, &pricing_serial);
}

static bool try(Trial *t, const uint32_t *choice) {
  n_tried++;
  double best = seconds_of(t, t->best_choice), seconds = seconds_of(t, choice);
  if (seconds >= best * (1 - t->least_gain)) return false;
  size_t size = (t->model.vars.count + 1) * sizeof *choice;
  t->best_choice = arena_copy(&t->model_session.arena, choice, size);
  return true;
}

static void check_climb(Modelled *m) {
  PlanRequest request = {.level = 1};
  Plan plan = {.best.seconds = 1};
  Trial t = {.program = m->session.program,
             .request = &request,
             .limit_bytes = 1e9,
             .pricing = pricing_serial,
             .best_pricing = pricing_serial,
             .model = m->model,
             .model_session = m->session,
             .plan = &plan};
  uint32_t n = t.model.vars.count + 1;
  Arena *arena = &t.model_session.arena;
  uint32_t *optimal = ARENA_ARRAY(arena, uint32_t, n);
  model_price(&t.model, &pricing_serial, 1e9);
  SolveResult solved;
  Status *status =
      solve_problem(&t.model.problem, &(SolveOptions){.level = 1}, m->guard, optimal, &solved);
  assert_null(status);
  t.best_choice = ARENA_ARRAY(arena, uint32_t, n);
  double start = seconds_of(&t, t.best_choice), least = seconds_of(&t, optimal);
  assert_true(least < 0.9 * start);
  n_tried = 0;
  status = climb(&t, m->guard, try);
  assert_null(status);
  assert_true(n_tried > 0);
  assert_true(seconds_of(&t, t.best_choice) <= 1.005 * least);
  PlanValue value = problem_evaluate(&t.model.problem, t.best_choice);
  assert_false(value.forbidden);
  assert_true(t.least_gain == 0);
  m->session = t.model_session;
  m->model = t.model;
}

static void test_climb(void **state) {
  (void)state;
  Modelled m = {.text = mlp, .mesh = "x=4", .machine = SLOW, .check = check_climb};
  modelled_run(&m);
  m = (Modelled){.text = mlp, .mesh = "x=2,y=2", .machine = SLOW, .check = check_climb};
  modelled_run(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_climb)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
