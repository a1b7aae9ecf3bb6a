// Printer and forms, as far as golden files cannot test them: every failing allocation, every row
// of the op table, announced diagnostics.
#include "parse/print.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/mem.h"
#include "ops/infer.h"
#include "ops/sample.h"
#include "parse/expect.h"
#include "parse/form.h"
#include "parse/round_trip.h"

// ---- printing when memory runs out ----

static const char all_kinds[] =
    "sdy.mesh @mesh = <[\"x\"=2]>\n"
    "func.func @main(%a: tensor<2x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\", ?}, {}]>}, "
    "%n: tensor<i32>)\n"
    "    -> tensor<2x2xf32> {\n"
    "  %0 = stablehlo.constant dense<0.5> : tensor<f32>\n"
    "  %1 = stablehlo.reduce(%a init: %0) applies stablehlo.add across dimensions = [0]\n"
    "    : (tensor<2x2xf32>, tensor<f32>) -> tensor<2xf32>\n"
    "  %2:2 = stablehlo.while(%i = %n, %x = %a) : tensor<i32>, tensor<2x2xf32>\n"
    "   cond {\n"
    "    %3 = stablehlo.compare LT, %i, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
    "    stablehlo.return %3 : tensor<i1>\n"
    "  } do {\n"
    "    stablehlo.return %i, %x : tensor<i32>, tensor<2x2xf32>\n"
    "  }\n"
    "  %4 = \"stablehlo.dot_general\"(%a, %a) {dot_dimension_numbers = "
    "#stablehlo.dot<lhs_contracting_dimensions = [1],\n"
    "    rhs_contracting_dimensions = [0]>} : (tensor<2x2xf32>, tensor<2x2xf32>) -> "
    "tensor<2x2xf32> loc(\"x\")\n"
    "  return %4 : tensor<2x2xf32>\n"
    "}\n";

typedef struct PrintRun {
  const char *text;
  PrintOptions options;
  char *printed;  // malloc'd
} PrintRun;

static Status *print_body(Guard *guard, void *arg) {
  PrintRun *run = arg;
  Source source = {.path = "test", .text = run->text, .size = strlen(run->text)};
  Context *context = context_new(guard);
  GuardCleanup c1 = {context_release, context, NULL};
  guard_push(guard, &c1);
  Diag diag;
  diag_init(&diag, guard, &source);
  GuardCleanup c2 = {diag_release, &diag, NULL};
  guard_push(guard, &c2);
  Program *p = NULL;
  ParseOptions options = {0};
  Status *status = program_parse(context, guard, &source, 0, source.size, &options, &diag, &p);
  if (!status) {
    GuardCleanup c3 = {program_release, p, NULL};
    guard_push(guard, &c3);
    StrBuf out;
    strbuf_init(&out, guard);
    GuardCleanup c4 = {strbuf_release, &out, NULL};
    guard_push(guard, &c4);
    program_print(p, &run->options, &out);
    run->printed = malloc(out.used + 1);
    memcpy(run->printed, out.data, out.used + 1);
    guard_pop(guard, &c4);
    strbuf_deinit(&out);
    guard_pop(guard, &c3);
    program_free(p);
  }
  guard_pop(guard, &c2);
  diag_deinit(&diag);
  guard_pop(guard, &c1);
  context_free(context);
  return status;
}

static void test_no_memory(void **state) {
  (void)state;
  for (int mode = 0; mode < 3; mode++)
    for (uint64_t k = 1;; k++) {
      PrintRun run = {all_kinds, {.generic = mode == 1, .locations = mode == 2}, NULL};
      mem_fail_at(0);
      mem_fail_at(k);
      Status *status = guard_run(print_body, &run);
      uint64_t made = mem_fail_at(0);
      free(run.printed);
      bool ran_out = status && status_code(status) == RESOURCE_EXHAUSTED;
      if (status && !ran_out) print_error("%s\n", status_message(status));
      assert_true(!status || ran_out);
      status_free(status);
      if (!ran_out && made < k) break;
      assert_true(k < 100000);
    }
}

// ---- a random instance of every op survives printing and parsing ----

typedef struct SampleRun {
  uint16_t code;
  uint64_t seed;
} SampleRun;

static Status *sample_body(Guard *guard, void *arg) {
  SampleRun *run = arg;
  Context *context = context_new(guard);
  GuardCleanup c1 = {context_release, context, NULL};
  guard_push(guard, &c1);
  Program *p = program_new(context, guard, NULL);
  GuardCleanup c2 = {program_release, p, NULL};
  guard_push(guard, &c2);
  Arena arena;
  arena_init(&arena, guard);
  GuardCleanup c3 = {arena_release, &arena, NULL};
  guard_push(guard, &c3);
  OpId module = op_create(p, &(OpSpec){.code = OP_module, .n_regions = 1, .pos = POS_NONE});
  BlockId top = region_add_block(p, op_region(p, module, 0));
  NamedAttr attrs[] = {
      {name_of(context, "sym_name"), attr_string(context, name_of(context, "main"))},
      {name_of(context, "function_type"),
       attr_type(context, type_function(context, 0, NULL, 0, NULL))},
  };
  OpId function = op_create(p, &(OpSpec){.code = OP_func_func,
                                         .n_regions = 1,
                                         .attrs = attr_dict(context, 2, attrs),
                                         .pos = POS_NONE});
  op_append(p, top, function);
  Sample cx = {.program = p,
               .context = context,
               .arena = &arena,
               .block = region_add_block(p, op_region(p, function, 0)),
               .state = run->seed};
  op_row(run->code)->def->sample(&cx);
  op_append(p, cx.block, op_create(p, &(OpSpec){.code = OP_func_return, .pos = POS_NONE}));
  Status *status = program_round_trip(p, guard);
  guard_pop(guard, &c3);
  arena_deinit(&arena);
  guard_pop(guard, &c2);
  program_free(p);
  guard_pop(guard, &c1);
  context_free(context);
  return status;
}

