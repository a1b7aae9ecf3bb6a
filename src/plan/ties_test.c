// Repeated layers: which ops are tied, in lists of ops without a program.
#include "plan/ties.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

enum { MOST = 4096 };

typedef struct List {
  TieOp ops[MOST];
  TieOperand operands[2 * MOST];
  uint32_t n, n_operands;
  uint32_t tie[MOST], tied;
} List;

// Appends an op that reads the results of two earlier ops; TIE_NONE - k: an argument of type k.
static uint32_t put(List *l, uint64_t key, uint32_t a, uint32_t b) {
  uint32_t from[2] = {a, b};
  l->ops[l->n] = (TieOp){key, l->n_operands, 2};
  for (uint32_t i = 0; i < 2; i++)
    l->operands[l->n_operands++] =
        from[i] > MOST ? (TieOperand){TIE_NONE, TIE_NONE - from[i]} : (TieOperand){from[i], 0};
  return l->n++;
}

#define ARGUMENT(k) (TIE_NONE - (k))

static Status *find_body(Guard *guard, void *arg) {
  List *l = arg;
  Arena arena;
  arena_init(&arena, guard);
  l->tied = ties_find(l->ops, l->n, l->operands, &arena, l->tie);
  arena_deinit(&arena);
  return NULL;
}

// A tie leads to an op that comes earlier, has the same key and is tied to nothing.
static void find(List *l) {
  assert_null(guard_run(find_body, l));
  uint32_t tied = 0;
  for (uint32_t i = 0; i < l->n; i++) {
    assert_true(l->tie[i] <= i);
    assert_int_equal(l->tie[l->tie[i]], l->tie[i]);
    assert_true(l->ops[l->tie[i]].key == l->ops[i].key);
    tied += l->tie[i] != i;
  }
  assert_int_equal(tied, l->tied);
}

// One layer: ops of keys `first` …, each reads the op before it and an argument of its own.
static uint32_t layer(List *l, uint32_t size, uint64_t first, uint32_t before) {
  for (uint32_t k = 0; k < size; k++) before = put(l, first + k, before, ARGUMENT(k));
  return before;
}

static void test_layers(void **state) {
  (void)state;
  static List l;
  l = (List){0};
  uint32_t at = layer(&l, 3, 1000, ARGUMENT(90));  // an embedding, which is no layer
  for (uint32_t i = 0; i < 12; i++) at = layer(&l, 10, 1, at);
  layer(&l, 5, 2000, at);  // a head
  find(&l);
  // The first op of the first layer reads the embedding: its distance is the same.
  assert_int_equal(l.tied, 11 * 10);
  for (uint32_t i = 0; i < l.n; i++) {
    bool inside = i >= 13 && i < 3 + 120;
    assert_int_equal(l.tie[i], inside ? 3 + (i - 3) % 10 : i);
  }
}

// Two equal ops of one layer, with equal arguments, stay apart: a layer has a query and a key.
static void test_within_a_layer(void **state) {
  (void)state;
  static List l;
  l = (List){0};
  uint32_t at = ARGUMENT(9);
  for (uint32_t i = 0; i < 8; i++) {
    uint32_t norm = put(&l, 1, at, ARGUMENT(1));
    uint32_t q = put(&l, 2, norm, ARGUMENT(2)), k = put(&l, 2, norm, ARGUMENT(2));
    uint32_t v = put(&l, 2, norm, ARGUMENT(2)), qk = put(&l, 3, q, k);
    uint32_t a = put(&l, 4, qk, v), o = put(&l, 2, a, ARGUMENT(2));
    put(&l, 5, o, ARGUMENT(3)), at = put(&l, 6, o, at);
  }
  find(&l);
  assert_true(l.tied >= 7 * 9 - 9);
  for (uint32_t i = 0; i < l.n; i++)
    for (uint32_t k = i / 9 * 9; k < i; k++) assert_true(l.tie[i] != l.tie[k]);
}

// No repetition, and stretches that are too short: nothing is tied.
static void test_nothing(void **state) {
  (void)state;
  static List l;
  l = (List){0};
  for (uint32_t i = 0; i < 200; i++) put(&l, i, i ? i - 1 : ARGUMENT(1), ARGUMENT(2));
  find(&l);
  assert_int_equal(l.tied, 0);
  l = (List){0};
  find(&l);
  assert_int_equal(l.tied, 0);
  layer(&l, 2, 1, ARGUMENT(9));
  layer(&l, 2, 1, 1);
  find(&l);
  assert_int_equal(l.tied, 0);
}

// Layers that differ in the type of one argument are not tied.
static void test_other_argument(void **state) {
  (void)state;
  static List l;
  l = (List){0};
  uint32_t at = ARGUMENT(90);
  for (uint32_t i = 0; i < 6; i++)
    for (uint32_t k = 0; k < 10; k++) at = put(&l, k, at, ARGUMENT(k == 4 && i % 2 ? 50 : k));
  find(&l);
  for (uint32_t i = 0; i < l.n; i++)
    if (i % 10 == 4) assert_true((l.tie[i] - l.tie[4]) % 20 == 0 || i / 10 % 2);
}

// Blocks of two layers, repeated: encoder blocks with equal halves. Every tie joins equal halves.
static void test_nested(void **state) {
  (void)state;
  static List l;
  l = (List){0};
  uint32_t at = ARGUMENT(90);
  for (uint32_t block = 0; block < 6; block++) {
    for (uint32_t i = 0; i < 4; i++) at = layer(&l, 9, 1, at);
    at = layer(&l, 7, 500, at);  // a downsampling between the blocks
  }
  find(&l);
  uint32_t size = 4 * 9 + 7;
  assert_true(l.tied >= 5 * size - 9);
  for (uint32_t i = 0; i < l.n; i++) {
    uint32_t in_block = l.tie[i] % size, own = i % size;
    if (own >= 36)
      assert_int_equal(in_block, own);
    else
      assert_int_equal(in_block % 9, own % 9);
  }
}

// A backward pass reads what the forward pass made, the last layer first: tied once the forward
// pass is.
static void test_backward(void **state) {
  (void)state;
  enum { LAYERS = 8, SIZE = 9 };
  static List l;
  l = (List){0};
  uint32_t at = ARGUMENT(90);
  for (uint32_t i = 0; i < LAYERS; i++) at = layer(&l, SIZE, 1, at);
  for (uint32_t i = LAYERS; i-- > 0;)
    for (uint32_t k = SIZE; k-- > 0;) at = put(&l, 100 + k, at, i * SIZE + k);
  find(&l);
  assert_true(l.tied >= 2 * (LAYERS - 1) * SIZE - 2);
  for (uint32_t i = LAYERS * SIZE; i < l.n; i++) assert_true(l.tie[i] >= LAYERS * SIZE);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_layers),  cmocka_unit_test(test_within_a_layer),
      cmocka_unit_test(test_nothing), cmocka_unit_test(test_other_argument),
      cmocka_unit_test(test_nested),  cmocka_unit_test(test_backward)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
