// Hex digits: blocks, words and the rest agree with decoding digit by digit, and an invalid
// character is found at any position.
#include "parse/read_dense.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 70 };

static void fill(char *digits, uint8_t *bytes, size_t n) {
  static const char lower[] = "0123456789abcdef", upper[] = "0123456789ABCDEF";
  for (size_t i = 0; i < n; i++) {
    bytes[i] = (uint8_t)(i * 73 + n * 11);
    digits[2 * i] = (i % 2 ? lower : upper)[bytes[i] >> 4];
    digits[2 * i + 1] = (i % 3 ? upper : lower)[bytes[i] & 15];
  }
}

static void test_digits(void **state) {
  (void)state;
  for (size_t n = 0; n <= MOST; n++) {
    char *digits = malloc(2 * n + 1);
    uint8_t expected[MOST + 1], *out = malloc(n + 1);
    fill(digits, expected, n);
    assert_true(hex_decode(digits, n, out));
    assert_memory_equal(out, expected, n);
    free(digits);
    free(out);
  }
}

static void test_no_digits(void **state) {
  (void)state;
  char digits[2 * MOST];
  uint8_t bytes[MOST], out[MOST];
  for (int c = 0; c < 256; c++) {
    bool is_digit = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
    for (size_t at = 0; at < 2 * MOST; at++) {
      fill(digits, bytes, MOST);
      digits[at] = (char)c;
      assert_int_equal(hex_decode(digits, MOST, out), is_digit);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_digits),
                                     cmocka_unit_test(test_no_digits)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
