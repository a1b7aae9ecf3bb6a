// What is asked beside a plan: bounds of meshes, other shardings, old plans, shared arguments; and
// allocations that fail in all of it.
#include "pipeline/plan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/sanitize.h"

static const char mlp[] =
    "func.func @main(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>, %v: tensor<64x64xf32>) -> "
    "tensor<64x64xf32> {\n"
    "  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<64x64xf32>, "
    "tensor<64x64xf32>) -> tensor<64x64xf32>\n"
    "  %1 = stablehlo.tanh %0 : tensor<64x64xf32>\n"
    "  %2 = stablehlo.dot_general %1, %v, contracting_dims = [1] x [0] : (tensor<64x64xf32>, "
    "tensor<64x64xf32>) -> tensor<64x64xf32>\n"
    "  return %2 : tensor<64x64xf32>\n"
    "}\n";

typedef struct Job {
  const char *question;  // NULL: none
  bool from, share;
  uint64_t fail_at;
  Source source;
  Session session;
  PlanRequest request;
  Plan plan, again;
  PlanAnswer answer;
  ShareProgram programs[2];
  SharedPlan shared;
  StrBuf text;
} Job;

static const char *const glob[] = {"[wv]"};

static Status *share(Job *job, Guard *guard) {
  Session *s = &job->session;
  job->programs[0] = (ShareProgram){"a", s->program, 1};
  job->programs[1] = (ShareProgram){"b", s->program, 3};
  ShareRequest request = {.request = job->request,
                          .globs = glob,
                          .n_globs = 1,
                          .programs = job->programs,
                          .n_programs = 2};
  TRY(plan_share(&request, guard, &s->arena, &job->shared));
  job->text.used = 0;
  plan_share_put(&job->shared, &request, "h100", &job->text);
  plan_share_json(&job->shared, &request, "h100", &job->text);
  return NULL;
}

static Status *body(Guard *guard, void *arg) {
  Job *job = arg;
  Session *s = &job->session;
  strbuf_init(&job->text, guard);
  job->source = (Source){.path = "text", .text = mlp, .size = strlen(mlp)};
  session_init(s, guard, &job->source, NULL);
  CompileRequest read = {.end = job->source.size, .stop_after = STAGE_VERIFY};
  Compiled compiled;
  TRY(compile(s, &read, &compiled));
  plan_flatten(s->program, guard, &s->arena);
  job->request.level = 1;
  job->request.annotations.machine = machine_text("v100_25g");
  if (!job->request.annotations.n_meshes) job->request.devices = 4;
  mem_fail_at(job->fail_at);
  TRY(plan_program(s->program, &job->request, guard, &s->arena, &job->plan));
  if (job->question)
    TRY(plan_why_not(s->program, &job->request, &job->plan, job->question, guard, &s->arena,
                     &job->answer));
  job->plan.answers = &job->answer;
  job->plan.n_answers = job->question != NULL;
  plan_json(&job->plan, "h100", &job->text);
  if (job->from)
    TRY(plan_from(s->program, &job->request, (Str){job->text.data, job->text.used}, "old.json",
                  guard, &s->arena, &job->again));
  return job->share ? share(job, guard) : NULL;
}

static void release(Job *job) {
  session_deinit(&job->session);
  strbuf_deinit(&job->text);
}

static void run(Job *job) {
  Status *status = guard_run(body, job);
  if (status) fail_msg("%s", status_message(status));
  assert_non_null(job->plan.decisions);
}

// Both bounds hold for every mesh that was simulated; meshes that were not could not have won.
static void test_bounds(void **state) {
  (void)state;
  Job job = {.request.devices = 4};
  run(&job);
  assert_int_equal(job.plan.n_trials, 2);
  for (uint32_t i = 0; i < job.plan.n_trials; i++) {
    const PlanTrial *t = &job.plan.trials[i];
    assert_true(t->overlap_bound_seconds > 0);
    assert_true(t->overlap_bound_seconds <= t->bound_seconds * (1 + 1e-6));
    if (t->discarded)
      assert_true(t->overlap_bound_seconds > job.plan.best.seconds);
    else
      assert_true(t->overlap_bound_seconds <= t->seconds * (1 + 1e-3));
  }
  release(&job);
}

static const char *const x2y2[] = {"x=2,y=2"};

// Another sharding never costs less than the optimum; the plan's own is not planned again.
static void test_why_not(void **state) {
  (void)state;
  static const char *const questions[] = {"w: [{\"x\"},{}]",
                                          "%1: P(None, \"y\")",
                                          "result0=[{\"y\"},{}]",
                                          "text:2: [{},{\"x\", \"y\"}]",
                                          "w",
                                          "%0"};
  for (uint32_t i = 0; i < sizeof questions / sizeof *questions; i++) {
    Job job = {.question = questions[i], .request.annotations = {.meshes = x2y2, .n_meshes = 1}};
    run(&job);
    assert_false(job.answer.same);
    assert_null(job.answer.refused);
    assert_true(job.answer.cost_seconds >= job.plan.best.cost_seconds);
    assert_true(job.answer.bound_seconds <= job.answer.cost_seconds);
    assert_true(job.answer.seconds > 0 && job.answer.peak_bytes > 0);
    assert_string_not_equal(job.answer.planned, job.answer.other);
    release(&job);
  }
  Job same = {.question = "w: [{},{}]", .request.annotations = {.meshes = x2y2, .n_meshes = 1}};
  run(&same);
  assert_true(same.answer.same);
  release(&same);
}

static void test_from(void **state) {
  (void)state;
  Job job = {.from = true};
  run(&job);
  assert_true(job.again.from->kept);
  assert_int_equal(job.again.from->n_arguments, 3);
  assert_int_equal(job.again.from->n_ops, 3);
  assert_string_equal(job.again.best.mesh, job.plan.best.mesh);
  assert_true(job.again.best.seconds == job.plan.best.seconds);
  release(&job);
}

// A program shared with itself: its own optimum, for both.
static void test_share(void **state) {
  (void)state;
  Job job = {.share = true};
  run(&job);
  assert_null(job.shared.refused);
  assert_int_equal(job.shared.n_values, 2);
  assert_true(job.shared.total_seconds <= 4 * job.plan.best.seconds * (1 + 1e-9));
  assert_true(job.shared.total_seconds >= job.shared.own_total_seconds * (1 - 1e-9));
  assert_true(job.shared.joint_bound_seconds <= job.shared.joint_seconds * (1 + 1e-9));
  release(&job);
}

// Every allocation may fail: RESOURCE_EXHAUSTED, and nothing leaks.
static void test_allocations_fail(void **state) {
  (void)state;
  const Job whole = {.question = "w", .from = true, .share = true};
  Job all = whole;
  all.fail_at = UINT64_MAX;
  run(&all);
  release(&all);
  uint64_t n = mem_fail_at(0), step = n / (SANITIZE_THREAD ? 10 : SANITIZE_ADDRESS ? 40 : 80) + 1;
  for (uint64_t k = 1; k <= n; k += step) {
    Job job = whole;
    job.fail_at = k;
    Status *status = guard_run(body, &job);
    mem_fail_at(0);
    if (status && status_code(status) != RESOURCE_EXHAUSTED)
      fail_msg("allocation %llu: %s", (unsigned long long)k, status_message(status));
    status_free(status);
    release(&job);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_bounds), cmocka_unit_test(test_why_not),
                                     cmocka_unit_test(test_from), cmocka_unit_test(test_share),
                                     cmocka_unit_test(test_allocations_fail)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
