// Faults of a run: memory that is missing, a run that is cancelled, collectives that do not match,
// NaNs everywhere, many runs, two programs at once. Each ends with its status or its result, and
// the next run is good.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/sanitize.h"
#include "execute/execute_fixture.h"

static void good(Status *status) {
  if (status) fail_msg("%s", status_message(status));
}
static void bad(Status *status, StatusCode code, const char *text) {
  assert_non_null(status);
  if (status_code(status) != code || !strstr(status_message(status), text))
    fail_msg("%s", status_message(status));
  status_free(status);
}

#define GROUPS                                                                                     \
  "{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = "                         \
  "#stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}"
#define ADD_BODY                                                                                   \
  "({\n^bb0(%p: tensor<f32>, %q: tensor<f32>):\n  %s = stablehlo.add %p, %q : tensor<f32>\n"       \
  "  stablehlo.return %s : tensor<f32>\n})"

// A loop with an update in place, a product, a sort, a reduction, an op through eval.
static const char mixed[] =
    "func.func @main(%x: tensor<8x8xf32>, %i: tensor<i32>) -> (tensor<8x8xf32>, tensor<8xf32>, "
    "tensor<8x8xf32>) {\n"
    "  %zero = stablehlo.constant dense<0> : tensor<i32>\n"
    "  %one = stablehlo.constant dense<1> : tensor<i32>\n"
    "  %n = stablehlo.constant dense<5> : tensor<i32>\n"
    "  %f = stablehlo.constant dense<0.0> : tensor<f32>\n"
    "  %w:2 = stablehlo.while(%k = %zero, %c = %x) : tensor<i32>, tensor<8x8xf32>\n"
    "  cond {\n"
    "    %t = stablehlo.compare LT, %k, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
    "    stablehlo.return %t : tensor<i1>\n"
    "  } do {\n"
    "    %r = stablehlo.dynamic_slice %c, %k, %zero, sizes = [1, 8] : (tensor<8x8xf32>, "
    "tensor<i32>, tensor<i32>) -> tensor<1x8xf32>\n"
    "    %e = stablehlo.exponential %r : tensor<1x8xf32>\n"
    "    %u = stablehlo.dynamic_update_slice %c, %e, %k, %zero : (tensor<8x8xf32>, "
    "tensor<1x8xf32>, tensor<i32>, tensor<i32>) -> tensor<8x8xf32>\n"
    "    %k1 = stablehlo.add %k, %one : tensor<i32>\n"
    "    stablehlo.return %k1, %u : tensor<i32>, tensor<8x8xf32>\n"
    "  }\n"
    "  %d = stablehlo.dot_general %w#1, %x, contracting_dims = [1] x [0] : (tensor<8x8xf32>, "
    "tensor<8x8xf32>) -> tensor<8x8xf32>\n"
    "  %m = stablehlo.reduce(%d init: %f) applies stablehlo.maximum across dimensions = [1] : "
    "(tensor<8x8xf32>, tensor<f32>) -> tensor<8xf32>\n"
    "  %o = \"stablehlo.sort\"(%d) ({\n"
    "  ^bb0(%p: tensor<f32>, %q: tensor<f32>):\n"
    "    %lt = stablehlo.compare LT, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
    "    stablehlo.return %lt : tensor<i1>\n"
    "  }) {dimension = 1 : i64} : (tensor<8x8xf32>) -> tensor<8x8xf32>\n"
    "  %h = stablehlo.cholesky %d, lower = true : tensor<8x8xf32>\n"
    "  return %h, %m, %o : tensor<8x8xf32>, tensor<8xf32>, tensor<8x8xf32>\n"
    "}\n";

// ---- memory ----

static void release_results(ExecuteFixture *f) {
  for (uint32_t i = 0; i < f->n_out; i++) {
    literal_release(f->out[i]);
    f->out[i] = NULL;
  }
}

