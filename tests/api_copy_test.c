// Copies of programs: equal at first, independent after, and freed in any order; no leak when any
// allocation fails.
#include <tessera/tessera.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"

// Names, locations, dense and quantized constants, resources, regions, a symbol.
static const char text[] =
    "module @m {\n"
    "  func.func @main(%weights: tensor<8x4xf32> loc(\"params['w']\"), %n: tensor<i32>) -> "
    "(tensor<8x4xf32>, tensor<i32>) {\n"
    "    %c = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>\n"
    "    %r = stablehlo.constant dense_resource<blob> : tensor<1xi16>\n"
    "    %b = stablehlo.broadcast_in_dim %c, dims = [1] : (tensor<4xf32>) -> tensor<8x4xf32>\n"
    "    %s = stablehlo.add %weights, %b : tensor<8x4xf32>\n"
    "    %z = stablehlo.constant dense<0> : tensor<i32>\n"
    "    %w:2 = stablehlo.while(%i = %z, %v = %s) : tensor<i32>, tensor<8x4xf32>\n"
    "      cond {\n"
    "        %l = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
    "        stablehlo.return %l : tensor<i1>\n"
    "      } do {\n"
    "        %one = stablehlo.constant dense<1> : tensor<i32>\n"
    "        %j = stablehlo.add %i, %one : tensor<i32>\n"
    "        %t = func.call @f(%v) : (tensor<8x4xf32>) -> tensor<8x4xf32>\n"
    "        stablehlo.return %j, %t : tensor<i32>, tensor<8x4xf32>\n"
    "      }\n"
    "    return %w#1, %w#0 : tensor<8x4xf32>, tensor<i32>\n"
    "  }\n"
    "  func.func private @f(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {\n"
    "    %0 = stablehlo.tanh %x : tensor<8x4xf32>\n"
    "    return %0 : tensor<8x4xf32>\n"
    "  }\n"
    "  func.func private @q(%x: tensor<2x!quant.uniform<i8:f32, 0.5:3>>) -> "
    "tensor<2x!quant.uniform<i8:f32, 0.5:3>> {\n"
    "    return %x : tensor<2x!quant.uniform<i8:f32, 0.5:3>>\n"
    "  }\n"
    "}\n"
    "{-#\n  dialect_resources: { builtin: { blob: \"0x020000000203\" } }\n#-}\n";

static const char *const rules[] = {"params.w=P(\"a\")"};
static const tsr_propagate_options annotations = {
    .struct_size = sizeof annotations, .mesh = "a=2", .n_rules = 1, .rules = rules};

static char *printed(tsr_program *p) {
  char *out = NULL;
  tsr_print_options options = {.struct_size = sizeof options, .locations = 1};
  assert_null(tsr_program_print(p, &options, &out, NULL));
  return out;
}

static void expect_equal(tsr_program *p, tsr_program *q) {
  char *a = printed(p), *b = printed(q);
  assert_string_equal(a, b);
  tsr_text_free(a);
  tsr_text_free(b);
}

static tsr_program *load(void) {
  tsr_program *p = NULL;
  tsr_error *error = tsr_program_load(text, sizeof text - 1, NULL, &p);
  if (error) fail_msg("%s", tsr_error_message(error));
  return p;
}

static void test_copy(void **state) {
  (void)state;
  tsr_program *p = load(), *q = NULL, *r = NULL;
  assert_null(tsr_program_copy(p, &q));
  expect_equal(p, q);
  char *name = NULL;
  assert_null(tsr_program_argument_name(q, 0, 0, &name));
  assert_string_equal(name, "params.w");
  tsr_text_free(name);
  // The copy is rewritten, the original is not; then the original goes first.
  char *before = printed(p);
  assert_null(tsr_program_propagate(q, &annotations, NULL));
  char *after = printed(p);
  assert_string_equal(before, after);
  tsr_text_free(before);
  tsr_text_free(after);
  tsr_program_free(p);
  assert_null(tsr_program_copy(q, &r));
  expect_equal(q, r);
  tsr_program_free(q);
  char *sharding = NULL;
  assert_null(tsr_program_argument_sharding(r, 0, 0, TSR_SDY, &sharding));
  assert_string_equal(sharding, "<@mesh, [{\"a\"}, {}]>");
  tsr_text_free(sharding);
  tsr_program_free(r);
}

// A program that is partitioned keeps what it was made of, and runs.
static void test_partitioned(void **state) {
  (void)state;
  tsr_program *p = load(), *q = NULL;
  tsr_partition_options options = {
      .struct_size = sizeof options, .annotations = &annotations, .keep_decisions = 1};
  size_t devices = 0;
  tsr_error *error = tsr_program_partition(p, &options, &devices, NULL);
  if (error) fail_msg("%s", tsr_error_message(error));
  assert_null(tsr_program_copy(p, &q));
  expect_equal(p, q);
  char *a = NULL, *b = NULL;
  assert_null(tsr_program_traffic(p, &a));
  assert_null(tsr_program_traffic(q, &b));
  assert_string_equal(a, b);
  tsr_text_free(a);
  tsr_text_free(b);
  assert_null(tsr_program_decisions(p, &a));
  assert_null(tsr_program_decisions(q, &b));
  assert_string_equal(a, b);
  tsr_text_free(a);
  tsr_text_free(b);
  tsr_program_free(p);
  tsr_tile tile = {.struct_size = sizeof tile};
  assert_null(tsr_program_argument_tile(q, 0, 0, 1, &tile));
  assert_int_equal(tile.tile[0], 4);
  assert_int_equal(tile.offset[0], 4);
  tsr_program_free(q);
}

static tsr_error *copy_and_use(tsr_program *p) {
  tsr_program *q = NULL;
  tsr_error *error = tsr_program_copy(p, &q);
  if (!error) error = tsr_program_propagate(q, &annotations, NULL);
  tsr_program_free(q);
  return error;
}

static void test_no_memory(void **state) {
  (void)state;
  tsr_program *p = load();
  mem_fail_at(0);
  assert_null(copy_and_use(p));
  uint64_t made = mem_fail_at(0);
  for (uint64_t k = 1; k <= made; k++) {
    mem_fail_at(k);
    tsr_error *error = copy_and_use(p);
    mem_fail_at(0);
    assert_int_equal(tsr_error_code(error), TSR_ERROR_RESOURCE_EXHAUSTED);
    tsr_error_free(error);
  }
  assert_null(copy_and_use(p));
  tsr_program_free(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_copy),
                                     cmocka_unit_test(test_partitioned),
                                     cmocka_unit_test(test_no_memory)};
  return cmocka_run_group_tests_name("api_copy", tests, NULL, NULL);
}
