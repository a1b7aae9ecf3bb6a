// What the public C API tells about a program for people and other programs: names, tables,
// reasons, exchange; parts of sums; no leak when allocations fail.
#include <tessera/tessera.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"

static const char text[] =
    "func.func @main(%x: tensor<8x4xf32> loc(\"batch['x']\"), %w: tensor<4x6xf32> "
    "loc(\"params.layers[0]\"), %arg2: tensor<f32>) -> (tensor<8x6xf32> {jax.result_info = "
    "\"result[0]['y']\"}, tensor<f32>) {\n"
    "  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, "
    "tensor<4x6xf32>) -> tensor<8x6xf32>\n"
    "  return %0, %arg2 : tensor<8x6xf32>, tensor<f32>\n"
    "}\n";

static const char *const rules[] = {"batch.*=P(\"data\", \"model\")",
                                    "params.layers.0=P(\"model\")"};
static const tsr_propagate_options annotations = {
    .struct_size = sizeof annotations, .mesh = "data=3,model=2", .n_rules = 2, .rules = rules};

static tsr_program *load(const char *program) {
  tsr_program *p = NULL;
  assert_null(tsr_program_load(program, strlen(program), NULL, &p));
  return p;
}

static void expect_text(tsr_error *error, char **said, const char *wanted) {
  assert_null(error);
  if (!strstr(*said, wanted)) fail_msg("no '%s' in %s", wanted, *said);
  tsr_text_free(*said);
}

static void expect_error(tsr_error *error, int code, const char *wanted) {
  assert_int_equal(tsr_error_code(error), code);
  if (!strstr(tsr_error_message(error), wanted)) fail_msg("%s", tsr_error_message(error));
  tsr_error_free(error);
}

static void test_dimensions(void **state) {
  (void)state;
  tsr_program *p = load(text);
  char *said;
  expect_text(tsr_program_dimensions(p, NULL, 0, &said), &said,
              "\"names\":[{\"name\":\"d8\",\"size\":8,\"dims\":3,\"origin\":\"made up\"");
  expect_text(
      tsr_program_dimensions(p, "batch.x: batch, _\n", 0, &said), &said,
      "{\"index\":0,\"path\":\"result.0.y\",\"type\":\"tensor<8x6xf32>\",\"dims\":[\"batch\",");
  expect_text(tsr_program_dimensions(p, NULL, 1, &said), &said, "\"values\":[{\"value\":\"%0\"");
  expect_error(tsr_program_dimensions(p, "batch.x: a\n", 0, &said), 3, "names:1:");
  expect_error(tsr_program_dimensions(p, "nobody: a\n", 0, &said), 3, "names:1:1: error: nothing");
  tsr_program_free(p);
}

static void test_names(void **state) {
  (void)state;
  tsr_program *p = load(text);
  char *said;
  expect_text(tsr_program_argument_name(p, 0, 0, &said), &said, "batch.x");
  expect_text(tsr_program_argument_name(p, 0, 1, &said), &said, "params.layers.0");
  assert_null(tsr_program_argument_name(p, 0, 2, &said));
  assert_null(said);
  expect_text(tsr_program_result_name(p, 0, 0, &said), &said, "result.0.y");
  assert_null(tsr_program_result_name(p, 0, 1, &said));
  assert_null(said);
  expect_error(tsr_program_argument_name(p, 0, 3, &said), 11, "argument 3");
  expect_error(tsr_program_result_name(p, 1, 0, &said), 11, "function 1");
  tsr_program_free(p);
}

static void test_table(void **state) {
  (void)state;
  tsr_program *p = load(text);
  tsr_propagation *found = NULL;
  assert_null(tsr_propagation_new(p, &annotations, &found));
  char *said;
  expect_text(tsr_propagation_warnings(found, &said), &said, "8 elements");
  assert_null(tsr_propagation_table(found, 0, &said));
  assert_non_null(strstr(said, "\"axes\":{\"data\":3,\"model\":2}"));
  assert_non_null(strstr(said, "{\"path\":\"params.layers.0\",\"type\":\"tensor<4x6xf32>\","
                               "\"sharding\":\"<@mesh, [{\\\"model\\\"}, {}]>\","
                               "\"local\":\"tensor<2x6xf32>\"}"));
  assert_null(strstr(said, "\"values\""));
  tsr_text_free(said);
  expect_text(tsr_propagation_table(found, 1, &said), &said, "stablehlo.dot_general");
  expect_text(tsr_propagation_why(found, "result0", 0, &said), &said, "from dim 0 of %x");
  expect_text(tsr_propagation_why(found, "params.layers.0", 1, &said), &said,
              "\"cause\":\"annotation\"");
  expect_error(tsr_propagation_why(found, "params.layer.0", 0, &said), 5, "params.layers.0");
  tsr_propagation_free(found);
  tsr_program_free(p);
}

static void test_no_warnings(void **state) {
  (void)state;
  tsr_program *p = load(text);
  tsr_propagation *found = NULL;
  char *said = (char *)(uintptr_t)text;
  assert_null(tsr_propagation_new(p, NULL, &found));
  assert_null(tsr_propagation_warnings(found, &said));
  assert_null(said);
  tsr_propagation_free(found);
  tsr_program_free(p);
}

