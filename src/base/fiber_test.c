// Fibers: one runs at a time, in a fixed order; a run that cannot go on is reported; the first
// error ends all.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/fiber.h"

enum { MANY = 500, STACK = 256 << 10 };

typedef struct Log {
  char text[256];
  uint32_t n;        // of tasks
  uint32_t arrived;  // at the barrier
  uint32_t running;  // at this moment
  uint64_t sum;
} Log;

static Status *never_stuck(void *arg) {
  (void)arg;
  FAIL(INTERNAL, "stuck");
}

// Everybody waits for the last to come, twice; nobody runs beside another.
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
  // The last to come goes on at once; the others follow in the order in which they were woken.
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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_order),
      cmocka_unit_test(test_many),
      cmocka_unit_test(test_stuck),
      cmocka_unit_test(test_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
