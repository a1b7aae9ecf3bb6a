// Literals: shapes and sizes, references, splats, limits, and every allocation that can fail.
#include "tensor/literal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/mem.h"

typedef struct Job {
  size_t limit;
  int64_t dims[3];
  Context *context;
} Job;

// Makes a few literals of each kind and frees them in another order.
static Status *use_heap(Guard *guard, void *arg) {
  Job *job = arg;
  (void)job;
  Context *context = context_new(guard);
  LiteralHeap heap;
  literal_heap_init(&heap, guard, 0);
  int64_t dims[2] = {2, 3};
  Literal *a = literal_new(&heap, context, DT_f32, 2, dims);
  assert_int_equal(a->count, 6);
  for (int64_t i = 0; i < 6; i++) assert_true(literal_get(a, i).f == 0);
  literal_set(a, 5, scalar_f(2.5));
  int64_t flat[1] = {6};
  Literal *b = literal_reshape(a, 1, flat);
  assert_true(literal_get(b, 5).f == 2.5);
  Literal *items[2] = {a, b};
  Literal *tuple = literal_tuple(&heap, LITERAL_TUPLE, 2, items);
  literal_release(a);
  assert_int_equal(tuple->items[0]->refs, 1);
  Literal *token = literal_token(&heap);
  literal_release(tuple);
  assert_int_equal(b->refs, 1);
  literal_release(b);
  literal_release(token);
  assert_int_equal(heap.bytes, 0);
  assert_null(heap.first);
  int32_t seven = 7;
  int64_t many[1] = {1000};
  Type type = type_tensor(context, DT_i32, 1, many, 0);
  Literal *splat =
      literal_from_dense(&heap, context, attr_dense(context, type, &seven, sizeof seven));
  for (int64_t i = 0; i < 1000; i++) assert_int_equal(literal_get(splat, i).i, 7);
  literal_heap_deinit(&heap);
  context_free(context);
  return NULL;
}

static void test_use(void **state) {
  (void)state;
  Job job = {0};
  Status *status = guard_run(use_heap, &job);
  assert_null(status);
}

static void release_heap(void *heap) { literal_heap_deinit(heap); }

static Status *make_one(Guard *guard, void *arg) {
  Job *job = arg;
  LiteralHeap heap;
  literal_heap_init(&heap, guard, job->limit);
  GuardCleanup cleanup = {.release = release_heap, .object = &heap};
  guard_push(guard, &cleanup);
  Literal *l = literal_new(&heap, job->context, DT_f64, 3, job->dims);
  assert_int_equal(l->count, job->dims[2] ? job->dims[0] * job->dims[1] * job->dims[2] : 0);
  guard_pop(guard, &cleanup);
  literal_heap_deinit(&heap);
  return NULL;
}

static StatusCode make_code(Job *job) {
  Status *status = guard_run(make_one, job);
  StatusCode code = status_code(status);
  status_free(status);
  return code;
}

static Status *test_limits_in(Guard *guard, void *arg) {
  (void)arg;
  Context *context = context_new(guard);
  int64_t huge = INT64_C(1) << 40;
  assert_int_equal(make_code(&(Job){.dims = {4, 4, 4}, .context = context}), OK);
  assert_int_equal(make_code(&(Job){.dims = {huge, huge, huge}, .context = context}),
                   RESOURCE_EXHAUSTED);
  assert_int_equal(make_code(&(Job){.dims = {huge, huge, 0}, .context = context}), OK);
  assert_int_equal(make_code(&(Job){.dims = {-1, 2, 2}, .context = context}), RESOURCE_EXHAUSTED);
  assert_int_equal(make_code(&(Job){.limit = 400, .dims = {4, 4, 4}, .context = context}),
                   RESOURCE_EXHAUSTED);
  assert_int_equal(make_code(&(Job){.limit = 1000, .dims = {4, 4, 4}, .context = context}), OK);
  mem_fail_at(1);
  assert_int_equal(make_code(&(Job){.dims = {4, 4, 4}, .context = context}), RESOURCE_EXHAUSTED);
  mem_fail_at(0);
  context_free(context);
  return NULL;
}

static void test_limits(void **state) {
  (void)state;
  Status *status = guard_run(test_limits_in, NULL);
  assert_null(status);
}

static void test_shapes(void **state) {
  (void)state;
  int64_t dims[3] = {2, 0, 3}, strides[3], index[2] = {0, 0}, small[2] = {2, 2};
  shape_strides(3, dims, strides);
  assert_int_equal(strides[2], 1);
  assert_int_equal(strides[1], 3);
  assert_int_equal(strides[0], 0);
  int64_t seen = 0;
  do assert_int_equal(shape_linear(2, small, index), seen++);
  while (shape_next(2, small, index));
  assert_int_equal(seen, 4);
  assert_false(shape_next(0, NULL, NULL));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_use), cmocka_unit_test(test_limits),
                                     cmocka_unit_test(test_shapes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
