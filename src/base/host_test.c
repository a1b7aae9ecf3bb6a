// What /proc tells about this computer.
#include "base/host.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"

static void test_host(void **state) {
  (void)state;
  Host host;
  host_read(&host);
  assert_true(strlen(host.cpu) > 0);
  assert_true(host.cores >= 1);
  assert_true(host.memory_bytes >= host.available_bytes);
}

static void test_peak_grows(void **state) {
  (void)state;
  enum { BYTES = 64 << 20 };
  host_peak_reset();
  uint64_t before = host_peak_bytes();
  if (!before) return;  // no /proc
  char *block = mem_pages_new(BYTES);
  assert_non_null(block);
  memset(block, 1, BYTES);
  assert_true(host_peak_bytes() >= before + BYTES / 2);
  mem_pages_free(block, BYTES);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_host),
                                     cmocka_unit_test(test_peak_grows)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
