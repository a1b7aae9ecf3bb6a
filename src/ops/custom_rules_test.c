// The user's rules for custom calls: lookup by target, replacement, functions, precedence over the
// table, and messages for rules that do not fit.
#include "ops/custom_rules.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "ops/infer.h"
#include "parse/parse.h"

static const char text[] =
    "func.func @f(%a: tensor<4x2xf32>, %b: tensor<?x2xf32>) {\n"
    "  %0 = stablehlo.custom_call @flip(%a) : (tensor<4x2xf32>) -> tensor<2x4xf32>\n"
    "  %1 = stablehlo.custom_call @rows(%a) : (tensor<4x2xf32>) -> tensor<4xf32>\n"
    "  %2 = stablehlo.custom_call @MoveToHost(%a) : (tensor<4x2xf32>) -> tensor<4x2xf32>\n"
    "  %3 = stablehlo.custom_call @flip(%b) : (tensor<?x2xf32>) -> tensor<2x?xf32>\n"
    "  return\n}\n";

typedef struct Job {
  CustomRules *rules;
  bool fits;
  char got[256];  // per custom call its factors: size:kinds:combine, or -
  char said[512];
} Job;

static Status *look(Guard *guard, void *arg) {
  Job *job = arg;
  Context *context = context_new(guard);
  Source source = {.path = "<text>", .text = text, .size = sizeof text - 1};
  Diag diag;
  diag_init(&diag, guard, &source);
  Program *p = NULL;
  Status *status =
      program_parse(context, guard, &source, 0, source.size, &(ParseOptions){0}, &diag, &p);
  if (!status && !program_verify(p, &diag)) status = diag_status(&diag);
  Arena arena;
  arena_init(&arena, guard);
  FactorOptions options = {.custom_call = custom_rules_factors, .user = job->rules};
  size_t used = 0;
  for (OpId o = status ? 0 : p->root; o; o = op_walk_next(p, o, p->root)) {
    if (op_at(p, o)->code != OP_custom_call) continue;
    FactorMap map = {0};
    used += (size_t)snprintf(job->got + used, sizeof job->got - used, "%s", used ? " |" : "");
    if (!op_factors(p, o, &options, &arena, &map))
      used += (size_t)snprintf(job->got + used, sizeof job->got - used, " -");
    for (uint32_t f = 0; f < map.n_factors; f++)
      used +=
          (size_t)snprintf(job->got + used, sizeof job->got - used, " %lld:%d:%s",
                           map.factors[f].size == DIM_DYNAMIC ? -1 : (long long)map.factors[f].size,
                           map.factors[f].sdy_kinds, combine_name(map.factors[f].combine));
  }
  if (!status) {
    job->fits = custom_rules_verify(job->rules, p, &arena, &diag);
    StrBuf out;
    strbuf_init(&out, guard);
    diag_render(&diag, &out, false);
    snprintf(job->said, sizeof job->said, "%s", out.data ? out.data : "");
    strbuf_deinit(&out);
  }
  arena_deinit(&arena);
  program_free(p);
  diag_deinit(&diag);
  context_free(context);
  return status;
}

static void see(CustomRules *rules, const char *expected, const char *said) {
  Job job = {.rules = rules};
  assert_null(guard_run(look, &job));
  assert_string_equal(job.got, expected);
  assert_int_equal(job.fits, *said == '\0');
  if (!strstr(job.said, said)) fprintf(stderr, "%s\n", job.said);
  assert_non_null(strstr(job.said, said));
}

static void add(CustomRules *rules, const char *target, const char *rule) {
  assert_null(custom_rules_add(rules, str_of(target), str_of(rule)));
}

static const char *any(void *user, const Program *program, OpId op) {
  ++*(int *)user;
  const TypeInfo *type = type_info(program->context, op_result_type(program, op, 0));
  return type->rank == 1 ? "([i, j])->([i]) reduction={j:min}" : NULL;
}

static void test_rules(void **state) {
  (void)state;
  CustomRules *rules = custom_rules_new();
  see(rules, " - | - | 4:0: 2:0: | -", "");
  add(rules, "flip", "([i, j])->([j, i])");
  see(rules, " 4:0: 2:0: | - | 4:0: 2:0: | -1:8: 2:0:", "");
  // A function for all others, which may decline.
  int calls = 0;
  assert_null(custom_rules_add_fn(rules, str_of(""), any, &calls));
  see(rules, " 4:0: 2:0: | 4:0: 2:1:min | 4:0: 2:0: | -1:8: 2:0:", "");
  assert_int_equal(calls, 4);  // rows and MoveToHost, twice
  add(rules, "flip", "([i, j])->([j, i]) blocked_propagation={j}");
  add(rules, "MoveToHost", "([i, j])->([i, j]) need_replication={i, j}");
  see(rules, " 4:0: 2:8: | 4:0: 2:1:min | 4:4: 2:4: | -1:8: 2:8:", "");
  add(rules, "rows", "([i])->([i])");
  see(rules, " 4:0: 2:8: | - | 4:4: 2:4: | -1:8: 2:8:",
      "<text>:3:8: error: the rule that was given for @rows does not fit: the rule gives operand 0 "
      "1 dimensions, it has 2");
  custom_rules_free(rules);
}

static void test_wrong(void **state) {
  (void)state;
  CustomRules *rules = custom_rules_new();
  Status *status = custom_rules_add(rules, str_of("flip"), str_of("([i, j])->[j, i]"));
  assert_string_equal(status_message(status),
                      "the rule of @flip is no rule: expected '(' at column 11, found '[j, i]' in "
                      "\"([i, j])->[j, i]\"");
  status_free(status);
  status = custom_rules_add(rules, str_of(""), str_of("([i])->([i])"));
  assert_int_equal(status_code(status), INVALID_ARGUMENT);
  status_free(status);
  see(rules, " - | - | 4:0: 2:0: | -", "");
  custom_rules_free(rules);
  custom_rules_free(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_rules), cmocka_unit_test(test_wrong)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
