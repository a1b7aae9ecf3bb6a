// The public C API, seen from outside: load, look, evaluate, every kind of error, and no leak or
// crash when any allocation fails.
#include <tessera/tessera.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"

static const char text[] =
    "func.func @main(%x: tensor<2xf32>, %n: tensor<i32>) -> (tensor<2xf32>, tensor<i32>) {\n"
    "  %0 = stablehlo.add %x, %x : tensor<2xf32>\n"
    "  return %0, %n : tensor<2xf32>, tensor<i32>\n"
    "}\n"
    "func.func private @other() {\n  return\n}\n";

static void test_look(void **state) {
  (void)state;
  tsr_program *p = NULL;
  assert_null(tsr_program_load(text, sizeof text - 1, NULL, &p));
  assert_int_equal(tsr_program_function_count(p), 2);
  tsr_function_info info = {.struct_size = sizeof info};
  assert_null(tsr_program_function(p, 0, &info));
  assert_string_equal(info.name, "main");
  assert_int_equal(info.n_arguments, 2);
  assert_int_equal(info.n_results, 2);
  assert_int_equal(info.n_ops, 2);
  assert_true(info.is_public);
  assert_null(tsr_program_function(p, 1, &info));
  assert_false(info.is_public);
  tsr_type_info type = {.struct_size = sizeof type};
  assert_null(tsr_program_argument(p, 0, 0, &type));
  assert_string_equal(type.text, "tensor<2xf32>");
  assert_int_equal(type.dtype, TSR_F32);
  assert_int_equal(type.rank, 1);
  assert_int_equal(type.dims[0], 2);
  assert_null(tsr_program_result(p, 0, 1, &type));
  assert_int_equal(type.dtype, TSR_I32);
  tsr_error *error = tsr_program_argument(p, 0, 2, &type);
  assert_int_equal(tsr_error_code(error), 11);
  assert_string_equal(tsr_error_message(error), "argument 2 does not exist: there are 2");
  tsr_error_free(error);
  error = tsr_program_function(p, 2, &info);
  assert_int_equal(tsr_error_code(error), 11);
  tsr_error_free(error);
  // An older caller, whose struct ends sooner, gets what it has room for.
  tsr_function_info old = {.struct_size = offsetof(tsr_function_info, n_results), .n_results = 77};
  assert_null(tsr_program_function(p, 0, &old));
  assert_int_equal(old.n_arguments, 2);
  assert_int_equal(old.n_results, 77);
  char *printed;
  size_t size;
  assert_null(tsr_program_print(p, NULL, &printed, &size));
  assert_int_equal(strlen(printed), size);
  assert_non_null(strstr(printed, "stablehlo.add %arg0, %arg0 : tensor<2xf32>"));
  tsr_text_free(printed);
  tsr_program_free(p);
  for (int d = TSR_I1; d <= TSR_C128; d++) assert_true(tsr_dtype_bytes((tsr_dtype)d) > 0);
  assert_string_equal(tsr_dtype_name(TSR_C128), "complex<f64>");
}

static tsr_error *run(const char *program, size_t n_inputs, float *data, float out[2]) {
  tsr_program *p = NULL;
  tsr_error *error = tsr_program_load(program, strlen(program), NULL, &p);
  if (error) return error;
  int64_t two = 2;
  int32_t n = 7;
  tsr_buffer in[2] = {
      {.struct_size = sizeof in[0], .dtype = TSR_F32, .rank = 1, .dims = &two, .data = data},
      {.struct_size = sizeof in[0], .dtype = TSR_I32, .data = &n}};
  tsr_buffer results[2] = {{.struct_size = sizeof in[0]}, {.struct_size = sizeof in[0]}};
  error = tsr_program_evaluate(p, NULL, NULL, n_inputs, in, 2, results);
  if (!error) {
    memcpy(out, results[0].data, 2 * sizeof *out);
    assert_int_equal(*(int32_t *)results[1].data, 7);
    assert_int_equal(results[1].rank, 0);
    tsr_buffer_free(&results[0]);
    tsr_buffer_free(&results[1]);
    assert_null(results[0].data);
  }
  tsr_program_free(p);
  return error;
}

