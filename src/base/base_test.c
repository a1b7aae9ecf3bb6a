// base/: errors with a return trace, guards that unwind and clean up, arenas that rewind and
// respect their limit, maps, text, and diagnostics with a caret.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/idmap.h"
#include "base/mem.h"
#include "base/vec.h"

static Status *inner(void) { FAIL(NOT_FOUND, "no axis '%s'", "data"); }

static Status *outer(void) {
  TRY(inner());
  return NULL;
}

static void test_status(void **state) {
  (void)state;
  Status *s = outer();
  assert_int_equal(status_code(s), NOT_FOUND);
  assert_string_equal(status_message(s), "no axis 'data'");
  assert_non_null(strchr(status_trace(s), '\n'));
  status_free(s);
  status_free(status_no_memory());
  mem_fail_at(1);
  s = outer();
  mem_fail_at(0);
  assert_ptr_equal(s, status_no_memory());
}

static void count_release(void *object) { ++*(int *)object; }

static Status *throws(Guard *guard, void *arg) {
  GuardCleanup a = {count_release, arg, NULL}, b = {count_release, arg, NULL};
  guard_push(guard, &a);
  guard_push(guard, &b);
  guard_pop(guard, &b);
  guard_throw(guard, status_new(ABORTED, "f", 1, "stop"));
}

static void test_guard(void **state) {
  (void)state;
  int released = 0;
  Status *s = guard_run(throws, &released);
  assert_int_equal(status_code(s), ABORTED);
  assert_int_equal(released, 1);
  status_free(s);
}

static Status *fill_arena(Guard *guard, void *arg) {
  Arena *arena = arg;
  arena_guard(arena, guard);
  ArenaMark mark = arena_mark(arena);
  for (int round = 0; round < 3; round++) {
    for (size_t n = 1; n < 5000; n += 37) {
      char *block = arena_alloc(arena, n);
      assert_int_equal((uintptr_t)block % 16, 0);
      memset(block, 1, n);
    }
    arena_rewind(arena, mark);
    assert_true(arena->bytes <= 1 << 18);  // a small chunk stays
  }
  VEC(uint64_t) v = {0};
  for (uint64_t i = 0; i < 1000; i++) VEC_PUSH(arena, &v, i * i);
  for (uint64_t i = 0; i < 1000; i++) assert_true(v.items[i] == i * i);
  assert_string_equal(arena_printf(arena, "%d-%s", 4, "x"), "4-x");
  arena->limit_bytes = arena->bytes;
  for (int i = 0; i < 1000000; i++) arena_alloc(arena, 100);
  FAIL(INTERNAL, "the limit was not enforced");
}

// Memory that is adopted stays valid, whichever of the two arenas was empty.
static Status *adopt_arenas(Guard *guard, void *arg) {
  (void)arg;
  for (uint32_t filled = 0; filled < 4; filled++) {
    Arena to, from;
    arena_init(&to, guard);
    arena_init(&from, guard);
    char *blocks[4] = {0};
    for (uint32_t i = 0; filled & 1 && i < 2; i++) blocks[i] = arena_printf(&to, "%9000u", i);
    for (uint32_t i = 2; filled & 2 && i < 4; i++) blocks[i] = arena_printf(&from, "%9000u", i);
    size_t bytes = to.bytes + from.bytes;
    arena_adopt(&to, &from);
    assert_true(to.bytes == bytes && from.bytes == 0 && !from.chunk);
    assert_string_equal(arena_printf(&to, "after"), "after");
    for (uint32_t i = 0; i < 4; i++)
      if (blocks[i]) assert_true(blocks[i][8999] == (char)('0' + i) && !blocks[i][9000]);
    arena_deinit(&from);
    arena_deinit(&to);
  }
  return NULL;
}

static void test_adopt(void **state) {
  (void)state;
  assert_null(guard_run(adopt_arenas, NULL));
}

static void test_arena(void **state) {
  (void)state;
  Arena arena;
  arena_init(&arena, NULL);
  Status *s = guard_run(fill_arena, &arena);
  assert_int_equal(status_code(s), RESOURCE_EXHAUSTED);
  status_free(s);
  arena_deinit(&arena);
}

static bool id_is(const void *owner, uint32_t id, const void *key) {
  (void)owner;
  return id == *(const uint32_t *)key;
}

static Status *use_map(Guard *guard, void *arg) {
  (void)arg;
  IdMap map = {0};
  // Few distinct hashes: long probe sequences.
  for (uint32_t id = 2; id <= 300; id += 2) idmap_add(&map, guard, id % 7, id);
  for (uint32_t id = 1; id <= 300; id++)
    assert_int_equal(idmap_find(&map, id % 7, id_is, NULL, &id), id % 2 ? 0 : id);
  assert_int_equal(map.count, 150);
  idmap_deinit(&map);
  return NULL;
}

static void test_idmap(void **state) {
  (void)state;
  assert_null(guard_run(use_map, NULL));
}

static Status *diagnose(Guard *guard, void *arg) {
  (void)arg;
  static const char text[] = "first\n  second line\n";
  Source source = {.path = "a.mlir", .text = text, .size = sizeof text - 1};
  Diag diag;
  diag_init(&diag, guard, &source);
  assert_null(diag_status(&diag));
  assert_false(diag_error(&diag, 8, "got %d, expected %d", 3, 4));
  diag_note(&diag, POS_NONE, "as declared here");
  StrBuf out;
  strbuf_init(&out, guard);
  diag_render(&diag, &out, false);
  assert_string_equal(out.data, "a.mlir:2:3: error: got 3, expected 4\n    second line\n    ^\n"
                                "a.mlir: note: as declared here\n");
  Status *s = diag_status(&diag);
  assert_string_equal(status_message(s), "a.mlir:2:3: got 3, expected 4");
  status_free(s);
  strbuf_deinit(&out);
  diag_deinit(&diag);
  return NULL;
}

// With an index every position has the same line and column as without.
static void test_source_index(void **state) {
  (void)state;
  static char text[20000];
  for (size_t i = 0; i < sizeof text; i++) text[i] = i % 97 == 0 || i % 4096 == 4095 ? '\n' : 'x';
  Source counted = {.path = "a", .text = text, .size = sizeof text}, indexed = counted;
  source_index(&indexed);
  assert_non_null(indexed.lines);
  for (Pos pos = 0; pos <= sizeof text + 1; pos++) {
    uint32_t line, column, line_wanted, column_wanted;
    source_locate(&indexed, pos, &line, &column);
    source_locate(&counted, pos, &line_wanted, &column_wanted);
    assert_int_equal(line, line_wanted);
    assert_int_equal(column, column_wanted);
  }
  source_unindex(&indexed);
}

static void test_diag(void **state) {
  (void)state;
  assert_null(guard_run(diagnose, NULL));
}

static Status *write_text(Guard *guard, void *arg) {
  (void)arg;
  StrBuf out;
  strbuf_init(&out, guard);
  strbuf_put_int(&out, INT64_MIN);
  strbuf_putc(&out, ' ');
  strbuf_put_int(&out, 0);
  strbuf_printf(&out, " %s", "end");
  assert_string_equal(out.data, "-9223372036854775808 0 end");
  strbuf_deinit(&out);
  return NULL;
}

static void test_strbuf(void **state) {
  (void)state;
  assert_null(guard_run(write_text, NULL));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_status),       cmocka_unit_test(test_guard),
      cmocka_unit_test(test_arena),        cmocka_unit_test(test_adopt),
      cmocka_unit_test(test_idmap),        cmocka_unit_test(test_diag),
      cmocka_unit_test(test_source_index), cmocka_unit_test(test_strbuf),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
