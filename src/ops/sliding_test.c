// Windows folded at once are bit-identical to windows folded one by one, with a body that is
// neither associative nor commutative, so that another tree would show.
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "ops/sliding.h"

#include "ops/eval_fixture.h"

static Status *run_body(EvalContext *cx, RegionId region, uint32_t n, Literal *const *in,
                        uint32_t n_out, Literal **out) {
  (void)region;
  (void)n;
  Scalar v[4];
  for (uint32_t i = 0; i < 2 * n_out; i++) v[i] = literal_get(in[i], 0);
  for (uint32_t i = 0; i < n_out; i++) {
    out[i] = literal_new(cx->heap, cx->context, in[i]->elem, 0, NULL);
    uint64_t a = (uint64_t)v[i].i, b = (uint64_t)v[n_out + (i + 1) % n_out].i;
    literal_set(out[i], 0, scalar_i((int64_t)((3 * a + 1) ^ (b * 7 + (a >> 5)))));
  }
  return NULL;
}

static void expect_same(EvalFixture *f, uint32_t n, int64_t size, int64_t stride,
                        int64_t positions) {
  EvalHost host = {.run_region = run_body};
  f->cx.host = &host;
  Reducer reducer = {.cx = &f->cx, .n = n};
  Type elems[2] = {type_scalar(DT_i64), type_scalar(DT_i64)};
  Scalar init[2] = {scalar_i(11), scalar_i(-4)};
  Sliding s = {.reducer = &reducer,
               .elems = elems,
               .init = init,
               .size = size,
               .stride = stride,
               .positions = positions};
  ArenaMark mark = arena_mark(&f->scratch);
  int64_t length = sliding_length(size, stride, positions);
  assert_int_equal(length, (positions - 1) * stride + size);
  sliding_init(&s);
  Scalar *line = ARENA_ARRAY(&f->scratch, Scalar, (size_t)length * n);
  for (int64_t i = 0; i < length * n; i++)
    s.line[i] = line[i] = scalar_i(fixture_int(f, -999, 999));
  assert_null(sliding_fold(&s));
  Fold fold;
  fold_init(&fold, &reducer, elems, init);
  for (int64_t k = 0; k < positions; k++) {
    Scalar one[2];
    for (int64_t i = 0; i < size; i++) assert_null(fold_add(&fold, line + (k * stride + i) * n));
    assert_null(fold_end(&fold, one));
    for (uint32_t i = 0; i < n; i++) assert_int_equal(s.out[k * n + i].i, one[i].i);
  }
  arena_rewind(&f->scratch, mark);
}

static void same_as_one_by_one(EvalFixture *f) {
  for (int64_t size = 2 * FOLD_RUN; size < 80; size++, f->cx.reassociation = (uint8_t)(size % 3))
    expect_same(f, 1 + (size & 1), size, fixture_int(f, 1, 4), fixture_int(f, 1, 20));
  for (int k = 0; k < 20; k++)
    expect_same(f, 1, fixture_int(f, 2 * FOLD_RUN, 700), fixture_int(f, 1, 90),
                fixture_int(f, 1, 9));
}

static void test_same_as_one_by_one(void **state) {
  (void)state;
  void (*body)(EvalFixture *) = same_as_one_by_one;
  assert_null(guard_run(eval_fixture_body, &body));
}

static void test_what_pays(void **state) {
  (void)state;
  assert_true(sliding_pays(1024, 1, 1024));   // a running sum
  assert_false(sliding_pays(3, 1, 1024));     // pooling
  assert_false(sliding_pays(1024, 1, 1));     // one window
  assert_false(sliding_pays(64, 64, 64));     // windows that share nothing
  assert_false(sliding_pays(4, 1, 1 << 20));  // shorter than a run
  assert_int_equal(sliding_length(INT64_MAX, 2, 3), INT64_MAX);
  assert_false(sliding_pays(INT64_MAX, INT64_MAX, 3));
  assert_int_equal(sliding_length(5, 1, 0), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_same_as_one_by_one),
      cmocka_unit_test(test_what_pays),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