static void test_evaluate(void **state) {
  (void)state;
  float data[2] = {1.5f, -2}, out[2];
  assert_string_equal(tsr_error_message(run(text, 2, data, out)), "");
  assert_true(out[0] == 3 && out[1] == -4);
  tsr_error *error = run(text, 1, data, out);
  assert_string_equal(tsr_error_message(error),
                      "the function takes 2 inputs and gives 2 outputs, not 1 and 2");
  tsr_error_free(error);
  error = run("func.func @main(", 2, data, out);
  assert_int_equal(tsr_error_code(error), 3);
  assert_non_null(strstr(tsr_error_message(error), "<memory>:1:"));
  tsr_error_free(error);
  // A failure while running shows its place, its line and a caret too.
  error =
      run("func.func @main(%x: tensor<2xf32>, %n: tensor<i32>) -> (tensor<2xf32>, tensor<i32>) {\n"
          "  %0 = stablehlo.custom_call @nobody(%x) : (tensor<2xf32>) -> tensor<2xf32>\n"
          "  return %0, %n : tensor<2xf32>, tensor<i32>\n}\n",
          2, data, out);
  assert_int_equal(tsr_error_code(error), 12);
  assert_non_null(strstr(tsr_error_message(error), "<memory>:2:8: "));
  assert_non_null(strstr(tsr_error_message(error), "-> tensor<2xf32>\n         ^"));
  tsr_error_free(error);
  tsr_program *p = NULL;
  error = tsr_program_load_file("/does/not/exist.mlir", NULL, &p);
  assert_int_equal(tsr_error_code(error), 5);
  tsr_error_free(error);
}

static const char layers[] =
    "func.func @main(%x: tensor<8x4xf32>, %w: tensor<4x6xf32>) -> tensor<8x6xf32> {\n"
    "  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, "
    "tensor<4x6xf32>) -> tensor<8x6xf32>\n"
    "  %1 = call @f(%0) : (tensor<8x6xf32>) -> tensor<8x6xf32>\n"
    "  return %1 : tensor<8x6xf32>\n"
    "}\n"
    "func.func private @f(%x: tensor<8x6xf32>) -> tensor<8x6xf32> {\n"
    "  %0 = stablehlo.tanh %x : tensor<8x6xf32>\n"
    "  return %0 : tensor<8x6xf32>\n"
    "}\n";

// Propagates and gives the sharding of the result of @main.
static tsr_error *shard(const tsr_propagate_options *options, tsr_spelling spelling,
                        char **out_warnings, char **out_text) {
  tsr_program *p = NULL;
  tsr_error *error = tsr_program_load(layers, strlen(layers), NULL, &p);
  char *warnings = NULL;
  if (!error) error = tsr_program_propagate(p, options, &warnings);
  if (!error) error = tsr_program_result_sharding(p, 0, 0, spelling, out_text);
  if (!error && out_warnings)
    *out_warnings = warnings;
  else
    tsr_text_free(warnings);
  tsr_program_free(p);
  return error;
}

