// Against a linear search for the least item.
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>

#include <cmocka.h>

#include "base/heap.h"

enum { MOST = 200 };

typedef struct Item {
  uint32_t key, id;
  unsigned char odd[3];  // an item size that is no power of two
} Item;

static bool before(const void *a, const void *b, const void *user) {
  const Item *x = a, *y = b;
  ++*(uint32_t *)user;
  return x->key != y->key ? x->key < y->key : x->id < y->id;
}

static uint32_t next(uint32_t *state) {
  *state = *state * 1664525u + 1013904223u;
  return *state >> 16;
}

static Item item(uint32_t *state, uint32_t id) {
  return (Item){next(state) % 50, id, {(unsigned char)id, 0, 7}};
}

static void pops_the_least(void **unused) {
  (void)unused;
  uint32_t calls = 0, state = 1, count = 0, made = 0;
  HeapOrder order = {sizeof(Item), before, &calls};
  Item items[MOST];
  for (uint32_t step = 0; step < 20000; step++) {
    if (count < MOST && (!count || next(&state) % 2)) {
      items[count++] = item(&state, made++);
      heap_push(items, count, &order);
      continue;
    }
    Item least = items[0];
    for (uint32_t i = 1; i < count; i++)
      if (before(&items[i], &least, &calls)) least = items[i];
    heap_pop(items, count, &order);
    Item first = items[--count];
    assert_int_equal(first.id, least.id);
    assert_int_equal(first.odd[0], (unsigned char)least.id);
    assert_int_equal(first.odd[2], 7);
  }
  assert_true(calls > 0);
}

static void sorts(void **unused) {
  (void)unused;
  uint32_t calls = 0, state = 2;
  HeapOrder order = {sizeof(Item), before, &calls};
  heap_sort(NULL, 0, &order);
  for (uint32_t count = 1; count <= MOST; count++) {
    Item items[MOST];
    bool seen[MOST] = {false};
    for (uint32_t i = 0; i < count; i++) items[i] = item(&state, i);
    heap_sort(items, count, &order);
    for (uint32_t i = 0; i < count; i++) {
      assert_false(seen[items[i].id]);
      seen[items[i].id] = true;
      if (i) assert_true(before(&items[i - 1], &items[i], &calls));
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(pops_the_least), cmocka_unit_test(sorts)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
