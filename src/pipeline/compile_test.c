// compile: each stop_after leaves the results of its stages and nothing more. An error at each
// stage is a status with diagnostics. session_deinit frees everything, also if the k-th allocation
// fails.
#include "pipeline/compile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "parse/print.h"

static const char text[] =
    "func.func @main(%x: tensor<8x4xf32>, %w: tensor<4x4xf32>) -> tensor<8x4xf32> {\n"
    "  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, "
    "tensor<4x4xf32>) -> tensor<8x4xf32>\n"
    "  %1 = stablehlo.tanh %0 : tensor<8x4xf32>\n"
    "  return %1 : tensor<8x4xf32>\n"
    "}\n";

static const char *const meshes[] = {"a=2"};
static const Source one_rule = {.path = "rule", .text = "w=P(\"a\")", .size = 8};
// Both use axis "a": --conflicts=cost tries orders.
static const char two[] = "w=P(\"a\")\nx=P(\"a\")\n";
static const Source two_rules = {.path = "rule", .text = two, .size = sizeof two - 1};

typedef struct Job {
  const char *text;
  CompileRequest request;
  Source source;
  Session session;
  Compiled compiled;
  StrBuf printed, said;
} Job;

static Status *compile_job(Guard *guard, void *arg) {
  Job *job = arg;
  job->printed.guard = job->said.guard = guard;
  job->source = (Source){.path = "text", .text = job->text, .size = strlen(job->text)};
  session_init(&job->session, guard, &job->source, NULL);
  job->request.end = job->source.size;
  Status *status = compile(&job->session, &job->request, &job->compiled);
  if (!status) program_print(job->session.program, &(PrintOptions){0}, &job->printed);
  session_render(&job->session, &job->said, false);
  return status;
}

static Status *run(Job *job) { return guard_run(compile_job, job); }

static void release(Job *job) {
  session_deinit(&job->session);
  strbuf_deinit(&job->printed);
  strbuf_deinit(&job->said);
}

static Job job_for(const char *program) {
  return (Job){.text = program,
               .request = {.annotations = {
                               .meshes = meshes, .n_meshes = 1, .rules = &one_rule, .n_rules = 1}}};
}

// ---- the last stage ----

static void test_stop_after(void **state) {
  (void)state;
  VerifyOptions verify = {.seed = 1};
  for (Stage stage = STAGE_ALL; stage <= STAGE_VERIFY_LOCAL; stage++) {
    Job job = job_for(text);
    job.request.verify = &verify;
    job.request.stop_after = stage;
    Status *status = run(&job);
    if (status) fail_msg("stage %d: %s", (int)stage, status_message(status));
    Stage last = stage == STAGE_ALL ? STAGE_VERIFY_LOCAL : stage;
    const Session *s = &job.session;
    const char *printed = job.printed.data;
    assert_non_null(s->program);
    assert_null(program_check(s->program));
    assert_int_equal(s->verified, last >= STAGE_VERIFY);
    assert_int_equal(s->table != NULL, last >= STAGE_IMPORT);
    assert_int_equal(strstr(printed, "sdy.mesh @mesh") != NULL,
                     last >= STAGE_IMPORT && last <= STAGE_DECIDE);
    assert_int_equal(s->propagation != NULL, last >= STAGE_ANNOTATE);
    assert_int_equal(job.compiled.n_annotated != 0, last >= STAGE_ANNOTATE);
    assert_int_equal(strstr(printed, "sdy.sharding = ") != NULL,
                     last == STAGE_WRITE || last == STAGE_DECIDE);
    assert_int_equal(s->partition != NULL, last >= STAGE_DECIDE);
    assert_int_equal(s->global != NULL, last > STAGE_WRITE);
    assert_int_equal(job.compiled.n_devices, last >= STAGE_PARTITION ? 2 : 1);
    assert_int_equal(strstr(printed, "stablehlo.all_gather") != NULL, last >= STAGE_PARTITION);
    assert_int_equal(job.compiled.traffic.count != 0, last >= STAGE_MEASURE);
    assert_int_equal(job.compiled.verified.agree, last >= STAGE_VERIFY_LOCAL);
    release(&job);
  }
}

// ---- programs that a session has already ----

typedef struct Again {
  const Program *program;
  const CompileRequest *request;
  Session clone, borrowed;
  uint32_t n_devices;
} Again;

static Status *compile_again(Guard *guard, void *arg) {
  Again *again = arg;
  Compiled compiled;
  session_clone(&again->clone, guard, again->program, NULL);
  session_borrow(&again->borrowed, guard, again->clone.program, again->clone.source, NULL);
  TRY(compile(&again->borrowed, again->request, &compiled));
  again->n_devices = compiled.n_devices;
  return NULL;
}

