// The planning stage: the flat program, plans that are refused, the same plan twice, plans that are
// obeyed, and allocations that fail.
#include "pipeline/plan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "parse/print.h"

static const char calls[] =
    "func.func @main(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {\n"
    "  %0 = func.call @f(%x, %w) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>\n"
    "  %1 = func.call @f(%0, %w) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>\n"
    "  return %1 : tensor<64x64xf32>\n"
    "}\n"
    "func.func private @f(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>) -> tensor<64x64xf32> {\n"
    "  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<64x64xf32>, "
    "tensor<64x64xf32>) -> tensor<64x64xf32>\n"
    "  %1 = func.call @g(%0) : (tensor<64x64xf32>) -> tensor<64x64xf32>\n"
    "  return %1 : tensor<64x64xf32>\n"
    "}\n"
    "func.func private @g(%a: tensor<64x64xf32>) -> tensor<64x64xf32> {\n"
    "  %0 = stablehlo.tanh %a : tensor<64x64xf32>\n"
    "  return %0 : tensor<64x64xf32>\n"
    "}\n"
    "func.func private @unused(%a: tensor<4xf32>) -> tensor<4xf32> {\n"
    "  return %a : tensor<4xf32>\n"
    "}\n";

// Plans a text, then compiles it with the plan.
typedef struct Job {
  const char *text;
  PlanRequest request;
  const char *plan_text;  // instead of the plan; NULL: the plan
  uint64_t fail_at;
  Source source;
  Session session, again;
  Plan plan;
  Compiled compiled;
  StrBuf json, words;
} Job;

static Status *plan_body(Guard *guard, void *arg) {
  Job *job = arg;
  strbuf_init(&job->json, guard);
  strbuf_init(&job->words, guard);
  job->source = (Source){.path = "text", .text = job->text, .size = strlen(job->text)};
  Session *s = &job->session;
  session_init(s, guard, &job->source, NULL);
  CompileRequest read = {.end = job->source.size, .stop_after = STAGE_VERIFY};
  TRY(compile(s, &read, &job->compiled));
  mem_fail_at(job->fail_at);
  plan_flatten(s->program, guard, &s->arena);
  TRY(plan_program(s->program, &job->request, guard, &s->arena, &job->plan));
  if (!job->plan.decisions) return NULL;
  plan_json(&job->plan, "h100", &job->json);
  plan_put(&job->plan, "h100", &job->words);
  return NULL;
}

static Status *obey_body(Guard *guard, void *arg) {
  Job *job = arg;
  session_init(&job->again, guard, &job->source, NULL);
  VerifyOptions verify = {.seed = 3};
  CompileRequest request = {.end = job->source.size,
                            .annotations.machine = job->request.annotations.machine,
                            .plan = true,
                            .verify = &verify};
  request.local.decisions = str_of(job->plan_text ? job->plan_text : job->json.data);
  return compile(&job->again, &request, &job->compiled);
}

static void release(Job *job) {
  session_deinit(&job->session);
  session_deinit(&job->again);
  strbuf_deinit(&job->json);
  strbuf_deinit(&job->words);
}

static Job job_for(const char *text, const char *const *mesh) {
  return (Job){.text = text,
               .request = {.annotations = {.meshes = mesh, .n_meshes = 1}, .level = 1}};
}

static void run(Job *job) {
  job->request.annotations.machine = machine_text("v100_25g");
  Status *status = guard_run(plan_body, job);
  if (status) fail_msg("%s", status_message(status));
  assert_non_null(job->plan.decisions);
}

static const char *const x4[] = {"x=4"}, *const x2y2[] = {"x=2,y=2"}, *const x7[] = {"x=7"};

// ---- the flat program ----

static void test_flatten(void **state) {
  (void)state;
  Job job = job_for(calls, x4);
  run(&job);
  uint32_t functions = 0, dots = 0;
  const Program *p = job.session.program;
  for (OpId op = p->root; op; op = op_walk_next(p, op, p->root)) {
    functions += op_at(p, op)->code == OP_func_func;
    dots += op_at(p, op)->code == OP_dot_general;
    assert_true(op_at(p, op)->code != OP_func_call);
  }
  assert_int_equal(functions, 1);
  assert_int_equal(dots, 2);
  assert_null(program_check(p));
  release(&job);
}

// A public function that is called stays, although its calls are inlined.
static void test_public_functions_stay(void **state) {
  (void)state;
  char text[sizeof calls];
  memcpy(text, calls, sizeof calls);
  char *at = strstr(text, "private @g");
  memcpy(at, "        @g", 10);
  Job job = job_for(text, x4);
  run(&job);
  uint32_t functions = 0;
  const Program *p = job.session.program;
  for (OpId op = p->root; op; op = op_walk_next(p, op, p->root))
    functions += op_at(p, op)->code == OP_func_func;
  assert_int_equal(functions, 2);
  release(&job);
}

// ---- plans ----

