// Plans through the public C API: those of `tessera plan`, obeyed by tsr_program_partition.
#include <tessera/tessera.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"

static const char text[] =
    "func.func @main(%x: tensor<64x32xf32>, %w: tensor<32x16xf32>) -> tensor<64x16xf32> {\n"
    "  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]"
    " : (tensor<64x32xf32>, tensor<32x16xf32>) -> tensor<64x16xf32>\n"
    "  %1 = stablehlo.tanh %0 : tensor<64x16xf32>\n"
    "  return %1 : tensor<64x16xf32>\n"
    "}\n";

static void good(tsr_error *error) {
  if (error) fail_msg("%s", tsr_error_message(error));
}

static void fails(tsr_error *error, tsr_code code, const char *part) {
  if (!error) fail_msg("no error; expected: %s", part);
  if (!strstr(tsr_error_message(error), part))
    fail_msg("%s; expected: %s", tsr_error_message(error), part);
  assert_int_equal(tsr_error_code(error), code);
  tsr_error_free(error);
}

static tsr_program *load(void) {
  tsr_program *p = NULL;
  good(tsr_program_load(text, sizeof text - 1, NULL, &p));
  return p;
}

static void test_plan(void **state) {
  (void)state;
  tsr_program *p = load();
  tsr_plan_options options = {.struct_size = sizeof options, .machine = "h100:4"};
  char *json = NULL, *words = NULL;
  good(tsr_program_plan(p, &options, &json, &words));
  assert_non_null(strstr(json, "\"plan_version\":2"));
  assert_non_null(strstr(words, "mesh x=4 on h100:4"));
  tsr_partition_options partition = {
      .struct_size = sizeof partition, .machine = "h100:4", .decisions = json};
  size_t devices = 0;
  good(tsr_program_partition(p, &partition, &devices, NULL));
  assert_int_equal(devices, 4);
  tsr_text_free(json);
  tsr_text_free(words);
  tsr_program_free(p);
}

static void test_refused(void **state) {
  (void)state;
  tsr_program *p = load();
  char *json = NULL;
  fails(tsr_program_plan(p, NULL, &json, NULL), TSR_ERROR_INVALID_ARGUMENT, "how many devices");
  tsr_plan_options options = {
      .struct_size = sizeof options, .machine = "h100:4", .memory_bytes = 100};
  fails(tsr_program_plan(p, &options, &json, NULL), TSR_ERROR_RESOURCE_EXHAUSTED,
        "every plan needs at least");
  tsr_propagate_options annotations = {.struct_size = sizeof annotations, .mesh = "a=2"};
  tsr_partition_options partition = {.struct_size = sizeof partition,
                                     .annotations = &annotations,
                                     .decisions = "{\"plan_version\": 1, \"decisions\": {}}"};
  size_t devices;
  fails(tsr_program_partition(p, &partition, &devices, NULL), TSR_ERROR_INVALID_ARGUMENT,
        "its own mesh");
  tsr_program_free(p);
}

// Every allocation fails once; nothing leaks and the program can be planned afterwards.
static void test_no_memory(void **state) {
  (void)state;
  tsr_program *p = load();
  tsr_plan_options options = {.struct_size = sizeof options, .machine = "h100:2"};
  char *json = NULL;
  uint64_t n = 1;
  for (bool done = false; !done; n += 1 + n / 16) {
    mem_fail_at(n);
    tsr_error *error = tsr_program_plan(p, &options, &json, NULL);
    mem_fail_at(0);
    done = !error;
    tsr_error_free(error);
  }
  assert_non_null(strstr(json, "decisions"));
  tsr_text_free(json);
  tsr_program_free(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_plan),
      cmocka_unit_test(test_refused),
      cmocka_unit_test(test_no_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
