// Every row of measures.def is a program that compiles and runs; the description predicts the
// collectives that it is solved from.
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "pipeline/measure.h"

#include <math.h>

#include "cost/collectives.h"
#include "ops/op.h"

static void rows_run(void **state) {
  (void)state;
  Measured rows[MEASURE_COUNT];
  Status *status = measure_host(&(MeasureOptions){.devices = 4, .seconds = 1e-6}, NULL, rows);
  if (status) fail_msg("%s", status_message(status));
  for (uint32_t i = 0; i < MEASURE_COUNT; i++) {
    assert_true(isfinite(rows[i].seconds) && rows[i].seconds > 0);
    assert_true(rows[i].amount > 0 && measured_value(&rows[i]) > 0);
  }
}

// Invented measurements: a collective of 4 MB takes 8 ms, a small one 1 us.
static Status *describe(Guard *guard, void *arg) {
  Machine *machine = arg;
  Measured rows[MEASURE_COUNT];
  for (uint32_t i = 0; i < MEASURE_COUNT; i++)
    rows[i] = (Measured){.unit = MEASURED_BYTES, .devices = 8, .seconds = 1, .amount = 1e9};
  rows[MEASURE_small_reduce] =
      (Measured){.unit = MEASURED_SECONDS, .devices = 8, .seconds = 16e-6, .amount = 16};
  MeasureId large[] = {MEASURE_all_reduce, MEASURE_reduce_scatter, MEASURE_all_gather,
                       MEASURE_all_to_all};
  for (uint32_t i = 0; i < 4; i++)
    rows[large[i]] =
        (Measured){.unit = MEASURED_BYTES, .devices = 8, .seconds = 8e-3, .amount = 7e6};
  Arena arena;
  arena_init(&arena, guard);
  Host host = {.cpu = "test", .cores = 2, .memory_bytes = 1 << 30};
  measured_machine(rows, &host, &arena, machine);
  assert_int_equal(machine->shared_cores, 2);
  assert_int_equal(machine->n_links, 1);
  // A device of 8 has a quarter of a core.
  Link link = machine->links[0].link;
  Link shared = {link.latency_seconds * 4, link.bytes_per_second / 4, link.gap_seconds * 4};
  Route route = route_flat(shared, 8);
  assert_true(fabs(collective_price(OP_all_reduce, &route, 4e6).seconds / 8e-3 - 1) < 0.01);
  assert_true(fabs(collective_price(OP_all_reduce, &route, 1).seconds / 1e-6 - 1) < 0.01);
  arena_deinit(&arena);
  return NULL;
}

static void links_are_solved(void **state) {
  (void)state;
  Machine machine;
  assert_null(guard_run(describe, &machine));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(rows_run),
                                     cmocka_unit_test(links_are_solved)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
