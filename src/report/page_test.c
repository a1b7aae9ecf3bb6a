// Pages of simulated random local programs: the data are one JSON object without `<`, its parts sum
// to the step, bars are few and lose no busy seconds, and every allocation may fail.
#include "report/page.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/json_read.h"
#include "base/mem.h"
#include "pipeline/compile.h"

#include "../../tests/support/random_local.h"

typedef struct Job {
  uint64_t seed;
  const char *text;  // NULL: a random program of the seed
  const ReportPlan *plan;
  uint64_t fail_at;
  RandomLocal random;
  StrBuf program, data, page;
  Source source;
  Session session;
  Prediction prediction;
  Words words;
  SymbolTable functions;
  Arena scratch;
  const JsonValue *json;
  bool ready;
} Job;

static Status *report_job(Guard *guard, void *arg) {
  Job *job = arg;
  strbuf_init(&job->program, guard);
  strbuf_init(&job->data, guard);
  strbuf_init(&job->page, guard);
  if (job->text)
    strbuf_puts(&job->program, job->text);
  else
    random_local(&job->random, job->seed, "f32", &job->program);
  mem_fail_at(job->fail_at);
  job->source =
      (Source){.path = "a</script>.mlir", .text = job->program.data, .size = job->program.used};
  Session *s = &job->session;
  session_init(s, guard, &job->source, NULL);
  CompileRequest request = {.end = job->source.size, .stop_after = STAGE_VERIFY};
  Compiled compiled;
  TRY(compile(s, &request, &compiled));
  TRY(simulate_local(s,
                     job->text            ? NULL
                     : job->random.b == 4 ? "a=2,b=4"
                                          : "a=2,b=2",
                     NULL, &job->prediction));
  const Program *p = job->prediction.program;
  arena_init(&job->scratch, guard);
  job->ready = true;
  symbols_init(&job->functions, p, p->root, guard);
  words_init(&job->words, p, s->table, &job->functions, &s->arena, &job->scratch, guard);
  ShowSimulated show = {
      p, job->prediction.simulated, job->prediction.machine, job->prediction.mesh, 0, &job->words};
  Report report = {&show, job->source.path, job->plan, guard, &s->arena};
  TRY(report_data(&report, &job->data));
  TRY(report_page(&report, &job->page));
  return json_read((Str){job->data.data, job->data.used}, &s->arena, &job->json);
}

static void release(Job *job) {
  if (job->ready) {
    words_deinit(&job->words);
    symbols_deinit(&job->functions);
    arena_deinit(&job->scratch);
  }
  session_deinit(&job->session);
  strbuf_deinit(&job->program);
  strbuf_deinit(&job->data);
  strbuf_deinit(&job->page);
}

static void run(Job *job) {
  Status *status = guard_run(report_job, job);
  if (status) print_error("seed %llu: %s\n", (unsigned long long)job->seed, status_message(status));
  assert_null(status);
}

static bool near(double a, double b) { return fabs(a - b) <= 1e-6 * (fabs(a) + fabs(b)) + 1e-11; }

static double number(const JsonValue *object, const char *key) {
  const JsonValue *value = json_get(object, key);
  assert_non_null(value);
  assert_int_equal(value->kind, JSON_NUMBER);
  return value->number;
}

// Sum of a key over an array of objects.
static double sum(const JsonValue *array, const char *key) {
  double all = 0;
  for (uint32_t i = 0; i < array->count; i++) all += number(&array->items[i], key);
  return all;
}

enum { AT_START, AT_SECONDS, AT_KIND, AT_OP, AT_CRITICAL, AT_EXPOSED, AT_IDLE, AT_COUNT };

static double at(const JsonValue *bar, uint32_t i) {
  return i < bar->count ? bar->items[i].number : 0;
}

