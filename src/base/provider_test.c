// Where providers are searched. Any library with a symbol can stand for a provider: here libm.
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/provider.h"

#include <stdlib.h>

static void absent_is_null(void **state) {
  (void)state;
  unsetenv("TESSERA_PROVIDERS");
  assert_null(provider_find("libtessera_absent.so", "tsr_absent_provider"));
  setenv("TESSERA_PROVIDERS", "", 1);
  assert_null(provider_find("libm.so.6", "cos"));
  setenv("TESSERA_PROVIDERS", "/nowhere::/nowhere/else:", 1);
  assert_null(provider_find("libm.so.6", "cos"));
  unsetenv("TESSERA_PROVIDERS");
}

static void by_the_loader(void **state) {
  (void)state;
  unsetenv("TESSERA_PROVIDERS");
  const void *found = provider_find("libm.so.6", "cos");
  assert_non_null(found);
  assert_ptr_equal(provider_find("libm.so.6", "cos"), found);
  assert_null(provider_find("libm.so.6", "tsr_no_such_symbol"));
}

static void none_forbids_all(void **state) {
  (void)state;
  setenv("TESSERA_PROVIDERS", "none", 1);
  assert_null(provider_find("libm.so.6", "cos"));
  unsetenv("TESSERA_PROVIDERS");
}

// A file that is no library, and one that is.
static void by_directory(void **state) {
  (void)state;
  setenv("TESSERA_PROVIDERS", "/nowhere:/proc/self", 1);
  assert_null(provider_find("status", "cos"));
  unsetenv("TESSERA_PROVIDERS");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(absent_is_null),
      cmocka_unit_test(by_the_loader),
      cmocka_unit_test(none_forbids_all),
      cmocka_unit_test(by_directory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
