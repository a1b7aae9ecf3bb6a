// Every row of collectives.def: known bytes and seconds, rows that agree with the op table, and
// groups over one level and over several.
#include "cost/collectives.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/op.h"

static const Link fast = {.latency_seconds = 1e-6, .bytes_per_second = 1e9, .gap_seconds = 1e-7};
static const Link slow = {.latency_seconds = 1e-5, .bytes_per_second = 1e8, .gap_seconds = 1e-6};

static bool near(double a, double b) { return fabs(a - b) <= 1e-9 * fabs(b); }

static void test_rows(void **state) {
  (void)state;
  uint32_t n_rows = 0;
  for (uint16_t code = 0; code < OP_COUNT; code++) {
    const Collective *row = collective_row(code);
    if (!row) continue;
    n_rows++;
    assert_true(op_row(code)->traits & TRAIT_COLLECTIVE);
    assert_true(row->sent(8, 1000) > 0);
    for (uint32_t k = 0; k < 2; k++) {
      Route route = route_flat(k ? slow : fast, 8);
      Price price = collective_price(code, &route, 1000);
      assert_true(price.bytes == collective_sent(code, 8, 1000));
      assert_true(price.seconds >= price.bytes / route.levels[0].link.bytes_per_second);
      print_message("%-32s of 1000 bytes in a group of 8: %6.0f bytes, %6.1f us\n",
                    op_row(code)->name, price.bytes, price.seconds * 1e6);
    }
    // Back from where it leads to where it began.
    const Collective *inverse = collective_row(row->inverse);
    if (inverse) assert_int_equal(inverse->before, row->after);
  }
  assert_true(n_rows >= 6);
  assert_null(collective_row(OP_add));
  assert_true(near(collective_sent(OP_add, 8, 1000), 1000));
}

static void test_bytes(void **state) {
  (void)state;
  assert_true(near(collective_sent(OP_all_gather, 8, 1000), 7000));
  assert_true(near(collective_sent(OP_all_reduce, 8, 1000), 1750));
  assert_true(near(collective_sent(OP_reduce_scatter, 8, 1000), 875));
  assert_true(near(collective_sent(OP_all_to_all, 8, 1000), 875));
  assert_true(near(collective_sent(OP_collective_permute, 8, 1000), 1000));
}

static double seconds(uint16_t code, const Route *route, double held) {
  return collective_price(code, route, held).seconds;
}

static void test_one_level(void **state) {
  (void)state;
  Route route = route_flat(fast, 8);
  assert_true(near(seconds(OP_all_gather, &route, 1000), 4e-6 + 7e-6));
  assert_true(near(seconds(OP_reduce_scatter, &route, 8000), 4e-6 + 7e-6));
  assert_true(near(seconds(OP_all_reduce, &route, 8), 4e-6 + 3 * 8e-9));    // by doubling
  assert_true(near(seconds(OP_all_reduce, &route, 80000), 8e-6 + 140e-6));  // scatter, gather
  assert_true(near(seconds(OP_all_to_all, &route, 8000), 2e-6 + 6e-7 + 7e-6));
  assert_true(near(seconds(OP_collective_permute, &route, 1000), 2e-6 + 1e-6));
}

// 4 groups of 8: of an all-gather only 3 tiles come over the slow link.
static void test_two_levels(void **state) {
  (void)state;
  Route route = route_flat(slow, 4);
  route_add(&route, fast, 2);
  route_add(&route, fast, 4);
  assert_int_equal(route.n_levels, 2);
  assert_int_equal(route.levels[0].n, 8);
  assert_int_equal(route_size(&route), 32);
  assert_true(route_slowest(&route).bytes_per_second == slow.bytes_per_second);
  double latencies = 3 * 1e-6 + 3 * 1e-5;
  assert_true(near(seconds(OP_all_gather, &route, 1000), latencies + 3e-5 + 28e-6));
  assert_true(near(seconds(OP_reduce_scatter, &route, 32000), latencies + 28e-6 + 3e-5));
  double apart = 7 * 1e-7 + 7e-6 + 23 * 1e-6 + 24e-5;
  assert_true(near(seconds(OP_all_to_all, &route, 32000), 2e-5 + apart));
  assert_true(near(seconds(OP_collective_permute, &route, 1000), 2e-5 + 1e-5));
  Route flat = route_flat(slow, 32);
  for (uint16_t code = 0; code < OP_COUNT; code++)
    if (collective_row(code))
      assert_true(seconds(code, &route, 1e6) <= seconds(code, &flat, 1e6) * (1 + 1e-9));
}

static void test_many_levels(void **state) {
  (void)state;
  Route route = {0};
  for (uint32_t i = 0; i < 2 * ROUTE_MOST_LEVELS; i++)
    route_add(&route, (Link){1e-6, 1e9 / (i + 1), 0}, 2);
  assert_int_equal(route.n_levels, ROUTE_MOST_LEVELS);
  assert_int_equal(route_size(&route), 1 << 2 * ROUTE_MOST_LEVELS);
  for (uint32_t i = 1; i < route.n_levels; i++)
    assert_true(route.levels[i].link.bytes_per_second < route.levels[i - 1].link.bytes_per_second);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rows),        cmocka_unit_test(test_bytes),
      cmocka_unit_test(test_one_level),   cmocka_unit_test(test_two_levels),
      cmocka_unit_test(test_many_levels),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