static void test_samples_round_trip(void **state) {
  (void)state;
  uint32_t ops = 0, bad = 0;
  for (uint16_t code = OP_UNREGISTERED + 1; code < OP_COUNT; code++) {
    const OpDef *def = op_row(code)->def;
    if (!def || !def->sample) continue;
    ops++;
    for (uint64_t seed = 1; seed <= 20; seed++) {
      SampleRun run = {code, seed};
      Status *status = guard_run(sample_body, &run);
      if (status) {
        print_error("%s, seed %u: %s\n", op_row(code)->name, (unsigned)seed,
                    status_message(status));
        bad++;
        status_free(status);
        break;
      }
    }
  }
  assert_true(ops > 0);
  assert_int_equal(bad, 0);
}

// Every form compiles and mentions everything that its op requires; otherwise printing would lose
// an attribute.
static void test_forms_are_whole(void **state) {
  (void)state;
  for (uint16_t code = OP_UNREGISTERED + 1; code < OP_COUNT; code++) {
    const OpRow *row = op_row(code);
    bool dict = !row->form || strstr(row->form, "{attrs}") || strstr(row->form, "{constant}") ||
                strstr(row->form, "{while}") || strstr(row->form, "{reduce}") ||
                strstr(row->form, "{scan}") || row->form[strlen(row->form) - 1] == '}';
    if (!dict) fail_msg("%s has a form without a place for other attributes", row->name);
    form_mentions(code, str_of(""));
  }
}

// ---- announced diagnostics ----

typedef struct ExpectRun {
  const char *text, *message;
  Severity severity;
  uint32_t line;  // line of the message; 0 = no message
  bool good;
} ExpectRun;

static Status *expect_body(Guard *guard, void *arg) {
  ExpectRun *run = arg;
  Source source = {.path = "test", .text = run->text, .size = strlen(run->text)};
  Diag diag;
  diag_init(&diag, guard, &source);
  Pos pos = 0;
  for (uint32_t line = 1; line < run->line; pos++) line += run->text[pos] == '\n';
  if (run->line && run->severity == SEVERITY_ERROR) diag_error(&diag, pos, "%s", run->message);
  if (run->line && run->severity == SEVERITY_WARNING) diag_warning(&diag, pos, "%s", run->message);
  StrBuf out;
  strbuf_init(&out, guard);
  run->good = expect_diagnostics(&source, 0, source.size, &diag, &out);
  strbuf_deinit(&out);
  diag_deinit(&diag);
  return NULL;
}

static void test_expectations(void **state) {
  (void)state;
  static const ExpectRun runs[] = {
      {"// expected-error@+1 {{C3: rank}}\nop\n", "'x' op C3: rank 2", SEVERITY_ERROR, 2, true},
      {"// expected-error@+1 {{C3: rank}}\nop\n", "'x' op C4: rank 2", SEVERITY_ERROR, 2, false},
      {"// expected-error@+1 {{C3}}\nop\n", "C3", SEVERITY_ERROR, 1, false},
      {"// expected-error@+1 {{C3}}\nop\n", "C3", SEVERITY_WARNING, 2, false},
      {"// expected-warning @+1 {{C3}}\nop\n", "C3", SEVERITY_WARNING, 2, true},
      {"// expected-error@below {{a}}\n// expected-error@below {{b}}\nop\n", "a", SEVERITY_ERROR, 3,
       false},
      {"// expected-error@below {{a}}\n\nop\n", "a", SEVERITY_ERROR, 2, true},
      {"op\n// expected-error@above {{a}}\n", "a", SEVERITY_ERROR, 1, true},
      {"op // expected-error {{a}}\n", "a", SEVERITY_ERROR, 1, true},
      {"op\n\n// expected-error@-2 {{a}}\n", "a", SEVERITY_ERROR, 1, true},
      {"// expected-error-re@+1 {{size {{[0-9]+}} (of 3)}}\nop\n", "size 12 (of 3)", SEVERITY_ERROR,
       2, true},
      {"// expected-error-re@+1 {{size {{[0-9]+}} of}}\nop\n", "size x of", SEVERITY_ERROR, 2,
       false},
      {"// expected-error@+1 {{has {} and }}}}\nop\n", "has {} and }} here", SEVERITY_ERROR, 2,
       true},
      {"op\n", "a", SEVERITY_ERROR, 1, false},
      {"op\n", "", SEVERITY_ERROR, 0, true},
      {"// expected-error@+1 {{a}}\nop\n", "", SEVERITY_ERROR, 0, false},
  };
  for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
    ExpectRun run = runs[i];
    assert_null(guard_run(expect_body, &run));
    if (run.good != runs[i].good) fail_msg("expectation %u: %s", (unsigned)i, run.text);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_no_memory),
      cmocka_unit_test(test_samples_round_trip),
      cmocka_unit_test(test_forms_are_whole),
      cmocka_unit_test(test_expectations),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
