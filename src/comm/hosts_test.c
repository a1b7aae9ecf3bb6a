// Shares of processors for ranks on one or two hosts, bound or not.
#include "comm/hosts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static RankPlace place(const char *host, uint64_t cpus, uint32_t n_online) {
  RankPlace place = {.cpus = {cpus}, .n_online = n_online};
  snprintf(place.host, sizeof place.host, "%s", host);
  return place;
}

static void test_shares(void **state) {
  (void)state;
  RankPlace free[] = {place("a", 0xff, 8), place("a", 0xff, 8), place("b", 0xf, 4)};
  assert_int_equal(hosts_workers(3, free, 0), 4);
  assert_int_equal(hosts_workers(3, free, 1), 4);
  assert_int_equal(hosts_workers(3, free, 2), 4);
  assert_false(hosts_is_confined(3, free, 0));
  RankPlace crowded[] = {place("a", 1, 1), place("a", 1, 1), place("a", 1, 1)};
  assert_int_equal(hosts_workers(3, crowded, 1), 1);
  assert_false(hosts_is_confined(3, crowded, 1));
}

// Open MPI binds two ranks to one processor each: warn if others are unused.
static void test_bound(void **state) {
  (void)state;
  RankPlace bound[] = {place("a", 1, 8), place("a", 2, 8)};
  assert_int_equal(hosts_workers(2, bound, 0), 1);
  assert_true(hosts_is_confined(2, bound, 0));
  RankPlace exact[] = {place("a", 1, 2), place("a", 2, 2)};
  assert_false(hosts_is_confined(2, exact, 1));
  RankPlace halves[] = {place("a", 0x0f, 8), place("a", 0xf0, 8)};
  assert_int_equal(hosts_workers(2, halves, 1), 4);
  assert_false(hosts_is_confined(2, halves, 1));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_shares), cmocka_unit_test(test_bound)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