static void test_propagate(void **state) {
  (void)state;
  const char *rules[] = {"x=P(\"data\")", "w=P(None, \"model\")"};
  tsr_propagate_options o = {
      .struct_size = sizeof o, .mesh = "data=4,model=2", .n_rules = 2, .rules = rules};
  char *said = NULL, *warnings = NULL;
  assert_null(shard(&o, TSR_SDY, &warnings, &said));
  assert_null(warnings);
  assert_string_equal(said, "<@mesh, [{\"data\", ?}, {\"model\", ?}]>");
  tsr_text_free(said);
  assert_null(shard(&o, TSR_GSPMD, NULL, &said));
  assert_string_equal(said, "{devices=[4,2]<=[8]}");
  tsr_text_free(said);
  o.close = 1;
  assert_null(shard(&o, TSR_SDY, NULL, &said));
  assert_string_equal(said, "<@mesh, [{\"data\"}, {\"model\"}]>");
  tsr_text_free(said);
  o.n_allow_results = 1;
  o.allow_results = (const unsigned char[]){0};
  assert_null(shard(&o, TSR_SDY, NULL, &said));
  assert_string_equal(said, "<@mesh, [{}, {}]>");
  tsr_text_free(said);
  // Six columns over four devices: padded, and it says so.
  o.n_allow_results = 0;
  rules[1] = "w=P(None, \"data\")";
  assert_null(shard(&o, TSR_SDY, &warnings, &said));
  assert_non_null(strstr(warnings, "rule:2:3: warning: dimension 1 of argument 1 'w'"));
  tsr_text_free(warnings);
  tsr_text_free(said);
  rules[0] = "x=P(\"dat\")";
  tsr_error *error = shard(&o, TSR_SDY, NULL, &said);
  assert_int_equal(tsr_error_code(error), 3);
  assert_non_null(strstr(tsr_error_message(error), "rule:1:5: error: unknown axis \"dat\""));
  tsr_error_free(error);
  o.n_rules = 0;
  o.names = "x: batch,features\nw: features,hidden\n";
  o.layout = "batch:data; hidden:model";
  assert_null(shard(&o, TSR_SDY, NULL, &said));
  assert_string_equal(said, "<@mesh, [{\"data\"}, {\"model\"}]>");
  tsr_text_free(said);
  o.layout = "bach:data";
  error = shard(&o, TSR_SDY, NULL, &said);
  assert_non_null(strstr(tsr_error_message(error), "layout:1:1: error: no dimension is called"));
  tsr_error_free(error);
  // Nothing said, nothing known.
  assert_null(shard(NULL, TSR_SDY, NULL, &said));
  assert_null(said);
}

static void test_propagate_no_memory(void **state) {
  (void)state;
  const char *rules[] = {"x=P(\"data\")", "w=P(None, \"model\")"};
  tsr_propagate_options o = {.struct_size = sizeof o,
                             .mesh = "data=4,model=2",
                             .n_rules = 2,
                             .rules = rules,
                             .names = "x: batch,features\n",
                             .layout = "batch:data"};
  char *said;
  mem_fail_at(0);
  assert_null(shard(&o, TSR_GSPMD, NULL, &said));
  uint64_t made = mem_fail_at(0);
  tsr_text_free(said);
  for (uint64_t k = 1; k <= made; k++) {
    mem_fail_at(k);
    tsr_error *error = shard(&o, TSR_GSPMD, NULL, &said);
    mem_fail_at(0);
    assert_int_equal(tsr_error_code(error), 8);
    tsr_error_free(error);
  }
}

static void expect_sharding(tsr_propagation *search, size_t value, const char *wanted) {
  char *said = NULL;
  assert_null(tsr_propagation_sharding(search, value, TSR_SDY, &said));
  if (wanted)
    assert_string_equal(said, wanted);
  else
    assert_null(said);
  tsr_text_free(said);
}

static void expect_error(tsr_error *error, int code, const char *part) {
  assert_int_equal(tsr_error_code(error), code);
  assert_non_null(strstr(tsr_error_message(error), part));
  tsr_error_free(error);
}

static void test_search(void **state) {
  (void)state;
  tsr_program *p = NULL;
  assert_null(tsr_program_load(layers, strlen(layers), NULL, &p));
  tsr_propagate_options o = {.struct_size = sizeof o, .mesh = "data=4,model=2"};
  tsr_propagation *search = NULL;
  assert_null(tsr_propagation_new(p, &o, &search));
  size_t x, w, result, changes;
  assert_null(tsr_propagation_value(search, "x", &x));
  assert_null(tsr_propagation_value(search, "%w", &w));
  assert_null(tsr_propagation_value(search, "result0", &result));
  expect_error(tsr_propagation_value(search, "y", &changes), 5, "nothing is called 'y'");
  expect_error(tsr_propagation_value(search, "*", &changes), 5, "more than one value");
  expect_sharding(search, result, NULL);
  assert_null(tsr_propagation_push(search, x, "P(\"data\", ...)", &changes));
  assert_true(changes >= 4);
  expect_sharding(search, result, "<@mesh, [{\"data\", ?}, {?}]>");
  assert_null(tsr_propagation_push(search, w, "[{?}, {\"model\", ?}]", NULL));
  expect_sharding(search, result, "<@mesh, [{\"data\", ?}, {\"model\", ?}]>");
  expect_error(tsr_propagation_push(search, w, "P(\"modle\")", NULL), 3,
               "sharding:1:3: error: unknown axis \"modle\"");
  expect_error(tsr_propagation_push(search, x, "P(\"model\")", NULL), 9, "does not extend");
  expect_error(tsr_propagation_push(search, 99, "P()", NULL), 11, "value 99");
  assert_null(tsr_propagation_pop(search));
  expect_sharding(search, result, "<@mesh, [{\"data\", ?}, {?}]>");
  expect_sharding(search, w, NULL);
  assert_null(tsr_propagation_pop(search));
  expect_sharding(search, result, NULL);
  expect_error(tsr_propagation_pop(search), 9, "nothing was pushed");
  assert_null(tsr_propagation_push(search, w, "P(None, \"data\")", NULL));
  assert_null(tsr_propagation_write(search));
  tsr_propagation_free(search);
  char *said = NULL;
  assert_null(tsr_program_argument_sharding(p, 0, 1, TSR_SDY, &said));
  assert_string_equal(said, "<@mesh, [{}, {\"data\"}]>");
  tsr_text_free(said);
  tsr_program_free(p);
}