static void check_timeline(const JsonValue *data) {
  const JsonValue *timeline = json_get(data, "timeline"), *streams = json_get(timeline, "streams");
  double unit = number(timeline, "unit_seconds"), seconds = number(data, "seconds");
  uint32_t n_bars = 0;
  for (uint32_t k = 0; k < streams->count; k++) {
    const JsonValue *bars = json_get(&streams->items[k], "bars");
    double busy = 0, waiting = 0, end = 0;
    for (uint32_t i = 0; i < bars->count; i++) {
      const JsonValue *b = &bars->items[i];
      assert_true(at(b, AT_START) * unit >= end - 1e-11);  // in order, one at a time
      end = (at(b, AT_START) + at(b, AT_SECONDS)) * unit;
      assert_true(at(b, AT_OP) < json_get(timeline, "ops")->count);
      if (at(b, AT_KIND) == 2)
        waiting += at(b, AT_SECONDS) * unit;
      else
        busy += (at(b, AT_SECONDS) - at(b, AT_IDLE)) * unit;
    }
    n_bars += bars->count;
    assert_true(end <= seconds * (1 + 1e-9) + 1e-11);
    assert_true(fabs(busy - number(&streams->items[k], "busy_seconds")) <= 1e-6 * seconds);
    if (k == 0) assert_true(busy + waiting <= seconds * (1 + 1e-6) + 1e-11);
    if (k == 0 && number(timeline, "merged_bars") == 0)
      assert_true(fabs(busy + waiting - seconds) <= 1e-6 * seconds);
  }
  assert_true(n_bars <= REPORT_MOST_BARS);
}

static void check_memory(const JsonValue *data) {
  const JsonValue *memory = json_get(data, "memory"), *points = json_get(memory, "points");
  double most = 0;
  assert_true(points->count <= REPORT_MOST_POINTS + 1);
  for (uint32_t i = 0; i < points->count; i++)
    if (points->items[i].items[1].number > most) most = points->items[i].items[1].number;
  assert_true(most == floor(number(data, "peak_bytes")));
  const JsonValue *parts = json_get(memory, "peak_parts");
  double all = 0;
  for (uint32_t i = 0; i < parts->count; i++) all += parts->items[i].number;
  assert_true(near(all, number(data, "peak_bytes")));
}

static void check(const Job *job) {
  const JsonValue *data = job->json;
  assert_null(strchr(job->data.data, '<'));
  assert_non_null(strstr(job->page.data, job->data.data));
  assert_null(strstr(job->page.data, "\n@style\n"));
  assert_null(strstr(job->page.data, "\n@data\n"));
  assert_null(strstr(job->page.data, "\n@script\n"));
  assert_true(near(sum(json_get(data, "parts"), "seconds"), number(data, "seconds")));
  const JsonValue *causes = json_get(data, "causes");
  assert_true(near(sum(causes, "seconds"), number(data, "collective_seconds")));
  assert_true(near(sum(causes, "exposed_seconds"), number(data, "exposed_seconds")));
  assert_true(near(sum(causes, "bytes"), number(data, "bytes")));
  assert_true(near(sum(json_get(data, "shardings"), "bytes"), number(data, "argument_bytes")));
  check_timeline(data);
  check_memory(data);
}

static void test_random(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 100; seed++) {
    Job job = {.seed = seed};
    run(&job);
    check(&job);
    assert_null(json_get(job.json, "plan"));
    release(&job);
  }
}

// A loop in a loop: a thousand iterations are drawn one by one and merged, ten million are not.
#define LOOPS(trips)                                                                               \
  "func.func @main(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {\n"                                \
  "  %zero = stablehlo.constant dense<0> : tensor<i32>\n"                                          \
  "  %one = stablehlo.constant dense<1> : tensor<i32>\n"                                           \
  "  %n = stablehlo.constant dense<" trips "> : tensor<i32>\n"                                     \
  "  %r:2 = stablehlo.while(%i = %zero, %a = %x) : tensor<i32>, tensor<64x64xf32>\n"               \
  "  cond {\n"                                                                                     \
  "    %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"             \
  "    stablehlo.return %c : tensor<i1>\n"                                                         \
  "  } do {\n"                                                                                     \
  "    %s:2 = stablehlo.while(%j = %zero, %b = %a) : tensor<i32>, tensor<64x64xf32>\n"             \
  "    cond {\n"                                                                                   \
  "      %c = stablehlo.compare LT, %j, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"           \
  "      stablehlo.return %c : tensor<i1>\n"                                                       \
  "    } do {\n"                                                                                   \
  "      %d = stablehlo.dot_general %b, %b, contracting_dims = [1] x [0] : (tensor<64x64xf32>, "   \
  "tensor<64x64xf32>) -> tensor<64x64xf32>\n"                                                      \
  "      %k = stablehlo.add %j, %one : tensor<i32>\n"                                              \
  "      stablehlo.return %k, %d : tensor<i32>, tensor<64x64xf32>\n"                               \
  "    }\n"                                                                                        \
  "    %e = stablehlo.dot_general %s#1, %a, contracting_dims = [1] x [0] : (tensor<64x64xf32>, "   \
  "tensor<64x64xf32>) -> tensor<64x64xf32>\n"                                                      \
  "    %k = stablehlo.add %i, %one : tensor<i32>\n"                                                \
  "    stablehlo.return %k, %e : tensor<i32>, tensor<64x64xf32>\n"                                 \
  "  }\n"                                                                                          \
  "  return %r#1 : tensor<64x64xf32>\n"                                                            \
  "}\n"

