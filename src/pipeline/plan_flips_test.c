// Neighbours of a choice: tied variables move together, copies follow, and the cost of a flip is
// the change of the problem's cost.
#include "pipeline/plan_flips.h"

#include "plan/model_fixture.h"

#define LAYER(in, out)                                                                             \
  "  %d" out " = stablehlo.dot_general %" in ", %w" out ", contracting_dims = [1] x [0] : "        \
  "(tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>\n"                                  \
  "  %" out " = stablehlo.tanh %d" out " : tensor<64x64xf32>\n"

// Two equal layers, which are tied.
static const char layers[] =
    "func.func @main(%x: tensor<64x64xf32>, %wa: tensor<64x64xf32>, %wb: tensor<64x64xf32>) -> "
    "tensor<64x64xf32> {\n" LAYER("x", "a") LAYER("a", "b") "  return %b : tensor<64x64xf32>\n}\n";

// A value with two users has a copy.
static const char copy[] =
    "func.func @main(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {\n"
    "  %0 = stablehlo.tanh %x : tensor<64x64xf32>\n"
    "  %1 = stablehlo.dot_general %0, %w, contracting_dims = [1] x [0] : (tensor<64x64xf32>, "
    "tensor<64x64xf32>) -> tensor<64x64xf32>\n"
    "  %2 = stablehlo.add %0, %1 : tensor<64x64xf32>\n"
    "  return %2 : tensor<64x64xf32>\n}\n";

static bool has_copies(const Model *m) {
  for (uint32_t v = 0; v < m->vars.count; v++)
    if (m->vars.items[v].kind == VAR_COPY) return true;
  return false;
}

static void check_tied(const Model *m, const uint32_t *choice) {
  for (uint32_t i = m->first_tie; i < m->problem.edges.count; i++) {
    const PlanEdge *tie = &m->problem.edges.items[i];
    assert_int_equal(choice[tie->a], choice[tie->b]);
  }
}

// All flips of the replicated choice.
static void check_flips(Modelled *x) {
  Model *m = &x->model;
  Arena *arena = &x->session.arena;
  model_price(m, &pricing_serial, 1e18);
  uint32_t *start = ARENA_ARRAY(arena, uint32_t, m->vars.count + 1), free = 0;
  uint32_t *next = ARENA_ARRAY(arena, uint32_t, m->vars.count + 1);
  Flips flips;
  flips_init(&flips, m, arena);
  Wide cost = problem_evaluate(&m->problem, start).cost;
  bool copies = has_copies(m);
  for (uint32_t v = 0; v < m->vars.count; v++) {
    if (!flips_is_free(&flips, v)) continue;
    assert_true(m->vars.items[v].kind != VAR_COPY);
    free++;
    for (uint32_t k = 1; k < m->vars.items[v].n; k++) {
      flips_flip(&flips, start, v, k, next);
      check_tied(m, next);
      assert_int_equal(next[v], k);
      assert_true(flips_hash(m, next) != flips_hash(m, start));
      Wide more = flips_cost(&flips, v, k, start) - flips_cost(&flips, v, 0, start);
      PlanValue value = problem_evaluate(&m->problem, next);
      if (value.forbidden || more >= PLAN_FORBIDDEN / 2) continue;
      // Copies that follow only lower the cost.
      assert_true(copies ? value.cost - cost <= more : value.cost - cost == more);
    }
  }
  assert_true(free > 0);
}

static void test_layers(void **state) {
  (void)state;
  Modelled m = {.text = layers, .mesh = "x=2,y=2", .check = check_flips};
  modelled_run(&m);
}

static void test_copy(void **state) {
  (void)state;
  Modelled m = {.text = copy, .mesh = "x=4", .check = check_flips};
  modelled_run(&m);
}

// Choices that differ in copies only lead to the same decisions.
static void check_hash(Modelled *x) {
  const Model *m = &x->model;
  uint32_t *choice = ARENA_ARRAY(&x->session.arena, uint32_t, m->vars.count + 1);
  uint64_t hash = flips_hash(m, choice);
  assert_true(has_copies(m));
  for (uint32_t v = 0; v < m->vars.count; v++)
    if (m->vars.items[v].kind == VAR_COPY) choice[v] = m->vars.items[v].n - 1;
  assert_true(flips_hash(m, choice) == hash);
}

static void test_hash(void **state) {
  (void)state;
  Modelled m = {.text = copy, .mesh = "x=4", .check = check_hash};
  modelled_run(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_layers), cmocka_unit_test(test_copy),
                                     cmocka_unit_test(test_hash)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
