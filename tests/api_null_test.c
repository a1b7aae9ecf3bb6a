// Every function of the public C API with NULL for each of its pointers in turn, and with structs
// whose struct_size is not set: an error that names the argument, or what the header says instead.
// tests/cli/api_covered.test compares this file with the header.
#include <tessera/tessera.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const char text[] = "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
                           "  %0 = stablehlo.add %x, %x : tensor<2xf32>\n"
                           "  return %0 : tensor<2xf32>\n"
                           "}\n";

static void expect(tsr_error *error, const char *message) {
  if (!error) fail_msg("no error; expected: %s", message);
  if (strcmp(tsr_error_message(error), message) != 0)
    fail_msg("%s; expected: %s", tsr_error_message(error), message);
  assert_int_equal(tsr_error_code(error), TSR_ERROR_INVALID_ARGUMENT);
  tsr_error_free(error);
}

// The call fails and names the argument.
#define NEEDS(function, argument, ...)                                                             \
  expect(function(__VA_ARGS__), #function ": " argument " is NULL")
// The call succeeds all the same.
#define TAKES(function, ...)                                                                       \
  do {                                                                                             \
    tsr_error *error_ = function(__VA_ARGS__);                                                     \
    if (error_) fail_msg(#function ": %s", tsr_error_message(error_));                             \
  } while (0)

static tsr_program *load(void) {
  tsr_program *p = NULL;
  assert_null(tsr_program_load(text, sizeof text - 1, NULL, &p));
  return p;
}

static void test_programs(void **state) {
  (void)state;
  tsr_program *p = NULL, *q = NULL;
  char *out = NULL;
  size_t size;
  NEEDS(tsr_program_load, "text", NULL, 0, NULL, &p);
  NEEDS(tsr_program_load, "out_program", text, sizeof text - 1, NULL, NULL);
  TAKES(tsr_program_load, text, sizeof text - 1, NULL, &p);
  NEEDS(tsr_program_load_file, "path", NULL, NULL, &q);
  NEEDS(tsr_program_load_file, "out_program", "x", NULL, NULL);
  NEEDS(tsr_program_copy, "program", NULL, &q);
  NEEDS(tsr_program_copy, "out_program", p, NULL);
  NEEDS(tsr_program_print, "program", NULL, NULL, &out, &size);
  NEEDS(tsr_program_print, "out_text", p, NULL, NULL, &size);
  TAKES(tsr_program_print, p, NULL, &out, NULL);
  tsr_text_free(out);
  assert_int_equal(tsr_program_function_count(NULL), 0);
  tsr_function_info function = {.struct_size = sizeof function};
  NEEDS(tsr_program_function, "program", NULL, 0, &function);
  NEEDS(tsr_program_function, "out_info", p, 0, NULL);
  tsr_type_info type = {.struct_size = sizeof type};
  NEEDS(tsr_program_argument, "program", NULL, 0, 0, &type);
  NEEDS(tsr_program_argument, "out_info", p, 0, 0, NULL);
  NEEDS(tsr_program_result, "program", NULL, 0, 0, &type);
  NEEDS(tsr_program_result, "out_info", p, 0, 0, NULL);
  NEEDS(tsr_program_argument_name, "program", NULL, 0, 0, &out);
  NEEDS(tsr_program_argument_name, "out_text", p, 0, 0, NULL);
  NEEDS(tsr_program_result_name, "program", NULL, 0, 0, &out);
  NEEDS(tsr_program_result_name, "out_text", p, 0, 0, NULL);
  NEEDS(tsr_program_dimensions, "program", NULL, NULL, 0, &out);
  NEEDS(tsr_program_dimensions, "out_json", p, NULL, 0, NULL);
  TAKES(tsr_program_dimensions, p, NULL, 0, &out);
  tsr_text_free(out);
  tsr_program_free(p);
}

static const char *rule_of(void *user, const tsr_custom_call *call) {
  (void)user;
  (void)call;
  return NULL;
}

static void test_rules(void **state) {
  (void)state;
  tsr_rules *rules = NULL;
  NEEDS(tsr_rules_new, "out_rules", NULL);
  assert_null(tsr_rules_new(&rules));
  NEEDS(tsr_rules_add, "rules", NULL, "f", "([i])->([i])");
  NEEDS(tsr_rules_add, "target", rules, NULL, "([i])->([i])");
  NEEDS(tsr_rules_add, "rule", rules, "f", NULL);
  NEEDS(tsr_rules_add_callback, "rules", NULL, NULL, rule_of, NULL);
  NEEDS(tsr_rules_add_callback, "rule", rules, NULL, NULL, NULL);
  TAKES(tsr_rules_add_callback, rules, NULL, rule_of, NULL);
  tsr_rules_free(rules);
}

static void test_sharding(void **state) {
  (void)state;
  tsr_program *p = load();
  char *out = NULL;
  size_t devices;
  tsr_tile tile = {.struct_size = sizeof tile};
  NEEDS(tsr_program_propagate, "program", NULL, NULL, &out);
  TAKES(tsr_program_propagate, p, NULL, NULL);
  NEEDS(tsr_program_argument_sharding, "program", NULL, 0, 0, TSR_SDY, &out);
  NEEDS(tsr_program_argument_sharding, "out_text", p, 0, 0, TSR_SDY, NULL);
  NEEDS(tsr_program_result_sharding, "program", NULL, 0, 0, TSR_SDY, &out);
  NEEDS(tsr_program_result_sharding, "out_text", p, 0, 0, TSR_SDY, NULL);
  expect(tsr_program_result_sharding(p, 0, 0, (tsr_spelling)7, &out), "there is no spelling 7");
  NEEDS(tsr_program_argument_part, "program", NULL, 0, 0, &out);
  NEEDS(tsr_program_argument_part, "out_text", p, 0, 0, NULL);
  NEEDS(tsr_program_result_part, "program", NULL, 0, 0, &out);
  NEEDS(tsr_program_result_part, "out_text", p, 0, 0, NULL);
  NEEDS(tsr_program_partition, "program", NULL, NULL, &devices, &out);
  TAKES(tsr_program_partition, p, NULL, NULL, NULL);
  NEEDS(tsr_program_traffic, "program", NULL, &out);
  NEEDS(tsr_program_traffic, "out_json", p, NULL);
  NEEDS(tsr_program_decisions, "program", NULL, &out);
  NEEDS(tsr_program_decisions, "out_json", p, NULL);
  NEEDS(tsr_program_devices, "program", NULL, &devices);
  NEEDS(tsr_program_devices, "out_devices", p, NULL);
  NEEDS(tsr_program_argument_tile, "program", NULL, 0, 0, 0, &tile);
  NEEDS(tsr_program_argument_tile, "out_tile", p, 0, 0, 0, NULL);
  NEEDS(tsr_program_result_tile, "program", NULL, 0, 0, 0, &tile);
  NEEDS(tsr_program_result_tile, "out_tile", p, 0, 0, 0, NULL);
  tsr_program_free(p);
}

static void test_simulation(void **state) {
  (void)state;
  tsr_program *p = load();
  tsr_simulation *s = NULL;
  char *out = NULL;
  NEEDS(tsr_program_simulate, "program", NULL, NULL, NULL, &s);
  NEEDS(tsr_program_simulate, "out_simulation", p, NULL, NULL, NULL);
  TAKES(tsr_program_simulate, p, NULL, NULL, &s);
  tsr_step step = {.struct_size = sizeof step};
  NEEDS(tsr_simulation_step, "simulation", NULL, &step);
  NEEDS(tsr_simulation_step, "out_step", s, NULL);
  tsr_step_collective collective = {.struct_size = sizeof collective};
  NEEDS(tsr_simulation_collective, "simulation", NULL, 0, &collective);
  NEEDS(tsr_simulation_collective, "out_collective", s, 0, NULL);
  tsr_step_value value = {.struct_size = sizeof value};
  NEEDS(tsr_simulation_value, "simulation", NULL, 0, &value);
  NEEDS(tsr_simulation_value, "out_value", s, 0, NULL);
  NEEDS(tsr_simulation_text, "simulation", NULL, &out);
  NEEDS(tsr_simulation_text, "out_text", s, NULL);
  NEEDS(tsr_simulation_json, "simulation", NULL, &out);
  NEEDS(tsr_simulation_json, "out_json", s, NULL);
  NEEDS(tsr_simulation_trace, "simulation", NULL, &out);
  NEEDS(tsr_simulation_trace, "out_json", s, NULL);
  NEEDS(tsr_simulation_report, "simulation", NULL, &out);
  NEEDS(tsr_simulation_report, "out_html", s, NULL);
  NEEDS(tsr_program_plan, "program", NULL, NULL, &out, NULL);
  NEEDS(tsr_program_plan, "out_json", p, NULL, NULL, NULL);
  NEEDS(tsr_machine_describe, "out_json", "h100", NULL);
  TAKES(tsr_machine_describe, NULL, &out);
  tsr_text_free(out);
  assert_string_equal(tsr_machine_name(0), "default");
  assert_null(tsr_machine_name(tsr_machine_count()));
  tsr_simulation_free(s);
  tsr_program_free(p);
}

static void test_lists(void **state) {
  (void)state;
  tsr_program *p = load();
  const char *nothing[1] = {NULL};
  tsr_propagate_options o = {.struct_size = sizeof o, .n_rules = 1};
  expect(tsr_program_propagate(p, &o, NULL), "rules is NULL, n_rules is 1");
  o.rules = nothing;
  expect(tsr_program_propagate(p, &o, NULL), "rules[0] is NULL");
  o = (tsr_propagate_options){.struct_size = sizeof o, .n_allow_arguments = 2};
  expect(tsr_program_propagate(p, &o, NULL), "allow_arguments is NULL, n_allow_arguments is 2");
  o = (tsr_propagate_options){.struct_size = sizeof o, .n_allow_results = 2};
  expect(tsr_program_propagate(p, &o, NULL), "allow_results is NULL, n_allow_results is 2");
  o = (tsr_propagate_options){.struct_size = sizeof o, .machine = "abacus"};
  tsr_error *error = tsr_program_propagate(p, &o, NULL);
  assert_non_null(strstr(tsr_error_message(error), "no machine is called 'abacus'"));
  tsr_error_free(error);
  tsr_program_free(p);
}

static void test_propagation(void **state) {
  (void)state;
  tsr_program *p = load();
  tsr_propagation *h = NULL;
  char *out = NULL;
  size_t value;
  tsr_price price = {.struct_size = sizeof price};
  NEEDS(tsr_propagation_new, "program", NULL, NULL, &h);
  NEEDS(tsr_propagation_new, "out_propagation", p, NULL, NULL);
  tsr_propagate_options o = {.struct_size = sizeof o, .mesh = "a=2"};
  assert_null(tsr_propagation_new(p, &o, &h));
  NEEDS(tsr_propagation_value, "propagation", NULL, "x", &value);
  NEEDS(tsr_propagation_value, "name", h, NULL, &value);
  NEEDS(tsr_propagation_value, "out_value", h, "x", NULL);
  assert_null(tsr_propagation_value(h, "x", &value));
  NEEDS(tsr_propagation_push, "propagation", NULL, value, "P(\"a\")", NULL);
  NEEDS(tsr_propagation_push, "sharding", h, value, NULL, NULL);
  TAKES(tsr_propagation_push, h, value, "P(\"a\")", NULL);
  NEEDS(tsr_propagation_add_axis, "propagation", NULL, value, 0, "a", NULL);
  NEEDS(tsr_propagation_add_axis, "axis", h, value, 0, NULL, NULL);
  NEEDS(tsr_propagation_price, "propagation", NULL, &price);
  NEEDS(tsr_propagation_price, "out_price", h, NULL);
  TAKES(tsr_propagation_price, h, &price);
  NEEDS(tsr_propagation_pop, "propagation", NULL);
  NEEDS(tsr_propagation_sharding, "propagation", NULL, value, TSR_SDY, &out);
  NEEDS(tsr_propagation_sharding, "out_text", h, value, TSR_SDY, NULL);
  NEEDS(tsr_propagation_warnings, "propagation", NULL, &out);
  NEEDS(tsr_propagation_warnings, "out_text", h, NULL);
  NEEDS(tsr_propagation_table, "propagation", NULL, 0, &out);
  NEEDS(tsr_propagation_table, "out_json", h, 0, NULL);
  NEEDS(tsr_propagation_why, "propagation", NULL, "x", 0, &out);
  NEEDS(tsr_propagation_why, "name", h, NULL, 0, &out);
  NEEDS(tsr_propagation_why, "out_text", h, "x", 0, NULL);
  NEEDS(tsr_propagation_write, "propagation", NULL);
  tsr_propagation_free(h);
  tsr_program_free(p);
}

static void test_evaluate(void **state) {
  (void)state;
  tsr_program *p = load();
  int64_t two = 2;
  float data[2] = {1, 2};
  tsr_buffer in = {.struct_size = sizeof in, .dtype = TSR_F32, .rank = 1, .dims = &two};
  tsr_buffer out = {.struct_size = sizeof out};
  expect(tsr_program_evaluate(p, NULL, NULL, 1, &in, 1, &out), "inputs[0].data is NULL");
  in.data = data;
  NEEDS(tsr_program_evaluate, "program", NULL, NULL, NULL, 1, &in, 1, &out);
  NEEDS(tsr_program_evaluate, "inputs", p, NULL, NULL, 1, NULL, 1, &out);
  NEEDS(tsr_program_evaluate, "outputs", p, NULL, NULL, 1, &in, 1, NULL);
  in.dims = NULL;
  expect(tsr_program_evaluate(p, NULL, NULL, 1, &in, 1, &out), "inputs[0].dims is NULL");
  in.dims = &two;
  TAKES(tsr_program_evaluate, p, NULL, NULL, 1, &in, 1, &out);
  tsr_buffer_free(&out);
  assert_null(out.data);
  tsr_executable *x = NULL;
  char *stats = NULL;
  NEEDS(tsr_program_compile, "program", NULL, NULL, NULL, &x);
  NEEDS(tsr_program_compile, "out_executable", p, NULL, NULL, NULL);
  TAKES(tsr_program_compile, p, NULL, NULL, &x);
  NEEDS(tsr_executable_run, "executable", NULL, 1, &in, 1, &out);
  NEEDS(tsr_executable_run, "inputs", x, 1, NULL, 1, &out);
  NEEDS(tsr_executable_run, "outputs", x, 1, &in, 1, NULL);
  TAKES(tsr_executable_run, x, 1, &in, 1, &out);
  tsr_buffer_free(&out);
  NEEDS(tsr_executable_stats, "executable", NULL, &stats);
  NEEDS(tsr_executable_stats, "out_json", x, NULL);
  TAKES(tsr_executable_stats, x, &stats);
  tsr_text_free(stats);
  tsr_executable_free(x);
  tsr_executable_free(NULL);
  tsr_program_free(p);
}

// Nothing happens.
static void test_frees(void **state) {
  (void)state;
  assert_int_equal(tsr_error_code(NULL), TSR_OK);
  assert_string_equal(tsr_error_message(NULL), "");
  tsr_error_free(NULL);
  tsr_text_free(NULL);
  tsr_program_free(NULL);
  tsr_rules_free(NULL);
  tsr_propagation_free(NULL);
  tsr_simulation_free(NULL);
  tsr_buffer_free(NULL);
  tsr_buffer unset = {0};
  tsr_buffer_free(&unset);
}

// No pointers, but what the header has is here: what is no type is none.
static void test_words(void **state) {
  (void)state;
  assert_non_null(tsr_version());
  assert_int_equal(tsr_dtype_bytes((tsr_dtype)99), 0);
  assert_string_equal(tsr_dtype_name((tsr_dtype)99), "invalid");
}

#define UNSET(type, call)                                                                          \
  expect(call, "struct_size of a " #type " is 0: set it to sizeof(" #type ")")

static void test_struct_sizes(void **state) {
  (void)state;
  tsr_program *p = load(), *q = NULL;
  tsr_propagation *h = NULL;
  char *out = NULL;
  tsr_load_options load_options = {.name = "x"};
  UNSET(tsr_load_options, tsr_program_load(text, sizeof text - 1, &load_options, &q));
  UNSET(tsr_load_options, tsr_program_load_file("x", &load_options, &q));
  tsr_print_options print = {.generic = 1};
  UNSET(tsr_print_options, tsr_program_print(p, &print, &out, NULL));
  tsr_propagate_options propagate = {.mesh = "a=2"};
  UNSET(tsr_propagate_options, tsr_program_propagate(p, &propagate, NULL));
  UNSET(tsr_propagate_options, tsr_propagation_new(p, &propagate, &h));
  tsr_partition_options partition = {.why = 1};
  UNSET(tsr_partition_options, tsr_program_partition(p, &partition, NULL, NULL));
  partition = (tsr_partition_options){.struct_size = sizeof partition, .annotations = &propagate};
  UNSET(tsr_propagate_options, tsr_program_partition(p, &partition, NULL, NULL));
  tsr_simulation *s = NULL;
  tsr_simulate_options simulate = {.trace = 1};
  UNSET(tsr_simulate_options, tsr_program_simulate(p, NULL, &simulate, &s));
  simulate = (tsr_simulate_options){.struct_size = sizeof simulate, .partition = &partition};
  UNSET(tsr_propagate_options, tsr_program_simulate(p, NULL, &simulate, &s));
  char *json = NULL;
  tsr_plan_options plan = {.level = 1};
  UNSET(tsr_plan_options, tsr_program_plan(p, &plan, &json, NULL));
  plan = (tsr_plan_options){.struct_size = sizeof plan, .annotations = &propagate};
  UNSET(tsr_propagate_options, tsr_program_plan(p, &plan, &json, NULL));
  tsr_function_info function = {0};
  UNSET(tsr_function_info, tsr_program_function(p, 0, &function));
  tsr_type_info type = {0};
  UNSET(tsr_type_info, tsr_program_argument(p, 0, 0, &type));
  UNSET(tsr_type_info, tsr_program_result(p, 0, 0, &type));
  tsr_tile tile = {0};
  UNSET(tsr_tile, tsr_program_argument_tile(p, 0, 0, 0, &tile));
  UNSET(tsr_tile, tsr_program_result_tile(p, 0, 0, 0, &tile));
  tsr_evaluate_options evaluate = {.seed = 1};
  int64_t two = 2;
  float data[2] = {1, 2};
  tsr_buffer in = {.dtype = TSR_F32, .rank = 1, .dims = &two, .data = data}, result = {0};
  UNSET(tsr_buffer, tsr_program_evaluate(p, NULL, NULL, 1, &in, 1, &result));
  in.struct_size = sizeof in;
  UNSET(tsr_buffer, tsr_program_evaluate(p, NULL, NULL, 1, &in, 1, &result));
  result.struct_size = sizeof result;
  UNSET(tsr_evaluate_options, tsr_program_evaluate(p, NULL, &evaluate, 1, &in, 1, &result));
  tsr_program_free(p);
}

// A size that no version of the struct has would cut a pointer in two.
static void test_cut_fields(void **state) {
  (void)state;
  tsr_program *p = load(), *q = NULL;
  tsr_propagation *h = NULL;
  char *out = NULL;
  size_t end = 2 * sizeof(size_t);
  for (size_t bytes = sizeof(size_t) + 1; bytes < end; bytes++) {
    char message[128];
    tsr_load_options load_options = {.struct_size = bytes, .name = text};
    snprintf(message, sizeof message,
             "struct_size of a tsr_load_options is %zu: set it to sizeof(tsr_load_options)", bytes);
    expect(tsr_program_load(text, sizeof text - 1, &load_options, &q), message);
    tsr_partition_options partition = {
        .struct_size = bytes,
        .annotations = &(tsr_propagate_options){.struct_size = sizeof(tsr_propagate_options)}};
    snprintf(message, sizeof message,
             "struct_size of a tsr_partition_options is %zu: set it to "
             "sizeof(tsr_partition_options)",
             bytes);
    expect(tsr_program_partition(p, &partition, NULL, NULL), message);
  }
  tsr_propagate_options propagate = {.mesh = "a=2"};
  propagate.struct_size = offsetof(tsr_propagate_options, mesh) + 3;
  tsr_error *errors[] = {tsr_program_propagate(p, &propagate, NULL),
                         tsr_propagation_new(p, &propagate, &h)};
  for (size_t i = 0; i < 2; i++) {
    assert_non_null(strstr(tsr_error_message(errors[i]), "struct_size of a tsr_propagate_options"));
    tsr_error_free(errors[i]);
  }
  tsr_print_options print = {.struct_size = offsetof(tsr_print_options, locations) + 1};
  tsr_error *error = tsr_program_print(p, &print, &out, NULL);
  assert_non_null(strstr(tsr_error_message(error), "struct_size of a tsr_print_options"));
  tsr_error_free(error);
  tsr_program_free(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_programs),   cmocka_unit_test(test_rules),
      cmocka_unit_test(test_sharding),   cmocka_unit_test(test_lists),
      cmocka_unit_test(test_simulation), cmocka_unit_test(test_propagation),
      cmocka_unit_test(test_evaluate),   cmocka_unit_test(test_frees),
      cmocka_unit_test(test_words),      cmocka_unit_test(test_struct_sizes),
      cmocka_unit_test(test_cut_fields)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
