// Plans of tactics: what each tactic finds, that later ones only add, that all standard candidates
// run and compute what one device computes, and allocations that fail.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "pipeline/plan_private.h"

// A step of an MLP with momentum: (w, v, moments, x, y) -> (w, v, moments).
static const char mlp[] =
    "func.func @main(%arg0: tensor<16x32xf32>, %arg1: tensor<32x16xf32>, %arg2: tensor<16x32xf32>, "
    "%arg3: tensor<32x16xf32>, %arg4: tensor<8x16xf32>, %arg5: tensor<8x16xf32>) -> "
    "(tensor<16x32xf32>, tensor<32x16xf32>, tensor<16x32xf32>, tensor<32x16xf32>) {\n"
    "  %h = stablehlo.dot_general %arg4, %arg0, contracting_dims = [1] x [0] : (tensor<8x16xf32>, "
    "tensor<16x32xf32>) -> tensor<8x32xf32>\n"
    "  %a = stablehlo.tanh %h : tensor<8x32xf32>\n"
    "  %o = stablehlo.dot_general %a, %arg1, contracting_dims = [1] x [0] : (tensor<8x32xf32>, "
    "tensor<32x16xf32>) -> tensor<8x16xf32>\n"
    "  %e = stablehlo.subtract %o, %arg5 : tensor<8x16xf32>\n"
    "  %gv = stablehlo.dot_general %a, %e, contracting_dims = [0] x [0] : (tensor<8x32xf32>, "
    "tensor<8x16xf32>) -> tensor<32x16xf32>\n"
    "  %ga = stablehlo.dot_general %e, %arg1, contracting_dims = [1] x [1] : (tensor<8x16xf32>, "
    "tensor<32x16xf32>) -> tensor<8x32xf32>\n"
    "  %gw = stablehlo.dot_general %arg4, %ga, contracting_dims = [0] x [0] : (tensor<8x16xf32>, "
    "tensor<8x32xf32>) -> tensor<16x32xf32>\n"
    "  %mw = stablehlo.add %arg2, %gw : tensor<16x32xf32>\n"
    "  %mv = stablehlo.add %arg3, %gv : tensor<32x16xf32>\n"
    "  %w = stablehlo.subtract %arg0, %mw : tensor<16x32xf32>\n"
    "  %v = stablehlo.subtract %arg1, %mv : tensor<32x16xf32>\n"
    "  return %w, %v, %mw, %mv : tensor<16x32xf32>, tensor<32x16xf32>, tensor<16x32xf32>, "
    "tensor<32x16xf32>\n"
    "}\n";

static const char *const x2y2[] = {"x=2,y=2"};

// Reads the program, annotates it, and views it.
typedef struct World {
  Source source, rules;
  Session session, local;
  Tactics *tactics;
  PlanRequest request;
  Plan plan;
  void (*check)(struct World *w);
  uint64_t fail_at, allocations;
  bool agree;
} World;

static Status *view_body(Guard *guard, void *arg) {
  World *w = arg;
  session_init(&w->session, guard, &w->source, NULL);
  CompileRequest request = {.end = w->source.size,
                            .annotations = {.meshes = x2y2, .n_meshes = 1},
                            .stop_after = STAGE_ANNOTATE};
  Compiled compiled;
  TRY(compile(&w->session, &request, &compiled));
  TRY(plan_view_tactics(&w->session, &w->request, &w->tactics));
  w->check(w);
  return NULL;
}

static void view(void (*check)(World *w)) {
  World w = {.source = {.path = "mlp", .text = mlp, .size = strlen(mlp)}, .check = check};
  Status *status = guard_run(view_body, &w);
  if (status) fail_msg("%s", status_message(status));
  session_deinit(&w.session);
}

static TacticStep apply(World *w, TacticKind kind, uint32_t axis) {
  TacticStep step;
  Status *status = tactics_apply(w->tactics, (Tactic){kind, axis}, &step);
  if (status) fail_msg("%s", status_message(status));
  return step;
}