static void test_parts(void **state) {
  (void)state;
  tsr_program *p = load(text);
  char *said;
  expect_text(tsr_program_argument_part(p, 0, 0, &said), &said, "tensor<8x4xf32>");
  assert_null(tsr_program_propagate(p, &annotations, NULL));
  expect_text(tsr_program_argument_part(p, 0, 0, &said), &said, "tensor<3x2xf32>");
  expect_text(tsr_program_argument_part(p, 0, 2, &said), &said, "tensor<f32>");
  expect_text(tsr_program_result_part(p, 0, 0, &said), &said, "tensor<3x6xf32>");
  expect_error(tsr_program_result_part(p, 0, 2, &said), 11, "result 2");
  tsr_program_free(p);
}

static void test_traffic(void **state) {
  (void)state;
  tsr_program *p = load(text);
  char *said;
  expect_error(tsr_program_traffic(p, &said), 9, "not partitioned");
  tsr_partition_options options = {
      .struct_size = sizeof options, .annotations = &annotations, .why = 1};
  assert_null(tsr_program_partition(p, &options, NULL, NULL));
  assert_null(tsr_program_traffic(p, &said));
  assert_non_null(strstr(said, "{\"devices\":6,\"collectives\":[{\"kind\":\"all_reduce\""));
  assert_non_null(strstr(said, "\"axes\":\"model\""));
  assert_non_null(strstr(said, "is a partial sum over"));
  tsr_text_free(said);
  tsr_program_free(p);
}

static void test_devices(void **state) {
  (void)state;
  tsr_program *p = load(text);
  tsr_propagate_options o = {.struct_size = sizeof o, .devices = 4};
  tsr_partition_options options = {.struct_size = sizeof options, .annotations = &o};
  size_t n = 0;
  assert_null(tsr_program_partition(p, &options, &n, NULL));
  tsr_program_free(p);
  p = load(text);
  o.mesh = "data=3";
  expect_error(tsr_program_partition(p, &options, &n, NULL), 3, "4");
  tsr_program_free(p);
}

// Parts of a sum over "b" of a mesh 2 x 3: devices k and those of its row.
static void test_sums(void **state) {
  (void)state;
  tsr_program *p =
      load("sdy.mesh @mesh = <[\"a\"=2, \"b\"=3]>\n"
           "func.func @main(%x: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"a\"}, "
           "{\"b\"}]>}) -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"a\"}], "
           "unreduced={\"b\"}>}) {\n"
           "  %c = stablehlo.constant dense<0.0> : tensor<f32>\n"
           "  %0 = stablehlo.reduce(%x init: %c) applies stablehlo.add across dimensions = [1] : "
           "(tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>\n"
           "  return %0 : tensor<4xf32>\n"
           "}\n");
  size_t n = 0;
  assert_null(tsr_program_partition(p, NULL, &n, NULL));
  assert_int_equal(n, 6);
  for (size_t k = 0; k < n; k++) {
    tsr_tile tile = {.struct_size = sizeof tile};
    assert_null(tsr_program_result_tile(p, 0, 0, k, &tile));
    assert_true(tile.is_sum);
    assert_string_equal(tile.combine, "sum");
    assert_int_equal(tile.first, k / 3 * 3);
    assert_null(tsr_program_argument_tile(p, 0, 0, k, &tile));
    assert_string_equal(tile.combine, "");
    assert_int_equal(tile.first, k);
  }
  tsr_program_free(p);
}

static tsr_error *try_propagation(tsr_program *p, char **said) {
  tsr_propagation *found = NULL;
  tsr_error *error = tsr_propagation_new(p, &annotations, &found);
  if (!error) error = tsr_propagation_warnings(found, &said[0]);
  if (!error) error = tsr_propagation_table(found, 1, &said[1]);
  if (!error) error = tsr_propagation_why(found, "result0", 0, &said[2]);
  if (!error) error = tsr_propagation_why(found, "result0", 1, &said[3]);
  tsr_propagation_free(found);
  return error;
}

static tsr_error *try_once(void) {
  char *said[7] = {0};
  tsr_program *p = NULL;
  tsr_partition_options options = {
      .struct_size = sizeof options, .annotations = &annotations, .why = 1};
  tsr_error *error = tsr_program_load(text, sizeof text - 1, NULL, &p);
  if (!error) error = tsr_program_argument_name(p, 0, 1, &said[4]);
  if (!error) error = tsr_program_dimensions(p, "batch.x: batch, _\n", 1, &said[6]);
  if (!error) error = try_propagation(p, said);
  if (!error) error = tsr_program_partition(p, &options, NULL, NULL);
  if (!error) error = tsr_program_traffic(p, &said[5]);
  for (size_t i = 0; i < 7; i++) tsr_text_free(said[i]);
  tsr_program_free(p);
  return error;
}

static void test_no_memory(void **state) {
  (void)state;
  mem_fail_at(0);
  assert_null(try_once());
  uint64_t made = mem_fail_at(0);
  for (uint64_t k = 1; k <= made; k++) {
    mem_fail_at(k);
    tsr_error *error = try_once();
    mem_fail_at(0);
    assert_int_equal(tsr_error_code(error), 8);
    tsr_error_free(error);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_dimensions), cmocka_unit_test(test_names),
      cmocka_unit_test(test_table),      cmocka_unit_test(test_no_warnings),
      cmocka_unit_test(test_traffic),    cmocka_unit_test(test_parts),
      cmocka_unit_test(test_devices),    cmocka_unit_test(test_sums),
      cmocka_unit_test(test_no_memory)};
  return cmocka_run_group_tests_name("api_explain", tests, NULL, NULL);
}