// Only this thread's allocations fail, so it runs alone.
static void test_allocations(void **state) {
  (void)state;
  for (uint64_t k = 1;; k++) {
    ExecuteFixture f = {.text = mixed, .options.workers = 1};
    good(execute_fixture_read(&f));
    mem_fail_at(k);
    Status *status = guard_run(execute_fixture_compile, &f);
    mem_fail_at(0);
    bool made = !status;
    if (status) bad(status, RESOURCE_EXHAUSTED, "");
    for (uint64_t r = 1; made; r++) {
      mem_fail_at(r);
      status = execute_fixture_run(&f);
      mem_fail_at(0);
      if (!status) {
        print_message("%llu allocations to compile, %llu in a run\n", (unsigned long long)k - 1,
                      (unsigned long long)r - 1);
        break;
      }
      bad(status, RESOURCE_EXHAUSTED, "");
      release_results(&f);
    }
    execute_fixture_close(&f);
    if (made) break;
  }
}

static void test_budget(void **state) {
  (void)state;
  ExecuteFixture f = {.text = mixed, .options = {.workers = 1, .device_memory = 300}};
  bad(execute_fixture_open(&f), RESOURCE_EXHAUSTED, "The largest temporaries at the peak: %");
  execute_fixture_close(&f);
}

// Resident bytes of this process.
static size_t resident(void) {
  unsigned long size, pages = 0;
  FILE *f = fopen("/proc/self/statm", "r");
  if (!f || fscanf(f, "%lu %lu", &size, &pages) != 2) pages = 0;
  if (f) fclose(f);
  return pages * mem_page_bytes();
}

static const char summed[] =
    "func.func @main(%x: tensor<1000xf32>) -> (tensor<1000xf32>, tensor<1000xf32>) {\n"
    "  %e = stablehlo.exponential %x : tensor<1000xf32>\n"
    "  %r = \"stablehlo.all_reduce\"(%e) " ADD_BODY GROUPS
    " : (tensor<1000xf32>) -> tensor<1000xf32>\n"
    "  %t = chlo.digamma %r : tensor<1000xf32> -> tensor<1000xf32>\n"
    "  return %r, %t : tensor<1000xf32>, tensor<1000xf32>\n"
    "}\n";

// 1,000 runs take no more memory than 100. Sanitizers keep freed memory for a while.
static void test_many_runs(void **state) {
  (void)state;
  enum { RUNS = 1000, WARM = 100, MOST_GROWTH = 1 << 20 };
  ExecuteFixture f = {.text = summed, .options = {.workers = 2, .eval.partitions = 2}};
  good(execute_fixture_open(&f));
  size_t before = 0;
  for (int i = 0; i < (SANITIZE_ADDRESS || SANITIZE_THREAD ? WARM : RUNS); i++) {
    if (i == WARM) before = resident();
    good(execute_fixture_run(&f));
    if (i % 2) release_results(&f);
  }
  if (before) assert_true(resident() <= before + MOST_GROWTH);
  execute_fixture_close(&f);
}

// ---- NaN ----

static Status *evaluate_fixture(Guard *guard, void *arg) {
  ExecuteFixture *f = arg;
  f->heap.guard = guard;
  EvalReport report;
  arena_guard(&f->arena, guard);
  return evaluate(f->program, f->function, &f->options.eval, &f->heap, &f->arena, f->n_args,
                  f->args, f->n_out, f->out + f->n_out, &report);
}

static void test_nans(void **state) {
  (void)state;
  ExecuteFixture f = {.text = mixed, .options.workers = 2};
  good(execute_fixture_open(&f));
  for (int64_t i = 0; i < f.args[0]->count; i++) literal_set(f.args[0], i, scalar_f((double)NAN));
  good(execute_fixture_run(&f));
  good(guard_run(evaluate_fixture, &f));
  for (uint32_t i = 0; i < f.n_out; i++)
    for (int64_t k = 0; k < f.out[i]->count; k++) {
      double a = literal_get(f.out[i], k).f, b = literal_get(f.out[f.n_out + i], k).f;
      if (!(a == b || (isnan(a) && isnan(b)))) fail_msg("result %u: %g, expected %g", i, a, b);
    }
  execute_fixture_close(&f);
}

// ---- cancelled ----

static const char endless[] =
    "func.func @main(%x: tensor<i1>) -> tensor<i1> {\n"
    "  %w = stablehlo.while(%c = %x) : tensor<i1>\n"
    "  cond {\n    stablehlo.return %c : tensor<i1>\n  } do {\n"
    "    %n = stablehlo.not %c : tensor<i1>\n    %m = stablehlo.not %n : tensor<i1>\n"
    "    stablehlo.return %m : tensor<i1>\n  }\n"
    "  return %w : tensor<i1>\n"
    "}\n";