static void check_rules(World *w) {
  apply(w, TACTIC_data, 0);
  assert_string_equal(tactics_rules(w->tactics), "4=[{\"x\", ?}, {?}]\n5=[{\"x\", ?}, {?}]\n");
  TacticStep step = apply(w, TACTIC_megatron, 1);
  assert_int_equal(step.n_annotated, 4);
  assert_string_equal(step.examples[1], "arg1 [{\"y\"}, {}]");
  // Moments are sharded; parameters say that they are not.
  step = apply(w, TACTIC_zero2, 0);
  assert_int_equal(step.n_annotated, 4);
  assert_string_equal(step.found, "2 moments, 2 gradients");
  assert_string_equal(tactics_rules(w->tactics),
                      "0=<@mesh, [{?}, {\"y\", ?}p1], replicated={\"x\"}>\n"
                      "result#0=<@mesh, [{?}, {\"y\", ?}p1], replicated={\"x\"}>\n"
                      "1=<@mesh, [{\"y\", ?}p1, {?}], replicated={\"x\"}>\n"
                      "result#1=<@mesh, [{\"y\", ?}p1, {?}], replicated={\"x\"}>\n"
                      "2=[{\"x\", ?}p2, {\"y\", ?}p1]\nresult#2=[{\"x\", ?}p2, {\"y\", ?}p1]\n"
                      "3=[{\"y\", ?}p1, {\"x\", ?}p2]\nresult#3=[{\"y\", ?}p1, {\"x\", ?}p2]\n"
                      "4=[{\"x\", ?}, {?}]\n5=[{\"x\", ?}, {?}]\n"
                      "%gv=[{\"y\", ?}p1, {\"x\", ?}p2]\n%gw=[{\"x\", ?}p2, {\"y\", ?}p1]\n");
}

static void test_rules(void **state) {
  (void)state;
  view(check_rules);
}

// A tactic that finds nothing changes nothing; marks undo all that came after them.
static void check_undo(World *w) {
  apply(w, TACTIC_data, 0);
  const char *before = tactics_rules(w->tactics);
  TacticMark *mark = tactics_save(w->tactics);
  TacticStep step;
  Status *status = tactics_apply(w->tactics, (Tactic){TACTIC_expert, 1}, &step);
  assert_int_equal(status_code(status), NOT_FOUND);
  status_free(status);
  assert_string_equal(tactics_rules(w->tactics), before);
  apply(w, TACTIC_zero2, 0);
  assert_string_not_equal(tactics_rules(w->tactics), before);
  tactics_restore(w->tactics, mark);
  assert_string_equal(tactics_rules(w->tactics), before);
  uint32_t sharded = 0;
  for (uint32_t i = 0; i < tactics_n_classes(w->tactics); i++)
    sharded += tactics_shard_class(w->tactics, i, 1, &step);
  assert_true(sharded > 1);
}

static void test_undo(void **state) {
  (void)state;
  view(check_undo);
}

// ---- candidates ----

static Status *verify_body(Guard *guard, void *arg) {
  World *w = arg;
  session_init(&w->local, guard, &w->source, NULL);
  VerifyOptions verify = {.seed = 7};
  CompileRequest request = {.end = w->source.size,
                            .annotations = {.meshes = x2y2,
                                            .n_meshes = 1,
                                            .rules = &w->rules,
                                            .n_rules = 1,
                                            .machine = machine_text("h100")},
                            .verify = &verify};
  Compiled compiled;
  TRY(compile(&w->local, &request, &compiled));
  w->agree = compiled.verified.agree;
  return NULL;
}

static void check_candidates(World *w) {
  const char *before = tactics_rules(w->tactics);
  TacticCandidates list = tactics_candidates(w->tactics);
  assert_string_equal(tactics_rules(w->tactics), before);
  assert_true(list.n >= 9 && list.n <= 40);
  assert_string_equal(list.v[0].name, "data:x, data:y");
  bool megatron = false;
  for (uint32_t i = 0; i < list.n; i++) {
    megatron |= strcmp(list.v[i].name, "data:x, megatron:y") == 0;
    for (uint32_t k = 0; k < i; k++) assert_string_not_equal(list.v[i].rules, list.v[k].rules);
    w->rules = (Source){.path = "rules", .text = list.v[i].rules, .size = strlen(list.v[i].rules)};
    Status *status = guard_run(verify_body, w);
    session_deinit(&w->local);
    w->local = (Session){0};
    if (status) fail_msg("%s: %s", list.v[i].name, status_message(status));
    if (!w->agree) fail_msg("%s: other values", list.v[i].name);
  }
  assert_true(megatron);
}

