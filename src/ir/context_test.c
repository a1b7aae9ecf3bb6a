// Interning: equal records get one id in any order of creation; hashes agree between contexts; text
// is MLIR's.
#include "ir/context.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "base/mem.h"

static Status *types(Guard *guard, void *arg) {
  (void)arg;
  Context *c = context_new(guard);
  int64_t dims[2] = {4, DIM_DYNAMIC};
  Type t = type_tensor(c, DT_f32, 2, dims, 0);
  assert_int_equal(t, type_tensor(c, DT_f32, 2, dims, 0));
  assert_int_not_equal(t, type_tensor(c, DT_f64, 2, dims, 0));
  assert_string_equal(type_text(c, t), "tensor<4x?xf32>");
  assert_string_equal(type_text(c, type_tensor(c, DT_i1, 0, NULL, 0)), "tensor<i1>");
  assert_string_equal(type_text(c, type_unranked(c, DT_i1)), "tensor<*xi1>");
  Type both[2] = {t, type_token(c)};
  assert_string_equal(type_text(c, type_tuple(c, 2, both)),
                      "tuple<tensor<4x?xf32>, !stablehlo.token>");
  assert_string_equal(type_text(c, type_function(c, 1, both, 0, NULL)), "(tensor<4x?xf32>) -> ()");
  assert_int_equal(type_function(c, 1, both, 1, both), type_function(c, 1, both, 1, both));
  double scales[2] = {0.5, 0.25};
  int64_t zeros[2] = {0, -3};
  QuantInfo q = {.storage = DT_i8,
                 .expressed = DT_f32,
                 .min = -128,
                 .max = 127,
                 .axis = 1,
                 .count = 2,
                 .scales = scales,
                 .zero_points = zeros};
  Type quant = type_quant(c, &q);
  assert_string_equal(type_text(c, type_tensor(c, quant, 2, dims, 0)),
                      "tensor<4x?x!quant.uniform<i8:f32:1, {5.000000e-01,2.500000e-01:-3}>>");
  assert_int_equal(type_dtype(c, quant), DT_i8);
  assert_false(type_is_static(c, t));
  int64_t count, huge[3] = {INT64_MAX, 2, 0};
  assert_true(type_count(c, type_tensor(c, DT_f32, 3, huge, 0), &count));
  assert_int_equal(count, 0);
  assert_false(type_count(c, type_tensor(c, DT_f32, 2, huge, 0), &count));
  context_free(c);
  return NULL;
}

static Status *attrs(Guard *guard, void *arg) {
  (void)arg;
  Context *c = context_new(guard), *d = context_new(guard);
  name_of(d, "shifts the ids");
  NamedAttr ab[2] = {{name_of(c, "b"), attr_i64(c, 2)}, {name_of(c, "a"), attr_unit(c)}};
  NamedAttr ba[2] = {ab[1], ab[0]};
  Attr x = attr_dict(c, 2, ab);
  assert_int_equal(x, attr_dict(c, 2, ba));
  assert_int_equal(attr_as_int(c, attr_get(c, x, "b"), 0), 2);
  assert_int_equal(attr_get(c, x, "c"), 0);
  assert_int_equal(attr_fields_repeat(c, 2, ab), 0);
  ba[0] = ba[1];
  assert_int_equal(attr_fields_repeat(c, 2, ba), name_of(c, "b"));
  NamedAttr other[2] = {{name_of(d, "a"), attr_unit(d)}, {name_of(d, "b"), attr_i64(d, 2)}};
  assert_true(attr_hash(c, x) == attr_hash(d, attr_dict(d, 2, other)));
  // All elements equal: a splat, as in MLIR.
  int64_t four = 4;
  Type t = type_tensor(c, DT_i32, 1, &four, 0);
  int32_t same[4] = {7, 7, 7, 7}, mixed[4] = {7, 7, 7, 8};
  assert_true(attr_info(c, attr_dense(c, t, same, sizeof same))->splat);
  assert_false(attr_info(c, attr_dense(c, t, mixed, sizeof mixed))->splat);
  Ints ints = attr_as_ints(c, attr_dense(c, t, same, sizeof same));
  assert_true(ints.ok && ints.n == 4 && ints.v[3] == 7);
  assert_int_equal(attr_dict_with(c, x, "a", 0), attr_dict(c, 1, ab));
  // A dict in an array stays when its last field is removed.
  Attr empty = attr_array(c, 2, (Attr[]){x, attr_dict_with(c, attr_dict(c, 1, ab), "b", 0)});
  assert_int_equal(attr_info(c, empty)->items[0], x);
  assert_int_equal(attr_info(c, attr_info(c, empty)->items[1])->kind, ATTR_DICT);
  context_free(c);
  context_free(d);
  return NULL;
}

static Status *make_context(Guard *guard, void *arg) {
  (void)arg;
  Context *c = context_new(guard);
  GuardCleanup cleanup = {context_release, c, NULL};
  guard_push(guard, &cleanup);
  for (int i = 0; i < 100; i++) {
    int64_t dim = i;
    attr_type(c, type_tensor(c, DT_f32, 1, &dim, 0));
    name_intern(c, (Str){(const char *)&dim, 1 + (size_t)i % 8});
  }
  guard_pop(guard, &cleanup);
  context_free(c);
  return NULL;
}

static void test_types(void **state) {
  (void)state;
  assert_null(guard_run(types, NULL));
}

static void test_attrs(void **state) {
  (void)state;
  assert_null(guard_run(attrs, NULL));
}

// The k-th allocation fails, for all k: a status is returned and nothing leaks (under ASan).
static void test_no_memory(void **state) {
  (void)state;
  mem_fail_at(0);
  assert_null(guard_run(make_context, NULL));
  uint64_t made = mem_fail_at(0);
  assert_true(made > 5);
  for (uint64_t k = 1; k <= made; k++) {
    mem_fail_at(k);
    Status *status = guard_run(make_context, NULL);
    mem_fail_at(0);
    assert_int_equal(status_code(status), RESOURCE_EXHAUSTED);
    status_free(status);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_types),
      cmocka_unit_test(test_attrs),
      cmocka_unit_test(test_no_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
