// Offsets never overlap while buffers are alive; the arena is close to the bound.
#include "schedule/assign.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { ALIGN = 64, MOST = 300 };

static void check(uint32_t n, Span *spans, uint64_t *out_bytes, uint64_t *out_bound) {
  Arena arena;
  arena_init(&arena, NULL);
  *out_bytes = assign_offsets(n, spans, ALIGN, &arena);
  *out_bound = assign_bound(n, spans, ALIGN, &arena);
  for (uint32_t i = 0; i < n; i++) {
    assert_int_equal(spans[i].offset % ALIGN, 0);
    assert_true(spans[i].offset + spans[i].bytes <= *out_bytes);
    for (uint32_t k = 0; k < i; k++) {
      bool together = spans[i].from <= spans[k].to && spans[k].from <= spans[i].to;
      bool apart = spans[i].offset + spans[i].bytes <= spans[k].offset ||
                   spans[k].offset + spans[k].bytes <= spans[i].offset;
      assert_true(!together || apart);
    }
  }
  assert_true(*out_bytes >= *out_bound);
  arena_deinit(&arena);
}

static void test_chain_reuses(void **state) {
  (void)state;
  Span spans[10];
  for (uint32_t i = 0; i < 10; i++) spans[i] = (Span){.bytes = 1000, .from = i, .to = i + 1};
  uint64_t bytes, bound;
  check(10, spans, &bytes, &bound);
  assert_int_equal(bytes, 2 * 1024);
}

static void test_random(void **state) {
  (void)state;
  srand(7);
  double used = 0, least = 0;
  for (int round = 0; round < 200; round++) {
    Span spans[MOST];
    uint32_t n = 1 + (uint32_t)rand() % MOST;
    for (uint32_t i = 0; i < n; i++) {
      uint32_t from = (uint32_t)rand() % 200, length = (uint32_t)rand() % (rand() % 10 ? 6 : 150);
      spans[i] = (Span){.bytes = (uint64_t)(rand() % (1 << (rand() % 16 + 1))),
                        .from = from,
                        .to = from + length};
    }
    uint64_t bytes, bound;
    check(n, spans, &bytes, &bound);
    used += (double)bytes;
    least += (double)bound;
  }
  assert_true(used < 1.25 * least);
}

static void test_overflow(void **state) {
  (void)state;
  Span spans[2] = {{.bytes = UINT64_MAX - 3}, {.bytes = UINT64_MAX - 3}};
  Arena arena;
  arena_init(&arena, NULL);
  assert_true(assign_offsets(2, spans, ALIGN, &arena) == UINT64_MAX);
  arena_deinit(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_chain_reuses),
      cmocka_unit_test(test_random),
      cmocka_unit_test(test_overflow),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