// A session that borrows a clone compiles it; the program stays as it is.
static void test_clone_and_borrow(void **state) {
  (void)state;
  Job job = job_for(text);
  job.request.stop_after = STAGE_VERIFY;
  assert_null(run(&job));
  uint64_t hash = program_hash(job.session.program);
  CompileRequest request = job.request;
  request.stop_after = STAGE_ALL;
  Again again = {.program = job.session.program, .request = &request};
  assert_null(guard_run(compile_again, &again));
  assert_int_equal(again.n_devices, 2);
  assert_ptr_equal(again.borrowed.program, again.clone.program);
  assert_true(program_hash(job.session.program) == hash);
  assert_false(program_hash(again.clone.program) == hash);
  session_deinit(&again.borrowed);
  assert_null(program_check(again.clone.program));
  session_deinit(&again.clone);
  release(&job);
}

// ---- errors ----

static const char wrong_type[] =
    "func.func @main(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {\n"
    "  %0 = \"stablehlo.tanh\"(%x) : (tensor<8x4xf32>) -> tensor<4xf32>\n"
    "  return %x : tensor<8x4xf32>\n"
    "}\n";

static const char *const bad_meshes[] = {"a=much"};
static const Source bad_rule = {.path = "rule", .text = "y=P(\"a\")", .size = 8};
static const VerifyOptions absent = {.entry = "absent"};

static void expect_error(Job job, Stage fails, bool diagnosed, const char *words) {
  job.request.stop_after = fails;
  Status *status = run(&job);
  if (!status) fail_msg("stage %d gives no error", (int)fails);
  if (!strstr(status_message(status), words)) fail_msg("%s", status_message(status));
  assert_int_equal(session_has_errors(&job.session), diagnosed);
  assert_int_equal(job.said.used != 0, diagnosed);
  status_free(status);
  release(&job);
  if (fails == STAGE_READ) return;
  job = (Job){.text = job.text, .request = job.request};
  job.request.stop_after = fails - 1;
  status = run(&job);
  if (status) fail_msg("stage %d: %s", (int)fails - 1, status_message(status));
  release(&job);
}

static void test_errors(void **state) {
  (void)state;
  expect_error(job_for("func.func @main("), STAGE_READ, true, "expected");
  expect_error(job_for(wrong_type), STAGE_VERIFY, true, "tensor<4xf32>");
  Job job = job_for(text);
  job.request.annotations.meshes = bad_meshes;
  expect_error(job, STAGE_IMPORT, false, "much");
  job = job_for(text);
  job.request.annotations.rules = &bad_rule;
  expect_error(job, STAGE_ANNOTATE, true, "y");
  job = job_for(text);
  job.request.local.passes = "nonsense";
  expect_error(job, STAGE_OPTIMIZE, false, "nonsense");
  job = job_for(text);
  job.request.verify = &absent;
  expect_error(job, STAGE_VERIFY_LOCAL, false, "absent");
}

// ---- allocations that fail ----

static void every_allocation_may_fail(Job *job, bool swallowed) {
  mem_fail_at(0);
  Status *status = run(job);
  if (status) fail_msg("%s", status_message(status));
  uint64_t made = mem_fail_at(0);
  release(job);
  uint32_t failed = 0;
  for (uint64_t k = 1; k <= made; k++) {
    mem_fail_at(k);
    status = run(job);
    mem_fail_at(0);
    if (status) assert_int_equal(status_code(status), RESOURCE_EXHAUSTED);
    if (!swallowed) assert_non_null(status);
    failed += status != NULL;
    status_free(status);
    release(job);
  }
  assert_true(failed > made / 10);
}

static void test_no_memory(void **state) {
  (void)state;
  VerifyOptions verify = {.seed = 1};
  Job job = job_for(text);
  job.request.verify = &verify;
  job.request.local.why = job.request.local.redundant = true;
  every_allocation_may_fail(&job, false);
}

// A trial that runs out of memory is not chosen.
static void test_no_memory_in_trials(void **state) {
  (void)state;
  Job job = job_for(text);
  job.request.annotations.rules = &two_rules;
  job.request.annotations.by_cost = job.request.annotations.try_orders = true;
  every_allocation_may_fail(&job, true);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_stop_after), cmocka_unit_test(test_clone_and_borrow),
      cmocka_unit_test(test_errors), cmocka_unit_test(test_no_memory),
      cmocka_unit_test(test_no_memory_in_trials)};
  return cmocka_run_group_tests_name("compile", tests, NULL, NULL);
}