static void test_candidates(void **state) {
  (void)state;
  view(check_candidates);
}

// ---- plans ----

static Status *plan_body(Guard *guard, void *arg) {
  World *w = arg;
  session_init(&w->session, guard, &w->source, NULL);
  CompileRequest read = {.end = w->source.size, .stop_after = STAGE_VERIFY};
  Compiled compiled;
  TRY(compile(&w->session, &read, &compiled));
  mem_fail_at(w->fail_at);
  plan_flatten(w->session.program, guard, &w->session.arena);
  return plan_program(w->session.program, &w->request, guard, &w->session.arena, &w->plan);
}

static Status *plan(World *w, const char *tactics, uint64_t fail_at) {
  *w = (World){.source = {.path = "mlp", .text = mlp, .size = strlen(mlp)}, .fail_at = fail_at};
  w->request =
      (PlanRequest){.annotations = {.meshes = x2y2, .n_meshes = 1}, .level = 1, .tactics = tactics};
  w->request.annotations.machine = machine_text("v100_25g");
  Status *status = guard_run(plan_body, w);
  w->allocations = mem_fail_at(0);
  return status;
}

// The rows of a list are those of its prefixes, and the last one is the plan.
static void test_prefixes(void **state) {
  (void)state;
  World one, two;
  assert_null(plan(&one, "data:x", 0));
  assert_null(plan(&two, "data:x, megatron:y", 0));
  assert_int_equal(one.plan.n_tactics, 1);
  assert_int_equal(two.plan.n_tactics, 2);
  assert_true(one.plan.tactics[0].seconds == two.plan.tactics[0].seconds);
  assert_true(one.plan.best.seconds == one.plan.tactics[0].seconds);
  assert_true(two.plan.best.peak_bytes == two.plan.tactics[1].peak_bytes);
  assert_true(two.plan.tactics[1].peak_bytes < two.plan.tactics[0].peak_bytes);
  session_deinit(&one.session);
  session_deinit(&two.session);
}

// auto begins from the tactics: it is not slower, and keeps their axes.
static void test_auto(void **state) {
  (void)state;
  World w;
  assert_null(plan(&w, "data:x, megatron:y, auto", 0));
  assert_int_equal(w.plan.n_tactics, 3);
  assert_true(w.plan.best.seconds <= w.plan.tactics[1].seconds);
  assert_true(strstr(w.plan.arguments[4].sharding, "[{\"x\"") == w.plan.arguments[4].sharding);
  session_deinit(&w.session);
  assert_null(plan(&w, "auto(x), auto:y", 0));
  assert_int_equal(w.plan.n_tactics, 2);
  assert_true(w.plan.tactics[1].seconds <= w.plan.tactics[0].seconds);
  session_deinit(&w.session);
}

static void test_allocations_fail(void **state) {
  (void)state;
  World w;
  assert_null(plan(&w, "data:x, megatron:y, zero2:x", 0));
  session_deinit(&w.session);
  uint64_t n = w.allocations, step = n / 60 + 1;
  assert_true(n > 100);
  for (uint64_t k = 1; k <= n; k += step) {
    Status *status = plan(&w, "data:x, megatron:y, zero2:x", k);
    if (status) assert_int_equal(status_code(status), RESOURCE_EXHAUSTED);
    status_free(status);
    session_deinit(&w.session);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rules),      cmocka_unit_test(test_undo),
      cmocka_unit_test(test_candidates), cmocka_unit_test(test_prefixes),
      cmocka_unit_test(test_auto),       cmocka_unit_test(test_allocations_fail)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