static void *cancel_soon(void *arg) {
  nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
  __atomic_store_n((int *)arg, 1, __ATOMIC_RELAXED);
  return NULL;
}

static void test_cancel(void **state) {
  (void)state;
  int cancel = 0;
  ExecuteFixture f = {.text = endless, .options = {.workers = 2, .eval.cancel = &cancel}};
  good(execute_fixture_open(&f));
  literal_set(f.args[0], 0, scalar_i(1));
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, cancel_soon, &cancel), 0);
  bad(execute_fixture_run(&f), CANCELLED, "cancelled");
  pthread_join(thread, NULL);
  cancel = 0;
  literal_set(f.args[0], 0, scalar_i(0));
  good(execute_fixture_run(&f));
  execute_fixture_close(&f);
}

// ---- collectives that do not match ----

#define BRANCHES(then, other)                                                                      \
  "func.func @main(%x: tensor<4xf32>, %b: tensor<i1>) -> tensor<4xf32> {\n"                        \
  "  %r = \"stablehlo.if\"(%b) ({\n" then                                                          \
  "    stablehlo.return %v : tensor<4xf32>\n  }, {\n" other                                        \
  "    stablehlo.return %v : tensor<4xf32>\n  }) : (tensor<i1>) -> tensor<4xf32>\n"                \
  "  return %r : tensor<4xf32>\n}\n"
#define ALL_REDUCE                                                                                 \
  "    %v = \"stablehlo.all_reduce\"(%x) " ADD_BODY GROUPS " : (tensor<4xf32>) -> tensor<4xf32>\n"
#define ALL_TO_ALL                                                                                 \
  "    %v = \"stablehlo.collective_permute\"(%x) {source_target_pairs = dense<[[0, 1], [1, 0]]> "  \
  ": "                                                                                             \
  "tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>} : "          \
  "(tensor<4xf32>) -> tensor<4xf32>\n"
#define NOTHING "    %v = stablehlo.negate %x : tensor<4xf32>\n"

static void set_flags(ExecuteFixture *f, bool first, bool second) {
  literal_set(f->args[1], 0, scalar_i(first));
  literal_set(f->args[3], 0, scalar_i(second));
}

static void check_mismatch(const char *text, const char *expected) {
  ExecuteFixture f = {.text = text, .options = {.workers = 2, .eval.partitions = 2}};
  good(execute_fixture_open(&f));
  for (int i = 0; i < 3; i++) {  // groups are unknown at first, and known later
    set_flags(&f, true, false);
    Status *status = execute_fixture_run(&f);
    assert_non_null(status);
    if (!strstr(status_message(status), expected)) fail_msg("%s", status_message(status));
    status_free(status);
    release_results(&f);
    set_flags(&f, true, true);
    good(execute_fixture_run(&f));
    set_flags(&f, false, false);
    good(execute_fixture_run(&f));
  }
  execute_fixture_close(&f);
}

static void test_mismatch(void **state) {
  (void)state;
  check_mismatch(BRANCHES(ALL_REDUCE, ALL_TO_ALL), "stablehlo.");
}

static void test_deadlock(void **state) {
  (void)state;
  check_mismatch(BRANCHES(ALL_REDUCE, NOTHING), "deadlock: 1 of 2 devices wait");
}

// ---- two programs at once ----

static void *run_many(void *arg) {
  ExecuteFixture *f = arg;
  for (int i = 0; i < 50; i++) {
    Status *status = execute_fixture_run(f);
    if (status) return status;
  }
  return NULL;
}

static void test_two_programs(void **state) {
  (void)state;
  ExecuteFixture f[2] = {
      {.text = mixed, .options.workers = 2},
      {.text = summed, .seed = 7, .options = {.workers = 2, .eval.partitions = 2}}};
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) good(execute_fixture_open(&f[i]));
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, run_many, &f[i]);
  for (int i = 0; i < 2; i++) {
    void *status;
    pthread_join(threads[i], &status);
    good(status);
    execute_fixture_close(&f[i]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_allocations), cmocka_unit_test(test_budget),
      cmocka_unit_test(test_many_runs),   cmocka_unit_test(test_nans),
      cmocka_unit_test(test_cancel),      cmocka_unit_test(test_mismatch),
      cmocka_unit_test(test_deadlock),    cmocka_unit_test(test_two_programs)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
