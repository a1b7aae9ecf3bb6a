// The evaluator's interface: memory during the run, limits, seeds, and the k-th allocation failing
// for all k.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "evaluate/evaluate.h"
#include "ops/infer.h"
#include "parse/parse.h"

typedef struct Job {
  const char *text;
  EvalOptions options;
  size_t limit_bytes;
  Source source;
  Context *context;
  Program *program;
  Diag diag;
  LiteralHeap heap;
  Arena arena;
  EvalReport report;
  int64_t first;  // element 0 of the first result
} Job;

static Status *body(Guard *guard, void *arg) {
  Job *job = arg;
  job->source = (Source){.path = "test.mlir", .text = job->text, .size = strlen(job->text)};
  diag_init(&job->diag, guard, &job->source);
  literal_heap_init(&job->heap, guard, job->limit_bytes);
  arena_init(&job->arena, guard);
  job->context = context_new(guard);
  TRY(program_parse(job->context, guard, &job->source, 0, job->source.size, &(ParseOptions){0},
                    &job->diag, &job->program));
  if (!program_verify(job->program, &job->diag)) return diag_status(&job->diag);
  OpId function;
  TRY(evaluate_entry(job->program, NULL, &function));
  uint32_t n = evaluate_n_results(job->program, function) *
               (job->options.replicas ? job->options.replicas : 1);
  Literal **out = ARENA_ARRAY(&job->arena, Literal *, n + 1);
  TRY(evaluate(job->program, function, &job->options, &job->heap, &job->arena, 0, NULL, n, out,
               &job->report));
  if (n && out[0]->kind == LITERAL_ARRAY && out[0]->count) job->first = literal_get(out[0], 0).i;
  for (uint32_t i = 0; i < n; i++) literal_release(out[i]);
  assert_int_equal(job->heap.bytes, 0);  // every value was released after its last use
  return NULL;
}

static Status *run(Job *job) {
  Status *status = guard_run(body, job);
  literal_heap_deinit(&job->heap);
  arena_deinit(&job->arena);
  program_free(job->program);
  context_free(job->context);
  if (job->diag.source) diag_deinit(&job->diag);
  return status;
}

static const char loop[] =
    "func.func @main() -> tensor<1000xi64> {\n"
    "  %i = stablehlo.constant dense<0> : tensor<i64>\n"
    "  %one = stablehlo.constant dense<1> : tensor<i64>\n"
    "  %n = stablehlo.constant dense<1000> : tensor<i64>\n"
    "  %v = stablehlo.constant dense<0> : tensor<1000xi64>\n"
    "  %r:2 = stablehlo.while(%a = %i, %x = %v) : tensor<i64>, tensor<1000xi64>\n"
    "  cond {\n"
    "    %c = stablehlo.compare LT, %a, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>\n"
    "    stablehlo.return %c : tensor<i1>\n"
    "  } do {\n"
    "    %b = stablehlo.add %a, %one : tensor<i64>\n"
    "    %w = stablehlo.broadcast_in_dim %one, dims = [] : (tensor<i64>) -> tensor<1000xi64>\n"
    "    %y = stablehlo.add %x, %w : tensor<1000xi64>\n"
    "    stablehlo.return %b, %y : tensor<i64>, tensor<1000xi64>\n"
    "  }\n"
    "  return %r#1 : tensor<1000xi64>\n"
    "}\n";

// A thousand iterations over 8 kB values fit into 64 kB.
static void test_loop_memory(void **state) {
  (void)state;
  Job job = {.text = loop, .limit_bytes = 64 << 10};
  Status *status = run(&job);
  assert_null(status);
  assert_int_equal(job.first, 1000);
}

static void test_limits(void **state) {
  (void)state;
  Job job = {.text = loop, .limit_bytes = 10 << 10};
  Status *status = run(&job);
  assert_int_equal(status_code(status), RESOURCE_EXHAUSTED);
  assert_non_null(strstr(status_message(status), "test.mlir:"));
  status_free(status);
  Job steps = {.text = loop, .options = {.most_steps = 100}};
  status = run(&steps);
  assert_int_equal(status_code(status), RESOURCE_EXHAUSTED);
  assert_int_equal(steps.report.steps, 100);
  status_free(status);
}

