// Fibers: one runs at a time, in a fixed order; deadlocks are reported; the first error ends all.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/fiber.h"
#include "base/mem.h"

enum { MANY = 500, STACK = 256 << 10 };

typedef struct Log {
  char text[256];
  uint32_t n;        // number of tasks
  uint32_t arrived;  // number of tasks at the barrier
  uint32_t running;  // number of running tasks
  uint64_t sum;
} Log;

static Status *never_stuck(void *arg) {
  (void)arg;
  FAIL(INTERNAL, "stuck");
}

// All tasks wait for the last one to arrive, twice; never two run at once.
static Status *barrier(Fibers *fibers, void *arg, uint32_t index) {
  Log *log = arg;
  for (int round = 0; round < 2; round++) {
    assert_int_equal(log->running, 0);
    log->running = 1;
    if (log->n <= 4) snprintf(log->text + strlen(log->text), 16, "%u ", index);
    log->sum += index;
    log->running = 0;
    if (++log->arrived == log->n) {
      log->arrived = 0;
      for (uint32_t i = 0; i < log->n; i++)
        if (i != index) fiber_wake(fibers, i);
    } else if (!fiber_wait(fibers, index)) {
      FAIL(CANCELLED, "ended");
    }
  }
  return NULL;
}

static void test_order(void **state) {
  (void)state;
  Log log = {.n = 4};
  assert_null(fibers_run(4, STACK, barrier, never_stuck, &log));
  // The last task to arrive continues at once; the others follow in the order they were woken.
  assert_string_equal(log.text, "0 1 2 3 3 0 1 2 ");
}

static void test_many(void **state) {
  (void)state;
  Log log = {.n = MANY};
  assert_null(fibers_run(MANY, STACK, barrier, never_stuck, &log));
  assert_int_equal(log.sum, (uint64_t)MANY * (MANY - 1));
  assert_null(fibers_run(0, STACK, barrier, never_stuck, &log));
}

static Status *waits(Fibers *fibers, void *arg, uint32_t index) {
  Log *log = arg;
  if (index == 1) return NULL;
  bool woken = fiber_wait(fibers, index);
  log->arrived += !woken;
  if (!woken) FAIL(CANCELLED, "ended");
  return NULL;
}

static Status *report(void *arg) {
  Log *log = arg;
  log->sum++;
  FAIL(ABORTED, "two wait");
}

static void test_stuck(void **state) {
  (void)state;
  Log log = {0};
  Status *status = fibers_run(3, STACK, waits, report, &log);
  assert_int_equal(status_code(status), ABORTED);
  assert_string_equal(status_message(status), "two wait");
  assert_int_equal(log.sum, 1);
  assert_int_equal(log.arrived, 2);
  status_free(status);
}

static Status *fails(Fibers *fibers, void *arg, uint32_t index) {
  Log *log = arg;
  log->sum++;
  if (index == 1) FAIL(INVALID_ARGUMENT, "task %u fails", index);
  if (!fiber_wait(fibers, index)) FAIL(CANCELLED, "ended");
  return NULL;
}

static void test_error(void **state) {
  (void)state;
  Log log = {0};
  Status *status = fibers_run(4, STACK, fails, never_stuck, &log);
  assert_string_equal(status_message(status), "task 1 fails");
  assert_int_equal(log.sum, 2);  // tasks 2 and 3 never began
  status_free(status);
}

// ---- stacks ----

// Recurses deep enough to touch pages below the first few of a stack, with a live value per level.
static uint64_t descend(uint32_t depth, uint64_t seed) {
  volatile unsigned char room[512];
  for (size_t i = 0; i < sizeof room; i++) room[i] = (unsigned char)(seed + i);
  uint64_t below = depth ? descend(depth - 1, seed + 1) : 0;
  return below + room[depth % sizeof room];
}

// Registers, locals and the rounding mode of a task survive switches.
static Status *keeps(Fibers *fibers, void *arg, uint32_t index) {
  Log *log = arg;
  double x = index, y = index * 0.5, z = 1.0 / (index + 1);
  uint64_t a = index, b = index * 3, c = index ^ 0x5555, d = ~(uint64_t)index;
  uint64_t want = descend(200, index);
  for (int round = 0; round < 3; round++) {
    if (++log->arrived == log->n) {
      log->arrived = 0;
      for (uint32_t i = 0; i < log->n; i++)
        if (i != index) fiber_wake(fibers, i);
    } else if (!fiber_wait(fibers, index)) {
      FAIL(CANCELLED, "ended");
    }
    if (descend(200, index) != want) FAIL(INTERNAL, "task %u: its stack changed", index);
    assert_true(fiber_stack_used(fibers, index) > 0 && fiber_stack_used(fibers, index) < STACK);
  }
  if (x != index || y != index * 0.5 || z != 1.0 / (index + 1) || a != index || b != index * 3 ||
      c != (index ^ 0x5555) || d != ~(uint64_t)index)
    FAIL(INTERNAL, "task %u: its registers changed", index);
  return NULL;
}

static void test_stacks(void **state) {
  (void)state;
  Log log = {.n = MANY};
  Status *status = fibers_run(MANY, STACK, keeps, never_stuck, &log);
  assert_null(status);
}

static Status *ends_at_once(Fibers *fibers, void *arg, uint32_t index) {
  (void)fibers, (void)index;
  ((Log *)arg)->sum++;
  return NULL;
}

// A task that runs tasks: the inner ones end while the outer ones wait.
static Status *nests(Fibers *fibers, void *arg, uint32_t index) {
  Log inner = {.n = 8};
  TRY(fibers_run(8, STACK, barrier, never_stuck, &inner));
  assert_int_equal(inner.sum, 2 * 28);
  return barrier(fibers, arg, index);
}

static void test_nested(void **state) {
  (void)state;
  Log log = {.n = 4};
  assert_null(fibers_run(4, STACK, nests, never_stuck, &log));
  assert_string_equal(log.text, "0 1 2 3 3 0 1 2 ");
}

// Tasks that do not wait share one stack; if the k-th stack cannot be made, all end.
static void test_no_memory(void **state) {
  (void)state;
  Log log = {0};
  mem_fail_at(0);
  assert_null(fibers_run(MANY, STACK, ends_at_once, never_stuck, &log));
  assert_int_equal(mem_fail_at(0), 3);  // tasks, ring, one stack
  assert_int_equal(log.sum, MANY);
  for (uint64_t k = 1; k <= 12; k++) {
    Log one = {.n = 10};
    mem_fail_at(k);
    Status *status = fibers_run(10, STACK, barrier, never_stuck, &one);
    mem_fail_at(0);
    assert_int_equal(status_code(status), RESOURCE_EXHAUSTED);
    status_free(status);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_order),     cmocka_unit_test(test_many),
      cmocka_unit_test(test_stuck),     cmocka_unit_test(test_error),
      cmocka_unit_test(test_stacks),    cmocka_unit_test(test_nested),
      cmocka_unit_test(test_no_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
