// Plans of a few layers, for programs with many: the decisions of the whole program are obeyed and
// compute what the program does, and the prediction is the whole program's.
#include "pipeline/plan.h"

#include <math.h>
#include <string.h>

#include "base/sanitize.h"
#include "plan/layers_fixture.h"

typedef struct Job {
  LayeredText t;
  PlanRequest request;
  bool verify;
  Source source;
  Session session, again;
  Plan plan;
  Compiled compiled;
  StrBuf json;
} Job;

static Status *plan_body(Guard *guard, void *arg) {
  Job *job = arg;
  Session *s = &job->session;
  strbuf_init(&job->json, guard);
  job->source = (Source){.path = "layers", .text = job->t.text, .size = job->t.used};
  session_init(s, guard, &job->source, NULL);
  CompileRequest read = {.end = job->source.size, .stop_after = STAGE_VERIFY};
  TRY(compile(s, &read, &job->compiled));
  plan_flatten(s->program, guard, &s->arena);
  TRY(plan_program(s->program, &job->request, guard, &s->arena, &job->plan));
  if (job->plan.decisions) plan_json(&job->plan, "h100", &job->json);
  return NULL;
}

// Partitions and simulates the whole program with the plan.
static Status *obey_body(Guard *guard, void *arg) {
  Job *job = arg;
  session_init(&job->again, guard, &job->source, NULL);
  VerifyOptions verify = {.seed = 3};
  CompileRequest request = {.end = job->source.size,
                            .annotations.machine = job->request.annotations.machine,
                            .plan = true,
                            .simulate = true,
                            .verify = job->verify ? &verify : NULL,
                            .local.decisions = str_of(job->json.data)};
  return compile(&job->again, &request, &job->compiled);
}

static void run(Job *job) {
  static const char *const mesh[] = {"x=2,y=2"};
  layered_write(&job->t);
  job->request.annotations.machine = machine_text("v100_25g");
  job->request.annotations.meshes = mesh;
  job->request.annotations.n_meshes = 1;
  job->request.level = 1;
  Status *status = guard_run(plan_body, job);
  if (!status) status = guard_run(obey_body, job);
  if (status) fail_msg("%s", status_message(status));
}

static void release(Job *job) {
  session_deinit(&job->session);
  session_deinit(&job->again);
  strbuf_deinit(&job->json);
}

static void assert_near(double a, double b, double most) {
  if (fabs(a / b - 1) > most) fail_msg("%g is not within %g of %g", a, most, b);
}

static Job job;

static void draw_program(uint32_t i) {
  memset(&job, 0, sizeof job);
  job.t.seed = i + 1;
  for (uint32_t k = 0; k < 4; k++) (void)layered_draw(&job.t, 2);
  job.t.ops = 3 + layered_draw(&job.t, 6);
  job.t.layers = 24 + layered_draw(&job.t, 40);
  job.t.backward = layered_draw(&job.t, 3) > 0;
  job.t.update = job.t.backward && layered_draw(&job.t, 2);
  job.t.donate = job.t.update && layered_draw(&job.t, 2);
}

// Few layers predict the whole program, and get the same plan as all of them.
static void test_predicts(void **state) {
  (void)state;
  for (uint32_t i = 0; i < (SANITIZED ? 3 : 12); i++) {
    draw_program(i);
    job.request.contract_ops = 1;
    job.request.base_ops = 1;
    job.verify = i < (SANITIZED ? 1 : 4);
    run(&job);
    const Simulated *whole = job.compiled.prediction.simulated;
    double seconds = whole->seconds;
    assert_true(job.plan.n_simulated_layers < job.plan.n_layers);
    assert_int_equal(job.plan.n_refused, 0);
    assert_near(job.plan.best.seconds, seconds, 0.01);
    // Temporaries in buffers of results that are not donated: the saving of the base counts, and
    // more layers save more.
    assert_true(job.plan.best.peak_bytes > 0.99 * whole->peak_bytes);
    bool shares = job.t.update && !job.t.donate;
    assert_near(job.plan.best.peak_bytes, whole->peak_bytes, shares ? 0.15 : 0.01);
    assert_near(job.plan.bytes + 1, whole->bytes + 1, 0.01);
    release(&job);
    draw_program(i);
    job.request.contract_ops = UINT32_MAX;
    run(&job);
    assert_int_equal(job.plan.n_layers, 0);
    if (!job.plan.best.greedy)  // which few layers do not try
      assert_near(seconds, job.compiled.prediction.simulated->seconds, 0.005);
    release(&job);
  }
}

// A base of all layers: nothing is extrapolated.
static void test_exact(void **state) {
  (void)state;
  draw_program(3);
  job.request.contract_ops = 1;
  run(&job);
  const Simulated *whole = job.compiled.prediction.simulated;
  assert_true(job.plan.n_layers > 0 && job.plan.n_simulated_layers == job.plan.n_layers);
  assert_true(job.plan.best.seconds == whole->seconds);
  assert_true(job.plan.best.peak_bytes == whole->peak_bytes);
  release(&job);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_predicts), cmocka_unit_test(test_exact)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
