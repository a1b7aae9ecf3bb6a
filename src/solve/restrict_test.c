// Cores without useless states keep every better plan; the least bytes of all plans.
#include "solve/restrict.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "solve/core_fixture.h"
#include "solve/dual.h"
#include "solve/order.h"
#include "solve/peak.h"
#include "solve/problem_fixture.h"
#include "solve/reduce.h"

enum { CASES = 3000 };

static uint64_t first_seed(void) {
  const char *text = getenv("TESSERA_SEED");
  return 1000003 * (uint64_t)(text ? atoi(text) + 1 : 1);
}

typedef struct Case {
  uint64_t random;
  Problem problem;
  Arena arena;
  const Core *core;  // NULL: infeasible
} Case;

static void open_case(Case *c, Guard *guard, uint64_t seed, ReduceOptions options) {
  c->random = seed * 2654435761u + 88172645463325252u;
  problem_init(&c->problem, guard);
  arena_init(&c->arena, guard);
  random_problem(&c->problem, &c->random);
  Reduction *reduction;
  bool infeasible;
  reduce_problem(&c->problem, &options, &c->arena, &reduction, &infeasible);
  c->core = infeasible ? NULL : reduction_core(reduction);
}

static void close_case(Case *c) {
  arena_deinit(&c->arena);
  problem_deinit(&c->problem);
}

static Wide best_of(const Core *core) {
  uint32_t x[8] = {0};
  Wide best = -1;
  do {
    Wide cost = core_cost(core, x);
    if (cost >= 0 && (best < 0 || cost < best)) best = cost;
  } while (core_next(core, x));
  return best;
}

// ---- restrictions ----

// Every plan of the restricted core is one of the core, with the same cost and memory.
static void check_plans(const Restriction *r) {
  uint32_t x[8] = {0}, above[8], back[8];
  do {
    restriction_expand(r, x, above);
    assert_true(core_cost(&r->core, x) == core_cost(r->from, above));
    restriction_project(r, above, back);
    for (uint32_t v = 0; v < r->core.n_vars; v++) assert_int_equal(back[v], x[v]);
  } while (core_next(&r->core, x));
}

static void check_useless(Case *c, bool exact) {
  const Core *core = c->core;
  Wide best = best_of(core);
  Dual dual;
  Restriction r;
  dual_init(&dual, core, &c->arena);
  for (uint32_t t = 0; t < core->n_points; t++) dual.price[t] = random_below(&c->random, 30) / 10.0;
  dual_reprice(&dual);
  if (exact) dual.exact = elimination_new(core, 1 << 20, &c->arena);
  for (uint32_t i = 0; i < 5; i++) dual_sweep(&dual);
  if (best < 0) return;
  assert_true(dual_certify(&dual) <= best);
  bool *useless = ARENA_ARRAY(&c->arena, bool, core->n_states + 1);
  (void)dual_find_useless(&dual, (int64_t)best + 1, useless);
  restriction_init(&r, core, useless, &c->arena);
  assert_false(r.empty);
  check_plans(&r);
  assert_true(best_of(&r.core) == best);
}

static Status *restrict_random(Guard *guard, void *arg) {
  Case c;
  open_case(&c, guard, *(uint64_t *)arg, (ReduceOptions){.no_dominance = true});
  if (c.core) check_useless(&c, false);
  if (c.core) check_useless(&c, true);
  close_case(&c);
  return NULL;
}

static void test_restrictions(void **state) {
  (void)state;
  uint64_t seed = first_seed();
  for (uint32_t i = 0; i < CASES; i++, seed++) assert_null(guard_run(restrict_random, &seed));
}

// ---- least bytes ----

static Status *peak_random(Guard *guard, void *arg) {
  Case c;
  open_case(&c, guard, *(uint64_t *)arg, (ReduceOptions){.any_limit = true});
  uint32_t choice[8] = {0}, v;
  Wide least = -1;
  do {
    PlanValue value = problem_evaluate(&c.problem, choice);
    if (!value.forbidden && (least < 0 || value.peak_bytes < least)) least = value.peak_bytes;
    for (v = 0; v < c.problem.vars.count && ++choice[v] == c.problem.vars.items[v].n;)
      choice[v++] = 0;
  } while (v < c.problem.vars.count);
  int64_t time;
  uint64_t work = 0;
  if (c.core) {
    int64_t bound = peak_least_bytes(c.core, &c.arena, 1 << 20, &time, &work);
    assert_true(bound <= least || least < 0);
  }
  assert_true(c.core || least < 0);
  close_case(&c);
  return NULL;
}

static void test_least_bytes(void **state) {
  (void)state;
  uint64_t seed = first_seed();
  for (uint32_t i = 0; i < CASES / 4; i++, seed++) assert_null(guard_run(peak_random, &seed));
}

// ---- sorting ----

static Status *sort_keys(Guard *guard, void *arg) {
  (void)arg;
  static const int64_t keys[] = {5, -3, INT64_MAX, 5, INT64_MIN, 0, 2048, -3, 1 << 22};
  static const uint32_t expected[] = {4, 1, 7, 5, 0, 3, 6, 8, 2};
  Arena arena;
  arena_init(&arena, guard);
  const uint32_t *order = order_by_key(keys, 9, &arena);
  assert_memory_equal(order, expected, sizeof expected);
  (void)order_by_key(keys, 0, &arena);
  arena_deinit(&arena);
  return NULL;
}

static void test_order(void **state) {
  (void)state;
  assert_null(guard_run(sort_keys, NULL));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_order),
      cmocka_unit_test(test_restrictions),
      cmocka_unit_test(test_least_bytes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