static const char grid[] =
    "func.func @p(%x: tensor<i32>) -> tensor<i32> {\n"
    "  %0 = \"stablehlo.all_reduce\"(%x) ({\n"
    "  ^bb0(%a: tensor<i32>, %b: tensor<i32>):\n"
    "    %s = stablehlo.add %a, %b : tensor<i32>\n"
    "    stablehlo.return %s : tensor<i32>\n"
    "  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<i32>) -> tensor<i32>\n"
    "  return %0 : tensor<i32>\n"
    "}\n"
    "func.func @main() -> tensor<i32> {\n"
    "  %c = stablehlo.constant dense<[1, 2]> : tensor<2xi32>\n"
    "  %z = stablehlo.constant dense<0> : tensor<i32>\n"
    "  %r = stablehlo.reduce(%c init: %z) applies stablehlo.add across dimensions = [0] : "
    "(tensor<2xi32>, tensor<i32>) -> tensor<i32>\n"
    "  %o:2 = \"interpreter.run_parallel\"(%r, %r) {programs = [[@p], [@p]]} : (tensor<i32>, "
    "tensor<i32>) -> (tensor<i32>, tensor<i32>)\n"
    "  check.expect_eq_const %o#0, dense<6> : tensor<i32>\n"
    "  check.expect_eq_const %o#0, dense<7> : tensor<i32>\n"
    "  return %o#1 : tensor<i32>\n"
    "}\n";

static void test_grid(void **state) {
  (void)state;
  Job job = {.text = grid};
  assert_null(run(&job));
  assert_int_equal(job.first, 6);
  assert_int_equal(job.report.checks, 2);
  assert_int_equal(job.report.failed_checks, 1);
  Job four = {.text = grid, .options = {.replicas = 4}};  // a grid inside each process of a grid
  assert_null(run(&four));
  assert_int_equal(four.report.checks, 8);
}

// All processes of the grid wait for each other in one all-reduce.
static const char many[] =
    "func.func @main() -> tensor<i64> {\n"
    "  %c = stablehlo.constant dense<2> : tensor<i64>\n"
    "  %0 = \"stablehlo.all_reduce\"(%c) ({\n"
    "  ^bb0(%a: tensor<i64>, %b: tensor<i64>):\n"
    "    %s = stablehlo.add %a, %b : tensor<i64>\n"
    "    stablehlo.return %s : tensor<i64>\n"
    "  }) {replica_groups = dense<> : tensor<0x0xi64>} : (tensor<i64>) -> tensor<i64>\n"
    "  return %0 : tensor<i64>\n"
    "}\n";

// Stacks and frames of processes count against the limit and are refunded, and an all-reduce takes
// no memory per pair of processes.
static void test_process_memory(void **state) {
  (void)state;
  Job job = {.text = many, .options = {.replicas = 3000}, .limit_bytes = 128 << 20};
  assert_null(run(&job));
  assert_int_equal(job.first, 6000);
  Job tight = {.text = many, .options = {.replicas = 3000}, .limit_bytes = 16 << 20};
  Status *status = run(&tight);
  assert_int_equal(status_code(status), RESOURCE_EXHAUSTED);
  assert_non_null(strstr(status_message(status), "more for its stack and frames"));
  assert_non_null(strstr(status_message(status), "over the limit of 16777216 (--memory)"));
  status_free(status);
}

// Any allocation may fail first, in a process of a grid or outside: the run ends with a status and
// leaks nothing.
static void test_alloc_fail(void **state) {
  (void)state;
  static const char *const texts[] = {
      grid, "func.func @main() -> tensor<i32> {\n"
            "  %c = stablehlo.constant dense<[3, 2]> : tensor<2xi32>\n"
            "  %t = stablehlo.constant dense<true> : tensor<i1>\n"
            "  %r = \"stablehlo.if\"(%t) ({\n"
            "    %s = \"stablehlo.sort\"(%c) ({\n"
            "    ^bb0(%a: tensor<i32>, %b: tensor<i32>):\n"
            "      %l = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> "
            "tensor<i1>\n"
            "      stablehlo.return %l : tensor<i1>\n"
            "    }) {dimension = 0 : i64} : (tensor<2xi32>) -> tensor<2xi32>\n"
            "    stablehlo.return %s : tensor<2xi32>\n"
            "  }, {\n"
            "    stablehlo.return %c : tensor<2xi32>\n"
            "  }) : (tensor<i1>) -> tensor<2xi32>\n"
            "  %p = interpreter.probe %r, probe_id = \"p\" : tensor<2xi32>\n"
            "  %z = stablehlo.slice %p [0:1] : (tensor<2xi32>) -> tensor<1xi32>\n"
            "  %q = stablehlo.reshape %z : (tensor<1xi32>) -> tensor<i32>\n"
            "  return %q : tensor<i32>\n"
            "}\n"};
  for (size_t t = 0; t < 2; t++) {
    for (uint64_t k = 1; k < 100000; k++) {
      Job job = {.text = texts[t]};
      mem_fail_at(k);
      Status *status = run(&job);
      mem_fail_at(0);
      bool done = status == NULL;
      if (!done) assert_int_equal(status_code(status), RESOURCE_EXHAUSTED);
      status_free(status);
      if (done) break;
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_loop_memory), cmocka_unit_test(test_limits),
      cmocka_unit_test(test_grid),        cmocka_unit_test(test_process_memory),
      cmocka_unit_test(test_alloc_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