// An axis of one mesh does not extend that of another, though both are the first.
static void test_search_meshes(void **state) {
  (void)state;
  static const char two_meshes[] = "sdy.mesh @m = <[\"a\"=2]>\nsdy.mesh @n = <[\"b\"=4]>\n"
                                   "func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {\n"
                                   "  return %x : tensor<8xf32>\n}\n";
  tsr_program *p = NULL;
  tsr_propagation *search = NULL;
  size_t x;
  assert_null(tsr_program_load(two_meshes, strlen(two_meshes), NULL, &p));
  assert_null(tsr_propagation_new(p, NULL, &search));
  assert_null(tsr_propagation_value(search, "x", &x));
  assert_null(tsr_propagation_push(search, x, "<@m, [{\"a\", ?}]>", NULL));
  expect_error(tsr_propagation_push(search, x, "<@n, [{\"b\", ?}]>", NULL), 9, "does not extend");
  expect_sharding(search, x, "<@m, [{\"a\", ?}]>");
  tsr_propagation_free(search);
  tsr_program_free(p);
}

static tsr_error *try_once(void) {
  tsr_program *p = NULL;
  tsr_propagation *search = NULL;
  size_t x = 0;
  char *said = NULL;
  tsr_propagate_options o = {.struct_size = sizeof o, .mesh = "data=4,model=2"};
  tsr_error *error = tsr_program_load(layers, strlen(layers), NULL, &p);
  if (!error) error = tsr_propagation_new(p, &o, &search);
  if (!error) error = tsr_propagation_value(search, "x", &x);
  if (!error) error = tsr_propagation_push(search, x, "P(\"data\")", NULL);
  if (!error) error = tsr_propagation_sharding(search, x, TSR_GSPMD, &said);
  if (!error) error = tsr_propagation_pop(search);
  if (!error) error = tsr_propagation_push(search, x, "P(\"model\")", NULL);
  if (!error) error = tsr_propagation_write(search);
  tsr_text_free(said);
  tsr_propagation_free(search);
  tsr_program_free(p);
  return error;
}

static void test_search_no_memory(void **state) {
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

static void test_no_memory(void **state) {
  (void)state;
  float data[2] = {1, 2}, out[2];
  mem_fail_at(0);
  assert_null(run(text, 2, data, out));
  uint64_t made = mem_fail_at(0);
  for (uint64_t k = 1; k <= made; k++) {
    mem_fail_at(k);
    tsr_error *error = run(text, 2, data, out);
    mem_fail_at(0);
    assert_int_equal(tsr_error_code(error), 8);
    tsr_error_free(error);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_look),
                                     cmocka_unit_test(test_evaluate),
                                     cmocka_unit_test(test_no_memory),
                                     cmocka_unit_test(test_propagate),
                                     cmocka_unit_test(test_propagate_no_memory),
                                     cmocka_unit_test(test_search),
                                     cmocka_unit_test(test_search_meshes),
                                     cmocka_unit_test(test_search_no_memory)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