static void test_loops(void **state) {
  (void)state;
  Job few = {.text = LOOPS("4")}, some = {.text = LOOPS("100")}, many = {.text = LOOPS("100000")};
  run(&few);
  run(&some);
  run(&many);
  check(&few);
  check(&some);
  check(&many);
  const JsonValue *t = json_get(few.json, "timeline");
  assert_true(number(t, "iterations_drawn") == 4 + 4 * 4 && number(t, "merged_bars") == 0);
  assert_true(number(t, "iterations_in_one_bar") == 0);
  t = json_get(some.json, "timeline");
  assert_true(number(t, "iterations_drawn") == 100 + 100 * 100 && number(t, "merged_bars") > 0);
  t = json_get(many.json, "timeline");
  assert_true(number(t, "iterations_in_one_bar") > 0);
  release(&few);
  release(&some);
  release(&many);
}

static void test_plan(void **state) {
  (void)state;
  ReportRunnerUp runners[REPORT_MOST_ROWS + 5] = {{"data x8", 2, 3, NULL, "slower"}};
  ReportSearchPoint search[5000];
  for (uint32_t i = 0; i < 5000; i++) search[i] = (ReportSearchPoint){i, 9.0 - i * 1e-3, 1};
  search[0].cost = INFINITY;
  static const char *const rules[] = {"x=P(\"data\")"};
  ReportPlan plan = {.strategy = "data x4 <b>",
                     .bound_seconds = 1,
                     .gap = 0.5,
                     .runners_up = runners,
                     .search = search,
                     .n_runners_up = REPORT_MOST_ROWS + 5,
                     .n_search = 5000,
                     .limit = "memory",
                     .annotations = rules,
                     .n_annotations = 1};
  Job job = {.seed = 3, .plan = &plan};
  run(&job);
  check(&job);
  const JsonValue *p = json_get(job.json, "plan"), *points = json_get(p, "search");
  assert_string_equal(json_get(p, "strategy")->string, "data x4 <b>");
  assert_int_equal(json_get(p, "runners_up")->count, REPORT_MOST_ROWS);
  assert_string_equal(json_get(&json_get(p, "runners_up")->items[0], "why")->string, "slower");
  assert_int_equal(json_get(p, "annotations")->count, 1);
  assert_true(points->count > 1 && points->count <= REPORT_MOST_POINTS + 1);
  assert_int_equal(json_get(&points->items[0], "cost")->kind, JSON_NULL);
  assert_true(number(&points->items[points->count - 1], "work") == 4999);
  release(&job);
}

static void test_allocations_fail(void **state) {
  (void)state;
  Job all = {.seed = 11};
  run(&all);
  release(&all);
  uint64_t n = mem_fail_at(0);
  for (uint64_t k = 1; k <= n; k++) {
    Job job = {.seed = 11, .fail_at = k};
    Status *status = guard_run(report_job, &job);
    mem_fail_at(0);
    if (status) assert_int_equal(status_code(status), RESOURCE_EXHAUSTED);
    status_free(status);
    release(&job);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_random), cmocka_unit_test(test_loops),
                                     cmocka_unit_test(test_plan),
                                     cmocka_unit_test(test_allocations_fail)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
