// Decisions through the public C API: kept, given back, edited, refused with the op's location; no
// leak when allocations fail.
#include <tessera/tessera.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"

// Op 1 is the function, op 2 dot_general with the factors i, j, k of [i,k]x[k,j].
static const char text[] =
    "func.func @main(%x: tensor<8x4xf32>, %w: tensor<4x6xf32>) -> tensor<8x6xf32> {\n"
    "  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, "
    "tensor<4x6xf32>) -> tensor<8x6xf32>\n"
    "  %1 = stablehlo.tanh %0 : tensor<8x6xf32>\n"
    "  return %1 : tensor<8x6xf32>\n"
    "}\n";

static const char *const rules[] = {"x=P(\"data\", \"model\")", "w=P(\"model\")"};
static const tsr_propagate_options annotations = {
    .struct_size = sizeof annotations, .mesh = "data=2,model=2", .n_rules = 2, .rules = rules};

static tsr_error *partition(tsr_partition_options options, tsr_program **out) {
  options.struct_size = sizeof options;
  tsr_error *error = tsr_program_load(text, sizeof text - 1, NULL, out);
  if (!error) error = tsr_program_partition(*out, &options, NULL, NULL);
  return error;
}

static tsr_program *partitioned(tsr_partition_options options) {
  tsr_program *p = NULL;
  tsr_error *error = partition(options, &p);
  if (error) fail_msg("%s", tsr_error_message(error));
  return p;
}

static char *printed(tsr_program *p) {
  char *out = NULL;
  assert_null(tsr_program_print(p, NULL, &out, NULL));
  return out;
}

static char *decisions_of(tsr_program *p) {
  char *out = NULL;
  tsr_error *error = tsr_program_decisions(p, &out);
  if (error) fail_msg("%s", tsr_error_message(error));
  return out;
}

static void expect_error(tsr_error *error, tsr_code code, const char *part) {
  assert_non_null(error);
  if (!strstr(tsr_error_message(error), part))
    fail_msg("%s; expected in it: %s", tsr_error_message(error), part);
  assert_int_equal(tsr_error_code(error), code);
  tsr_error_free(error);
}

// Given back without any annotation, the decisions give the same local program.
static void test_given_back(void **state) {
  (void)state;
  tsr_program *p =
      partitioned((tsr_partition_options){.annotations = &annotations, .keep_decisions = 1});
  char *decisions = decisions_of(p), *local = printed(p);
  tsr_program_free(p);
  p = partitioned((tsr_partition_options){.decisions = decisions, .keep_decisions = 1});
  char *again = decisions_of(p), *local_again = printed(p);
  assert_string_equal(local, local_again);
  assert_non_null(strstr(again, "\"why\":\"given\""));
  tsr_text_free(again);
  tsr_text_free(local_again);
  tsr_program_free(p);
  tsr_text_free(decisions);
  tsr_text_free(local);
}

// One decision by hand: the contraction is split, and partial sums are reduced instead of shards
// being gathered.
static const char by_hand[] =
    "{\"ops\": [{\"op\": 2, \"factors\": [{\"axes\": [\"data\"]}, {}, {\"axes\": [\"model\"]}]}]}";

static void test_some(void **state) {
  (void)state;
  tsr_program *p = partitioned((tsr_partition_options){.annotations = &annotations});
  char *local = printed(p);
  assert_non_null(strstr(local, "all_gather"));
  assert_null(strstr(local, "all_reduce"));
  tsr_text_free(local);
  tsr_program_free(p);
  p = partitioned((tsr_partition_options){.annotations = &annotations, .decisions = by_hand});
  local = printed(p);
  assert_null(strstr(local, "all_gather"));
  assert_non_null(strstr(local, "all_reduce"));
  tsr_text_free(local);
  tsr_program_free(p);
}

static void test_refused(void **state) {
  (void)state;
  static const struct {
    const char *decisions, *part;
  } cases[] = {
      {"{\"ops\": [\n{\"op\": 2, \"name\": \"stablehlo.add\", \"kind\": \"replicated\"}]}",
       "<memory>:2:8: error: the decision about 'stablehlo.dot_general' (line 2 of the decisions) "
       "is refused: \"name\" is that of another op"},
      {"{\"ops\": [{\"op\": 2, \"factors\": [{\"axes\": [\"date\"]}, {}, {}]}]}",
       "line 1 of the decisions: the mesh has no axis \"date\""},
      {"{\"passes\": [{\"pass\": \"share\", \"op\": 3, \"taken\": true}]}",
       "the choice of pass 'share' (line 1 of the decisions) is refused"},
      {"{\"passes\": 3}", "line 1 of the decisions: \"passes\" is not an array"},
      {"{\"opps\": []}", "unknown key \"opps\""},
      {"[1]", "expected an object"},
      {"{", "the decisions are not valid JSON: "},
      {"", "the text of the decisions is empty"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    tsr_program *p = NULL;
    tsr_partition_options options = {
        .annotations = &annotations, .decisions = cases[i].decisions, .keep_decisions = 1};
    expect_error(partition(options, &p), TSR_ERROR_INVALID_ARGUMENT, cases[i].part);
    tsr_program_free(p);
  }
}

static void test_not_kept(void **state) {
  (void)state;
  tsr_program *p = NULL;
  char *out = NULL;
  assert_null(tsr_program_load(text, sizeof text - 1, NULL, &p));
  expect_error(tsr_program_decisions(p, &out), TSR_ERROR_FAILED_PRECONDITION, "not partitioned");
  tsr_program_free(p);
  p = partitioned((tsr_partition_options){.annotations = &annotations});
  expect_error(tsr_program_decisions(p, &out), TSR_ERROR_FAILED_PRECONDITION, "keep_decisions");
  tsr_program_free(p);
}

// Callers compiled before the fields existed give none and keep none, whatever lies behind.
static void test_older_struct(void **state) {
  (void)state;
  tsr_program *p = NULL;
  char *out = NULL;
  tsr_partition_options options = {.struct_size = offsetof(tsr_partition_options, decisions),
                                   .annotations = &annotations,
                                   .decisions = "{",
                                   .keep_decisions = 1};
  assert_null(tsr_program_load(text, sizeof text - 1, NULL, &p));
  assert_null(tsr_program_partition(p, &options, NULL, NULL));
  expect_error(tsr_program_decisions(p, &out), TSR_ERROR_FAILED_PRECONDITION, "keep_decisions");
  tsr_program_free(p);
}

static tsr_error *try_once(void) {
  tsr_program *p = NULL, *copy = NULL;
  char *out = NULL;
  tsr_partition_options options = {
      .annotations = &annotations, .decisions = by_hand, .keep_decisions = 1};
  tsr_error *error = partition(options, &p);
  if (!error) error = tsr_program_copy(p, &copy);
  if (!error) error = tsr_program_decisions(copy, &out);
  tsr_text_free(out);
  tsr_program_free(copy);
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
      cmocka_unit_test(test_given_back),   cmocka_unit_test(test_some),
      cmocka_unit_test(test_refused),      cmocka_unit_test(test_not_kept),
      cmocka_unit_test(test_older_struct), cmocka_unit_test(test_no_memory)};
  return cmocka_run_group_tests_name("api_decisions", tests, NULL, NULL);
}
