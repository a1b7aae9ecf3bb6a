// The public C API of rules for custom calls: as text, by callback, and what is said about wrong
// ones; no leak or crash when any allocation fails.
#include <tessera/tessera.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"

static const char calls[] =
    "func.func @main(%x: tensor<8x4xf32>) -> (tensor<4x8xf32>, tensor<8xf32>) {\n"
    "  %0 = stablehlo.custom_call @my.flip(%x) : (tensor<8x4xf32>) -> tensor<4x8xf32>\n"
    "  %1 = stablehlo.custom_call @my.rows(%x) {backend_config = \"max\"} : (tensor<8x4xf32>) -> "
    "tensor<8xf32>\n"
    "  return %0, %1 : tensor<4x8xf32>, tensor<8xf32>\n"
    "}\n";

// Propagates x=P("data") and gives the shardings of both results.
static tsr_error *shard_calls(tsr_rules *call_rules, char *said[2]) {
  const char *rules[] = {"0=P(\"data\")"};
  tsr_propagate_options o = {.struct_size = sizeof o,
                             .mesh = "data=4",
                             .n_rules = 1,
                             .rules = rules,
                             .close = 1,
                             .call_rules = call_rules};
  tsr_program *p = NULL;
  said[0] = said[1] = NULL;
  tsr_error *error = tsr_program_load(calls, strlen(calls), NULL, &p);
  if (!error) error = tsr_program_propagate(p, &o, NULL);
  for (size_t i = 0; i < 2 && !error; i++)
    error = tsr_program_result_sharding(p, 0, i, TSR_SDY, &said[i]);
  tsr_program_free(p);
  return error;
}

static const char *rows(void *user, const tsr_custom_call *call) {
  ++*(int *)user;
  if (call->n_operands != 1 || call->operands[0]->rank != 2 || call->results[0]->rank != 1)
    return NULL;
  assert_string_equal(call->target, "my.rows");
  assert_string_equal(call->backend_config, "max");
  assert_string_equal(call->operands[0]->text, "tensor<8x4xf32>");
  assert_int_equal(call->results[0]->dims[0], 8);
  return "([i, j])->([i]) reduction={j:max}";
}

static void expect_shardings(tsr_rules *rules, const char *first, const char *second) {
  char *said[2];
  tsr_error *error = shard_calls(rules, said);
  if (error) fprintf(stderr, "%s\n", tsr_error_message(error));
  assert_null(error);
  const char *expected[2] = {first, second};
  for (int i = 0; i < 2; i++) {
    if (expected[i])
      assert_string_equal(said[i], expected[i]);
    else
      assert_null(said[i]);
    tsr_text_free(said[i]);
  }
}

static void test_rules(void **state) {
  (void)state;
  tsr_rules *rules = NULL;
  assert_null(tsr_rules_new(&rules));
  expect_shardings(NULL, NULL, NULL);
  expect_shardings(rules, NULL, NULL);
  assert_null(tsr_rules_add(rules, "my.flip", "([i, j])->([j, i])"));
  expect_shardings(rules, "<@mesh, [{}, {\"data\"}]>", NULL);
  int asked = 0;
  assert_null(tsr_rules_add_callback(rules, NULL, rows, &asked));
  expect_shardings(rules, "<@mesh, [{}, {\"data\"}]>", "<@mesh, [{\"data\"}]>");
  assert_true(asked > 0);
  assert_null(tsr_rules_add(rules, "my.rows", "([i, j])->([i]) blocked_propagation={i}"));
  expect_shardings(rules, "<@mesh, [{}, {\"data\"}]>", NULL);
  tsr_error *error = tsr_rules_add(rules, "my.rows", "([i, j])->([k])");
  assert_null(error);
  error = tsr_rules_add(rules, "my.flip", "([i, j])-([j, i])");
  assert_int_equal(tsr_error_code(error), 3);
  assert_non_null(strstr(tsr_error_message(error), "expected '->' at column 9"));
  tsr_error_free(error);
  // A rule that is one, but not of this call: an error at the call.
  char *said[2];
  assert_null(tsr_rules_add(rules, "my.flip", "([i, j])->([i, j])"));
  error = shard_calls(rules, said);
  assert_int_equal(tsr_error_code(error), 3);
  assert_non_null(strstr(tsr_error_message(error),
                         "<memory>:2:8: error: the rule that was given for @my.flip does not fit: "
                         "dimension 0 of result 0 has the size 4, its factors make 8"));
  tsr_error_free(error);
  tsr_rules_free(rules);
  // A rule for no call of the program.
  assert_null(tsr_rules_new(&rules));
  assert_null(tsr_rules_add_callback(rules, "my.row", rows, &asked));
  error = shard_calls(rules, said);
  assert_int_equal(tsr_error_code(error), 3);
  assert_string_equal(tsr_error_message(error),
                      "a call rule is for 'my.row', but no custom call has that target; did you "
                      "mean 'my.rows'?");
  tsr_error_free(error);
  tsr_rules_free(rules);
  tsr_rules_free(NULL);
}

static tsr_error *use_rules(int *asked) {
  tsr_rules *rules = NULL;
  char *said[2] = {NULL, NULL};
  tsr_error *error = tsr_rules_new(&rules);
  if (error) return error;
  error = tsr_rules_add(rules, "my.flip", "([i, j])->([j, i])");
  if (!error) error = tsr_rules_add_callback(rules, "my.rows", rows, asked);
  if (!error) error = shard_calls(rules, said);
  tsr_text_free(said[0]);
  tsr_text_free(said[1]);
  tsr_rules_free(rules);
  return error;
}

static void test_rules_no_memory(void **state) {
  (void)state;
  int asked = 0;
  mem_fail_at(0);
  assert_null(use_rules(&asked));
  uint64_t made = mem_fail_at(0);
  for (uint64_t k = 1; k <= made; k++) {
    mem_fail_at(k);
    tsr_error *error = use_rules(&asked);
    mem_fail_at(0);
    assert_int_equal(tsr_error_code(error), 8);
    tsr_error_free(error);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_rules),
                                     cmocka_unit_test(test_rules_no_memory)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
