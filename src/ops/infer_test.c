// Helpers of infer columns: compatibility of types, texts for messages.
#include "ops/infer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static Type tensor(Context *context, Type elem, int64_t a, int64_t b, int64_t bound_a) {
  Attr encoding = 0;
  if (bound_a) {
    NamedAttr field = {name_of(context, "bounds"),
                       attr_i64s(context, 2, (const int64_t[]){bound_a, DIM_DYNAMIC})};
    encoding = attr_struct(context, "stablehlo.bounds", 1, &field);
  }
  return type_tensor(context, elem, 2, (const int64_t[]){a, b}, encoding);
}

static Status *types_body(Guard *guard, void *arg) {
  (void)arg;
  Context *context = context_new(guard);
  Infer cx = {.context = context};
  const int64_t any = DIM_DYNAMIC;
  Type plain = tensor(context, DT_f32, 2, 3, 0);
  assert_true(infer_types_compatible(&cx, plain, plain));
  assert_true(infer_types_compatible(&cx, plain, tensor(context, DT_f32, any, 3, 0)));
  assert_true(infer_types_compatible(&cx, plain, tensor(context, DT_f32, any, any, 0)));
  assert_true(infer_types_compatible(&cx, plain, type_unranked(context, DT_f32)));
  assert_false(infer_types_compatible(&cx, plain, tensor(context, DT_f32, any, 4, 0)));
  assert_false(infer_types_compatible(&cx, plain, tensor(context, DT_f64, 2, 3, 0)));
  assert_false(
      infer_types_compatible(&cx, plain, type_tensor(context, DT_f32, 1, (const int64_t[]){2}, 0)));
  // A size must fit into a bound.
  assert_true(infer_types_compatible(&cx, plain, tensor(context, DT_f32, any, 3, 2)));
  assert_false(infer_types_compatible(&cx, plain, tensor(context, DT_f32, any, 3, 1)));
  // Tuples item by item.
  Type open = tensor(context, DT_f32, any, 3, 0);
  Type a = type_tuple(context, 2, (const Type[]){plain, type_token(context)});
  Type b = type_tuple(context, 2, (const Type[]){open, type_token(context)});
  assert_true(infer_types_compatible(&cx, a, b));
  assert_false(infer_types_compatible(&cx, a, type_tuple(context, 1, &plain)));
  assert_false(infer_types_compatible(&cx, a, plain));
  // Quantized elements may differ in scales and zero points only.
  QuantInfo q = {.storage = DT_i8,
                 .expressed = DT_f32,
                 .min = -128,
                 .max = 127,
                 .axis = -1,
                 .count = 1,
                 .scales = (const double[]){0.5},
                 .zero_points = (const int64_t[]){0}};
  Type q1 = tensor(context, type_quant(context, &q), 2, 3, 0);
  q.scales = (const double[]){0.25};
  Type q2 = tensor(context, type_quant(context, &q), 2, 3, 0);
  q.min = -127;
  Type q3 = tensor(context, type_quant(context, &q), 2, 3, 0);
  assert_true(infer_types_compatible(&cx, q1, q2));
  assert_false(infer_types_compatible(&cx, q1, q3));
  assert_false(infer_types_compatible(&cx, q1, plain));
  assert_int_equal(dim_merge(any, 3), 3);
  assert_int_equal(dim_merge(3, any), 3);
  assert_string_equal(infer_dims_text(&cx, 3, (const int64_t[]){2, any, -1}), "[2, ?, -1]");
  assert_string_equal(infer_dims_text(&cx, 0, NULL), "[]");
  context_free(context);
  return NULL;
}

static void test_types(void **state) {
  (void)state;
  assert_null(guard_run(types_body, NULL));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_types)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
