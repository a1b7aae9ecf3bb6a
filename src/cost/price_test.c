// Sums of prices, and which of two choices wins: seconds, near ties, bytes.
#include "cost/price.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cost/tuning.h"

static const Link link = {.latency_seconds = 1e-6, .bytes_per_second = 1e9};

static bool near(double a, double b) { return fabs(a - b) <= 1e-12 + 1e-9 * fabs(b); }

static void test_sums(void **state) {
  (void)state;
  Price a = {3e-6, 1000, 1e-6}, b = {5e-6, 500, 5e-7};
  Price sum = price_sum(a, b), half = price_divided(sum, 2), tenth = price_times(sum, 0.1);
  assert_true(near(sum.seconds, 8e-6) && near(sum.bytes, 1500));
  assert_true(near(half.seconds, 4e-6) && near(tenth.bytes, 150));
  Price steps = price_steps(link, 2, 1000);
  assert_true(near(steps.seconds, 3e-6) && near(steps.bytes, 1000));
  // b is the longer one; a's 1000 bytes take 1 us more.
  assert_true(near(price_overlapped(a, b).seconds, 6e-6));
  assert_true(near(price_overlapped(b, a).seconds, 6e-6));
}

static void test_weighed(void **state) {
  (void)state;
  Price price = {1e-6, 3000, 3e-6};
  assert_true(near(price_weighed(price, 0, link), 1e-6));
  assert_true(
      near(price_weighed(price, 1000, link), 1e-6 + 3 * 1e-6 * tuning.bytes_weight_latencies));
}

static bool better(double seconds, double bytes, double than_seconds, double than_bytes) {
  double per_second = link.bytes_per_second;
  PricedChoice best = {than_seconds, than_bytes / per_second, 0, false};
  PricedChoice other = {seconds, bytes / per_second, 0, false};
  return price_is_better(&best, &other, link.latency_seconds, tuning.bytes_weight_latencies);
}

static void test_better(void **state) {
  (void)state;
  assert_true(better(1e-3, 1e6, 2e-3, 1e6));
  assert_false(better(2e-3, 1e6, 1e-3, 1e6));
  assert_false(better(1e-3, 1e6, 1e-3, 1e6));
  assert_true(better(1e-3 + 1e-6, 1e6, 1e-3, 1.1e6));  // a tie: fewer bytes win
  assert_false(better(1e-3 + 1e-5, 1e6, 1e-3, 1.1e6));
  assert_true(better(1e-3 - 1e-7, 1e6, 1e-3, 1e6));  // as many bytes: any gain counts
  // 100 us are more than the penalty for ten times the bytes, and less than that for a hundred
  // times; without a penalty they always win.
  double seconds = 100 * link.latency_seconds, bytes = link.bytes_per_second * 1e-9;
  PricedChoice few = {2 * seconds, bytes / link.bytes_per_second, 0, false}, many = few;
  many.seconds = seconds;
  many.transfer_seconds = 10 * few.transfer_seconds;
  assert_true(price_is_better(&few, &many, link.latency_seconds, tuning.bytes_weight_latencies));
  many.transfer_seconds = 100 * few.transfer_seconds;
  assert_false(price_is_better(&few, &many, link.latency_seconds, tuning.bytes_weight_latencies));
  assert_true(price_is_better(&few, &many, link.latency_seconds, 0));
}

static void test_sharing(void **state) {
  (void)state;
  assert_true(price_pays_sharing(1e-3, 1e-5));
  assert_false(price_pays_sharing(1e-3, 1e-3));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sums),
      cmocka_unit_test(test_weighed),
      cmocka_unit_test(test_better),
      cmocka_unit_test(test_sharing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
