#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>

#include <cmocka.h>

#include "base/cursor.h"

static Cursor on(const char *text, bool comments) {
  return (Cursor){text, 0, strlen(text), " \t", comments};
}

static bool is_lower(char c) { return c >= 'a' && c <= 'z'; }

static void takes_words_behind_blanks(void **state) {
  (void)state;
  Cursor c = on(" \tab (c ->d", false);
  assert_true(str_is(cursor_take_while(&c, is_lower), "ab"));
  assert_int_equal(c.at, 4);
  assert_int_equal(cursor_take_while(&c, is_lower).n, 0);
  assert_false(cursor_take(&c, ')'));
  assert_true(cursor_take(&c, '('));
  assert_true(str_is(cursor_take_while(&c, is_lower), "c"));
  assert_false(cursor_take_text(&c, "-->"));
  assert_true(cursor_take_text(&c, "->"));
  assert_true(str_is(cursor_rest(&c), "d"));
  assert_int_equal(cursor_peek(&c), 'd');
  assert_true(cursor_take(&c, 'd'));
  assert_int_equal(cursor_peek(&c), 0);
  assert_false(cursor_take(&c, '\0'));
  assert_false(cursor_take_text(&c, "d"));
  assert_true(cursor_take_text(&c, ""));
  assert_int_equal(c.at, c.end);
}

static void stops_at_a_line_end_that_is_no_blank(void **state) {
  (void)state;
  Cursor c = on(" \n", false);
  assert_int_equal(cursor_peek(&c), '\n');
  c.blanks = " \n";
  assert_int_equal(cursor_peek(&c), 0);
}

static void a_zero_byte_is_no_blank(void **state) {
  (void)state;
  Cursor c = {" \0x", 0, 3, " ", false};
  assert_int_equal(cursor_peek(&c), 0);
  assert_int_equal(c.at, 1);
}

static void skips_comments_if_there_are_any(void **state) {
  (void)state;
  Cursor c = on(" /* a *//**/ b", true);
  assert_int_equal(cursor_peek(&c), 'b');
  c = on(" /* a */", false);
  assert_int_equal(cursor_peek(&c), '/');
  c = on(" /* a *", true);  // without an end
  assert_int_equal(cursor_peek(&c), '/');
  c = on("/*/", true);
  assert_int_equal(cursor_peek(&c), '/');
}

static void trims(void **state) {
  (void)state;
  assert_true(str_is(str_trim(str_of(" \ta b\t"), " \t"), "a b"));
  assert_true(str_is(str_trim(str_of("a\n"), " "), "a\n"));
  assert_int_equal(str_trim(str_of("  "), " ").n, 0);
  assert_int_equal(str_trim((Str){NULL, 0}, " ").n, 0);
  assert_int_equal(str_trim((Str){"\0", 1}, " ").n, 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(takes_words_behind_blanks),
      cmocka_unit_test(stops_at_a_line_end_that_is_no_blank),
      cmocka_unit_test(a_zero_byte_is_no_blank),
      cmocka_unit_test(skips_comments_if_there_are_any),
      cmocka_unit_test(trims),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