static void test_obeyed(void **state) {
  (void)state;
  const char *const *meshes[] = {x4, x2y2, x7};
  for (uint32_t i = 0; i < 3; i++) {
    Job job = job_for(calls, meshes[i]);
    run(&job);
    Status *status = guard_run(obey_body, &job);
    if (status) fail_msg("%s", status_message(status));
    assert_true(job.compiled.verified.agree);
    assert_int_equal(job.compiled.n_devices, i == 2 ? 7 : 4);
    assert_non_null(strstr(job.words.data, "memory"));
    release(&job);
  }
}

static void test_deterministic(void **state) {
  (void)state;
  Job a = job_for(calls, x2y2), b = job_for(calls, x2y2);
  run(&a);
  run(&b);
  assert_string_equal(a.plan.decisions, b.plan.decisions);
  assert_true(a.plan.best.seconds == b.plan.best.seconds);
  assert_true(a.plan.best.cost_seconds == b.plan.best.cost_seconds);
  release(&a);
  release(&b);
}

// All meshes of 4 devices are tried; the fastest is taken, and the limit is kept.
static void test_meshes(void **state) {
  (void)state;
  Job job = job_for(calls, NULL);
  job.request.annotations.n_meshes = 0;
  job.request.devices = 4;
  run(&job);
  assert_int_equal(job.plan.n_trials, 2);
  for (uint32_t i = 0; i < job.plan.n_trials; i++) {
    const PlanTrial *t = &job.plan.trials[i];
    assert_true(t->refused || t->seconds >= job.plan.best.seconds);
    assert_true(t->bound_seconds <= t->cost_seconds);
  }
  double all = job.plan.best.peak_bytes;
  release(&job);
  // Half of the memory: another plan, which fits, or none.
  Job half = job_for(calls, x4);
  half.request.limit_bytes = 0.75 * all;
  half.request.annotations.machine = machine_text("v100_25g");
  Status *status = guard_run(plan_body, &half);
  assert_null(status);
  if (half.plan.decisions) assert_true(half.plan.best.peak_bytes <= 0.75 * all);
  release(&half);
  Job none = job_for(calls, x4);
  none.request.limit_bytes = 1000;
  none.request.annotations.machine = machine_text("v100_25g");
  assert_null(guard_run(plan_body, &none));
  assert_null(none.plan.decisions);
  assert_int_equal(none.plan.best.outcome, SOLVE_INFEASIBLE);
  assert_non_null(none.plan.best.refused);
  release(&none);
}

// Without arguments, ops and results there is nothing to choose.
static void test_empty(void **state) {
  (void)state;
  Job job = job_for("func.func @main() {\n  return\n}\n", x4);
  run(&job);
  assert_int_equal(job.plan.n_arguments, 0);
  release(&job);
}

// ---- refusals ----

static void refuse(Job *job, const char *text, const char *message) {
  job->plan_text = text;
  Status *status = guard_run(obey_body, job);
  assert_non_null(status);
  assert_int_equal(status_code(status), INVALID_ARGUMENT);
  if (!strstr(status_message(status), message))
    fail_msg("no\n%s\nin\n%s", message, status_message(status));
  status_free(status);
  session_deinit(&job->again);
  job->again = (Session){0};
}

static void test_refused(void **state) {
  (void)state;
  Job job = job_for(calls, x4);
  run(&job);
  refuse(&job, "{", "the plan is not valid JSON");
  refuse(&job, "[]", "this is no plan");
  refuse(&job, "{}", "this is no plan");
  refuse(&job, "{\"plan_version\": \"1\", \"decisions\": {}}", "this is no plan");
  refuse(&job, "{\"plan_version\": 1}", "this is no plan");
  refuse(&job, "{\"plan_version\": 3, \"decisions\": {}}", "the plan has version 3");
  refuse(&job, "{\"plan_version\": 1, \"decisions\": {}}", "the plan is for another program");
  refuse(&job, "{\"plan_version\": 1, \"program\": 7, \"decisions\": {}}",
         "the plan is for another program");
  refuse(&job, "{\"plan_version\": 1, \"program\": \"0123456789abcdef\", \"decisions\": {}}",
         "the plan is for another program");
  release(&job);
}

// Every allocation of the planner may fail: RESOURCE_EXHAUSTED, and nothing leaks.
static void test_allocations_fail(void **state) {
  (void)state;
  Job all = job_for(calls, x4);
  run(&all);
  release(&all);
  uint64_t n = mem_fail_at(0), step = n / 60 + 1;
  for (uint64_t k = 1; k <= n; k += step) {
    Job job = job_for(calls, x4);
    job.request.annotations.machine = machine_text("v100_25g");
    job.fail_at = k;
    Status *status = guard_run(plan_body, &job);
    mem_fail_at(0);
    if (status) assert_int_equal(status_code(status), RESOURCE_EXHAUSTED);
    status_free(status);
    release(&job);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_flatten), cmocka_unit_test(test_public_functions_stay),
      cmocka_unit_test(test_obeyed),  cmocka_unit_test(test_deterministic),
      cmocka_unit_test(test_meshes),  cmocka_unit_test(test_refused),
      cmocka_unit_test(test_empty),   cmocka_unit_test(test_allocations_fail)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
