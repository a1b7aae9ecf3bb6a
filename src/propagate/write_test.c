// Programs as text, propagated, written and printed. In the texts ' stands for ".
#include "propagate/write.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/mem.h"
#include "ops/infer.h"
#include "parse/parse.h"
#include "parse/print.h"

typedef struct Run {
  const char *text;
  WriteOptions write;
  PropagateOptions propagate;
  bool again;     // write a second time
  char *printed;  // malloc'd, ' for "
} Run;

static void drop_propagation(void *p) { propagation_free(p); }

static char *swap_quotes(const char *text, char from, char to) {
  char *copy = strdup(text);
  assert_non_null(copy);
  for (char *c = copy; *c; c++)
    if (*c == from) *c = to;
  return copy;
}

static Status *run_body(Guard *guard, void *arg) {
  Run *run = arg;
  Source source = {.path = "test", .text = run->text, .size = strlen(run->text)};
  Context *context = context_new(guard);
  GuardCleanup c1 = {context_release, context, NULL};
  guard_push(guard, &c1);
  Diag diag;
  diag_init(&diag, guard, &source);
  GuardCleanup c2 = {diag_release, &diag, NULL};
  guard_push(guard, &c2);
  Program *program = NULL;
  Status *status =
      program_parse(context, guard, &source, 0, source.size, &(ParseOptions){0}, &diag, &program);
  if (status) guard_throw(guard, status);
  GuardCleanup c3 = {program_release, program, NULL};
  guard_push(guard, &c3);
  if (!program_verify(program, &diag)) guard_throw(guard, diag_status(&diag));
  ShardingTable *table = sharding_table_new(context, guard);
  GuardCleanup c4 = {sharding_table_release, table, NULL};
  guard_push(guard, &c4);
  Propagation *p = NULL;
  status = propagation_new(program, table, &run->propagate, guard, &diag, &p);
  if (status) guard_throw(guard, status);
  GuardCleanup c5 = {drop_propagation, p, NULL};
  guard_push(guard, &c5);
  status = propagation_read(p, &diag);
  if (status) guard_throw(guard, status);
  propagation_run(p);
  status = propagation_write(p, program, &run->write, &diag);
  if (!status && run->again) status = propagation_write(p, program, &run->write, &diag);
  if (status) guard_throw(guard, status);
  assert_null(program_check(program));
  if (!program_verify(program, &diag)) guard_throw(guard, diag_status(&diag));
  StrBuf out;
  strbuf_init(&out, guard);
  GuardCleanup c6 = {strbuf_release, &out, NULL};
  guard_push(guard, &c6);
  program_print(program, &(PrintOptions){0}, &out);
  run->printed = swap_quotes(out.data, '"', '\'');
  guard_pop(guard, &c6);
  strbuf_deinit(&out);
  guard_pop(guard, &c5);
  propagation_free(p);
  guard_pop(guard, &c4);
  sharding_table_free(table);
  guard_pop(guard, &c3);
  program_free(program);
  guard_pop(guard, &c2);
  diag_deinit(&diag);
  guard_pop(guard, &c1);
  context_free(context);
  return NULL;
}

// Propagates text (with ' for ") and returns the printed result, which the caller frees.
static char *propagated_with(const char *text, Run run) {
  char *input = swap_quotes(text, '\'', '"');
  run.text = input;
  Status *status = guard_run(run_body, &run);
  if (status) fail_msg("%s\n%s", status_message(status), text);
  free(input);
  return run.printed;
}

static char *propagated(const char *text) { return propagated_with(text, (Run){0}); }

// The text contains all needles in this order.
static void expect_in_order(const char *text, const char *const *needles) {
  const char *at = text;
  for (; *needles; needles++) {
    const char *found = strstr(at, *needles);
    if (!found) fail_msg("missing: %s\nin:\n%s", *needles, text);
    at = found + strlen(*needles);
  }
}

#define EXPECT(text, ...) expect_in_order((text), (const char *const[]){__VA_ARGS__, NULL})

// The written program is a fixpoint: propagated again it is the same text.
static void expect_fixpoint(const char *text) {
  char *again = propagated(text);
  assert_string_equal(again, text);
  free(again);
}

#define MESH "sdy.mesh @m = <['x'=2, 'y'=2]>\n"
#define SHARD(dims) " {sdy.sharding = #sdy.sharding<@m, [" dims "]>}"
#define RESULT(dims) "{sdy.sharding = #sdy.sharding_per_value<[<@m, [" dims "]>]>}"
#define T "tensor<8x8xf32>"

// ---- functions ----

#define SILU                                                                                       \
  "func.func private @silu(%x: " T ") -> " T " {\n"                                                \
  "  %0 = stablehlo.logistic %x : " T "\n"                                                         \
  "  %1 = stablehlo.multiply %x, %0 : " T "\n"                                                     \
  "  return %1 : " T "\n"                                                                          \
  "}\n"

static void test_shared_callee(void **state) {
  (void)state;
  char *text = propagated(MESH "func.func public @main(%a: " T SHARD("{'x'}, {}") ", %b: " T SHARD(
      "{'y'}, {}") ") -> (" T ", " T ", " T ") {\n"
                   "  %0 = call @silu(%a) : (" T ") -> " T "\n"
                   "  %1 = call @silu(%b) : (" T ") -> " T "\n"
                   "  %2 = call @silu(%a) : (" T ") -> " T "\n"
                   "  return %0, %1, %2 : " T ", " T ", " T "\n}\n" SILU);
  EXPECT(text, "call @silu(%arg0)", "call @silu_0(%arg1)", "call @silu(%arg0)",
         "func.func private @silu(%arg0: " T SHARD("{'x', ?}, {?}"), "stablehlo.logistic",
         RESULT("{'x', ?}, {?}"), "func.func private @silu_0(%arg0: " T SHARD("{'y', ?}, {?}"),
         "stablehlo.logistic", RESULT("{'y', ?}, {?}"));
  assert_null(strstr(text, "silu_1"));
  expect_fixpoint(text);
  free(text);
}

#define LAYER                                                                                      \
  "func.func private @layer(%x: " T ") -> " T " {\n"                                               \
  "  %0 = call @silu(%x) : (" T ") -> " T "\n"                                                     \
  "  %1 = call @silu(%0) : (" T ") -> " T "\n"                                                     \
  "  return %1 : " T "\n"                                                                          \
  "}\n"
#define TWO_ROOTS_A                                                                                \
  "func.func public @a(%a: " T SHARD("{'x'}, {}") ") -> " T " {\n"                                 \
                                                  "  %0 = call @layer(%a) : (" T ") -> " T "\n"    \
                                                  "  return %0 : " T "\n}\n"
#define TWO_ROOTS_B                                                                                \
  "func.func public @b(%a: " T SHARD("{}, {'y'}") ") -> " T " {\n"                                 \
                                                  "  %0 = call @layer(%a) : (" T ") -> " T "\n"    \
                                                  "  return %0 : " T "\n}\n"

// The text of one function, malloc'd.
static char *function_text(const char *text, const char *head) {
  const char *begin = strstr(text, head);
  if (!begin) fail_msg("no %s in:\n%s", head, text);
  const char *end = strstr(begin, "\n  }\n");
  assert_non_null(end);
  return strndup(begin, (size_t)(end - begin));
}

static void test_nested_calls_in_any_order(void **state) {
  (void)state;
  char *text = propagated(MESH TWO_ROOTS_A TWO_ROOTS_B LAYER SILU);
  char *other = propagated(MESH SILU TWO_ROOTS_B LAYER TWO_ROOTS_A);
  static const char *const heads[] = {
      "@a(", "@b(", "private @layer(", "private @layer_0(", "private @silu(%", "private @silu_0(%"};
  for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
    char *x = function_text(text, heads[i]), *y = function_text(other, heads[i]);
    assert_string_equal(x, y);
    free(x);
    free(y);
  }
  EXPECT(text, "@a(", "call @layer(", "@b(", "call @layer_0(", "private @layer(", "call @silu(",
         "call @silu(", "private @layer_0(", "call @silu_0(", "call @silu_0(");
  assert_null(strstr(text, "_1"));
  expect_fixpoint(text);
  free(text);
  free(other);
}

// A chain of functions that each call the next twice: 2^20 call sites, one body each.
static void test_no_exponential_copies(void **state) {
  (void)state;
  char text[8192];
  size_t used = 0;
  used += (size_t)snprintf(text, sizeof text, "%s",
                           MESH "func.func public @main(%a: " T SHARD(
                               "{'x'}, {}") ") -> " T " {\n"
                                            "  %0 = call @f0(%a) : (" T ") -> " T "\n"
                                            "  return %0 : " T "\n}\n");
  for (int i = 0; i < 20; i++)
    used += (size_t)snprintf(text + used, sizeof text - used,
                             "func.func private @f%d(%%a: " T ") -> " T " {\n"
                             "  %%0 = call @f%d(%%a) : (" T ") -> " T "\n"
                             "  %%1 = call @f%d(%%0) : (" T ") -> " T "\n"
                             "  return %%1 : " T "\n}\n",
                             i, i + 1, i + 1);
  snprintf(text + used, sizeof text - used,
           "func.func private @f20(%%a: " T ") -> " T " {\n"
           "  %%0 = stablehlo.negate %%a : " T "\n"
           "  return %%0 : " T "\n}\n");
  char *printed = propagated(text);
  EXPECT(printed, "private @f20(%arg0: " T SHARD("{'x', ?}, {?}"));
  assert_null(strstr(printed, "_0"));
  free(printed);
}

static void test_names_that_are_taken(void **state) {
  (void)state;
  char *text = propagated(MESH "func.func public @main(%a: " T SHARD("{'x'}, {}") ", %b: " T SHARD(
      "{'y'}, {}") ") -> (" T ", " T ", " T ") {\n"
                   "  %0 = call @silu(%a) : (" T ") -> " T "\n"
                   "  %1 = call @silu(%b) : (" T ") -> " T "\n"
                   "  %2 = call @silu_0(%a) : (" T ") -> " T "\n"
                   "  return %0, %1, %2 : " T ", " T ", " T "\n}\n" SILU
                   "func.func private @silu_0(%x: " T ") -> " T " {\n"
                   "  return %x : " T "\n}\n");
  EXPECT(text, "call @silu(%arg0)", "call @silu_1(%arg1)", "call @silu_0(%arg0)",
         "private @silu_1(");
  free(text);
}

static void test_other_attributes_stay(void **state) {
  (void)state;
  char *text =
      propagated(MESH "func.func public @main(%a: " T
                      " {jax.buffer_donor = true, mhlo.layout_mode = 'default', sdy.sharding = "
                      "#sdy.sharding<@m, [{'x'}, {}]>, tf.aliasing_output = 0 : i32}, %b: " T
                      " {jax.arg_info = 'w'}) -> (" T " {jax.result_info = 'r'}) {\n"
                      "  %0 = stablehlo.add %a, %b {mhlo.frontend_attributes = {k = 'v'}} : " T "\n"
                      "  return %0 : " T "\n}\n");
  EXPECT(text,
         "{jax.buffer_donor = true, mhlo.layout_mode = 'default', sdy.sharding = "
         "#sdy.sharding<@m, [{'x'}, {}]>, tf.aliasing_output = 0 : i32}",
         "{jax.arg_info = 'w', sdy.sharding = #sdy.sharding<@m, [{'x', ?}, {?}]>}",
         "{jax.result_info = 'r', sdy.sharding = #sdy.sharding<@m, [{'x', ?}, {?}]>}",
         "{mhlo.frontend_attributes = {k = 'v'}, sdy.sharding = #sdy.sharding_per_value<[<@m, "
         "[{'x', ?}, {?}]>]>}");
  expect_fixpoint(text);
  free(text);
}

static void test_close(void **state) {
  (void)state;
  char *text = propagated_with(MESH "func.func public @main(%a: " T SHARD(
                                   "{'x', ?}p1, {?}") ", %b: " T ") -> (" T ", " T ") {\n"
                                                      "  %0 = stablehlo.abs %a : " T "\n"
                                                      "  return %0, %b : " T ", " T "\n}\n",
                               (Run){.write = {.close = true}});
  EXPECT(text,
         "%arg0: " T SHARD("{'x'}, {}") ", %arg1: " T ") -> (" T SHARD("{'x'}, {}") ", " T ")",
         "stablehlo.abs", RESULT("{'x'}, {}"));
  assert_null(strstr(text, "?"));
  assert_null(strstr(text, "p1"));
  free(text);
}

// ---- regions ----

static void test_while(void **state) {
  (void)state;
  char *text = propagated(MESH "func.func public @main(%n: tensor<i32>, %a: " T SHARD(
      "{'x'}, {}") ") -> " T " {\n"
                   "  %0:2 = stablehlo.while(%i = %n, %v = %a) : tensor<i32>, " T "\n"
                   "   cond {\n"
                   "    %1 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> "
                   "tensor<i1>\n"
                   "    stablehlo.return %1 : tensor<i1>\n"
                   "  } do {\n"
                   "    %1 = stablehlo.add %v, %v : " T "\n"
                   "    stablehlo.return %i, %1 : tensor<i32>, " T "\n"
                   "  }\n"
                   "  return %0#1 : " T "\n}\n");
  EXPECT(text, "stablehlo.while",
         "attributes {sdy.sharding = #sdy.sharding_per_value<[<@m, []>, <@m, [{'x', ?}, {?}]>]>}",
         "stablehlo.add", RESULT("{'x', ?}, {?}"));
  expect_fixpoint(text);
  free(text);
}

static void test_case(void **state) {
  (void)state;
  char *text = propagated(MESH "func.func public @main(%n: tensor<i32>, %a: " T ", %b: " T SHARD(
      "{'x'}, {}") ") -> (" T ", " T ") {\n"
                   "  %0:2 = 'stablehlo.case'(%n) ({\n"
                   "    stablehlo.return %a, %a : " T ", " T "\n"
                   "  }, {\n"
                   "    %1 = stablehlo.custom_call @unknown() : () -> " T "\n"
                   "    stablehlo.return %b, %1 : " T ", " T "\n"
                   "  }) : (tensor<i32>) -> (" T ", " T ")\n"
                   "  return %0#0, %0#1 : " T ", " T "\n}\n");
  EXPECT(text, "%arg1: " T SHARD("{'x', ?}, {?}"), "stablehlo.case",
         "sdy.sharding = #sdy.sharding_per_value<[<@m, [{'x', ?}, {?}]>, <@m, [");
  expect_fixpoint(text);
  free(text);
}

static void test_manual_computation(void **state) {
  (void)state;
  char *text = propagated(
      MESH "func.func public @main(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {\n"
           "  %0 = sdy.manual_computation(%a) in_shardings=[<@m, [{'x', ?}, {?}]>] "
           "out_shardings=[<@m, [{'x', ?}, {?}]>] manual_axes={'x'} (%b: tensor<4x8xf32>) {\n"
           "    %1 = stablehlo.abs %b " RESULT(
               "{?}, {'y'}") " : tensor<4x8xf32>\n"
                             "    sdy.return %1 : tensor<4x8xf32>\n"
                             "  } : (tensor<8x8xf32>) -> tensor<8x8xf32>\n"
                             "  return %0 : tensor<8x8xf32>\n}\n");
  EXPECT(text, "%arg0: " T SHARD("{'x', ?}, {'y', ?}") ") -> (" T SHARD("{'x', ?}, {'y', ?}") ")",
         "in_shardings=[<@m, [{'x', ?}, {'y', ?}]>]", "out_shardings=[<@m, [{'x', ?}, {'y', ?}]>]",
         "manual_axes={'x'}", "stablehlo.abs", RESULT("{?}, {'y'}"));
  expect_fixpoint(text);
  free(text);
}

static void test_constraint(void **state) {
  (void)state;
  char *text = propagated(MESH "func.func public @main(%a: " T SHARD(
      "{'x'}, {}") ") -> " T " {\n"
                   "  %0 = sdy.sharding_constraint %a <@m, [{?}, {'y'}]> : " T "\n"
                   "  return %0 : " T "\n}\n");
  EXPECT(text, "sdy.sharding_constraint %arg0 <@m, [{'x', ?}, {'y'}]> : " T "\n");
  expect_fixpoint(text);
  free(text);
}

static void test_explicit_edges_carry_it(void **state) {
  (void)state;
  char *text = propagated_with(MESH "func.func public @main(%n: tensor<i32>, %a: " T SHARD(
                                   "{'x'}, {}") ") -> " T " {\n"
                                                "  %0 = 'stablehlo.case'(%n) ({\n"
                                                "    stablehlo.return %a : " T "\n"
                                                "  }) : (tensor<i32>) -> " T "\n"
                                                "  %1 = sdy.data_flow_edge %0 : " T "\n"
                                                "  return %1 : " T "\n}\n",
                               (Run){.propagate = {.graph = {.explicit_only = true}}});
  EXPECT(text, "}) : (tensor<i32>) -> " T "\n",
         "sdy.data_flow_edge %0 sharding=<@m, [{'x', ?}, {?}]> : " T "\n");
  free(text);
}

// ---- constants ----

static void test_constant_with_two_shardings(void **state) {
  (void)state;
  char *text = propagated(MESH "func.func public @main(%a: " T SHARD("{'x'}, {}") ", %b: " T SHARD(
      "{}, {'y'}") ") -> (" T ", " T ", " T ") {\n"
                   "  %c = stablehlo.constant dense<1.0> : " T "\n"
                   "  %0 = stablehlo.add %a, %c : " T "\n"
                   "  %1 = stablehlo.add %b, %c : " T "\n"
                   "  %2 = stablehlo.multiply %a, %c : " T "\n"
                   "  return %0, %1, %2 : " T ", " T ", " T "\n}\n");
  EXPECT(text, "%cst = stablehlo.constant", RESULT("{'x', ?}, {?}"), "%cst_0 = stablehlo.constant",
         RESULT("{?}, {'y', ?}"), "stablehlo.add %arg0, %cst ", "stablehlo.add %arg1, %cst_0 ",
         "stablehlo.multiply %arg0, %cst ");
  assert_null(strstr(text, "cst_1"));
  expect_fixpoint(text);
  free(text);
}

// The annotation of a constant applies to all its uses.
static void test_annotated_constant(void **state) {
  (void)state;
  char *text = propagated(MESH "func.func public @main(%a: " T SHARD("{}, {}") ", %b: " T SHARD(
      "{'y'}, {}") ") -> (" T ", " T ") {\n"
                   "  %c = stablehlo.constant {sdy.sharding = #sdy.sharding_per_value<[<@m, "
                   "[{'x'}, {}]>]>} "
                   "dense<1.0> : " T "\n"
                   "  %0 = stablehlo.add %a, %c : " T "\n"
                   "  %1 = stablehlo.add %b, %c : " T "\n"
                   "  return %0, %1 : " T ", " T "\n}\n");
  EXPECT(text, "%cst = stablehlo.constant", "[{'x'}, {}]", "stablehlo.add %arg0, %cst ",
         "stablehlo.add %arg1, %cst ");
  assert_null(strstr(text, "cst_0"));
  expect_fixpoint(text);
  free(text);
}

// A computed constant is copied with its operands; scalars never are.
static void test_constant_expression(void **state) {
  (void)state;
  char *text = propagated(MESH "func.func public @main(%a: " T SHARD("{'x'}, {}") ", %b: " T SHARD(
      "{}, {'y'}") ") -> (" T ", " T ", " T ") {\n"
                   "  %c = stablehlo.constant dense<1.0> : tensor<f32>\n"
                   "  %i = stablehlo.iota dim = 0 : tensor<8xf32>\n"
                   "  %z = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<f32>) -> "
                   "tensor<8xf32>\n"
                   "  %s = stablehlo.add %i, %z : tensor<8xf32>\n"
                   "  %e = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<8xf32>) -> " T "\n"
                   "  %0 = stablehlo.add %a, %e : " T "\n"
                   "  %1 = stablehlo.add %b, %e : " T "\n"
                   "  %2 = stablehlo.multiply %a, %e : " T "\n"
                   "  return %0, %1, %2 : " T ", " T ", " T "\n}\n");
  EXPECT(text, "%cst = stablehlo.constant dense<1.0", "%0 = stablehlo.iota", RESULT("{'x', ?}"),
         "%1 = stablehlo.iota", "broadcast_in_dim %cst, dims = []", RESULT("{'x', ?}"),
         "broadcast_in_dim %cst, dims = []");
  assert_null(strstr(text, "cst_0"));
  expect_fixpoint(text);
  free(text);
}

// The same in a function that is called twice: instances agree, so there is one copy of it.
static void test_constant_in_callee(void **state) {
  (void)state;
  char *text = propagated(MESH "func.func public @main(%a: " T SHARD("{'x'}, {}") ", %b: " T SHARD(
      "{}, {'y'}") ") -> (" T ", " T ") {\n"
                   "  %0:2 = call @f(%a, %b) : (" T ", " T ") -> (" T ", " T ")\n"
                   "  %1:2 = call @f(%a, %b) : (" T ", " T ") -> (" T ", " T ")\n"
                   "  %2:2 = call @f(%b, %a) : (" T ", " T ") -> (" T ", " T ")\n"
                   "  %3 = stablehlo.add %0#0, %1#0 : " T "\n"
                   "  return %3, %2#0 : " T ", " T "\n}\n"
                   "func.func private @f(%a: " T ", %b: " T ") -> (" T ", " T ") {\n"
                   "  %c = stablehlo.constant dense<1.0> : " T "\n"
                   "  %0 = stablehlo.add %a, %c : " T "\n"
                   "  %1 = stablehlo.add %b, %c : " T "\n"
                   "  return %0, %1 : " T ", " T "\n}\n");
  EXPECT(text, "call @f(%arg0, %arg1)", "call @f(%arg0, %arg1)", "call @f_0(%arg1, %arg0)",
         "private @f(", "%cst = stablehlo.constant", RESULT("{'x', ?}, {?}"),
         "%cst_0 = ", RESULT("{?}, {'y', ?}"), "stablehlo.add %arg0, %cst ",
         "stablehlo.add %arg1, %cst_0 ", "private @f_0(", "%cst = stablehlo.constant",
         RESULT("{?}, {'y', ?}"), "%cst_0 = ", RESULT("{'x', ?}, {?}"),
         "stablehlo.add %arg0, %cst ", "stablehlo.add %arg1, %cst_0 ");
  assert_null(strstr(text, "f_1"));
  expect_fixpoint(text);
  free(text);
}

// An annotated manual computation seen by a pass: the edges carry it, in_shardings stay.
static void test_explicit_manual(void **state) {
  (void)state;
  char *text = propagated_with(
      MESH "func.func public @main(%a: " T SHARD(
          "{?}, {'y', ?}") ", %b: " T ") -> " T " {\n"
                           "  %0 = sdy.manual_computation(%a, %b) in_shardings=[<@m, [{'x', ?}, "
                           "{?}]>, <@m, [{?}, "
                           "{'x', ?}]>] out_shardings=[<@m, [{'x', ?}, {?}]>] manual_axes={'x'} "
                           "(%c: "
                           "tensor<4x8xf32>, %d: tensor<8x4xf32>) {\n"
                           "    %e = sdy.data_flow_edge %c sharding=<@m, [{?}, {?}]> : "
                           "tensor<4x8xf32>\n"
                           "    %f = stablehlo.abs %d " RESULT(
                               "{'y'}, {}") " : tensor<8x4xf32>\n"
                                            "    sdy.return %e : tensor<4x8xf32>\n"
                                            "  } : (" T ", " T ") -> " T "\n"
                                            "  %1 = sdy.data_flow_edge %0 sharding=<@m, [{'x', ?}, "
                                            "{?}]> : " T "\n"
                                            "  return %1 : " T "\n}\n",
      (Run){.propagate = {.graph = {.explicit_only = true}}});
  EXPECT(text, "in_shardings=[<@m, [{'x', ?}, {?}]>, <@m, [{'y', ?}, {'x', ?}]>]",
         "out_shardings=[<@m, [{'x', ?}, {?}]>]",
         "sdy.data_flow_edge %arg2 sharding=<@m, [{?}, {'y', ?}]>",
         "sdy.data_flow_edge %0 sharding=", "[{'x', ?}, {'y', ?}]");
  free(text);
}

// ---- errors ----

#define COPIES                                                                                     \
  MESH "func.func public @main(%a: " T SHARD("{'x'}, {}") ", %b: " T SHARD(                        \
      "{}, {'y'}") ") -> (" T ", " T ") {\n"                                                       \
                   "  %c = stablehlo.constant dense<1.0> : " T "\n"                                \
                   "  %0 = stablehlo.add %a, %c : " T "\n"                                         \
                   "  %1 = stablehlo.add %b, %c : " T "\n"                                         \
                   "  %2 = call @silu(%0) : (" T ") -> " T "\n"                                    \
                   "  %3 = call @silu(%1) : (" T ") -> " T "\n"                                    \
                   "  return %2, %3 : " T ", " T "\n}\n" SILU

static void test_write_twice(void **state) {
  (void)state;
  const char *plain =
      MESH "func.func public @main(%a: " T SHARD("{'x'}, {}") ") -> " T " {\n"
                                                              "  %0 = stablehlo.abs %a : " T "\n"
                                                              "  return %0 : " T "\n}\n";
  char *once = propagated(plain), *twice = propagated_with(plain, (Run){.again = true});
  assert_string_equal(once, twice);
  free(once);
  free(twice);
  // Copies have added values, so the graph no longer fits the program.
  char *input = swap_quotes(COPIES, '\'', '"');
  Run run = {.text = input, .again = true};
  Status *status = guard_run(run_body, &run);
  assert_int_equal(status_code(status), FAILED_PRECONDITION);
  assert_non_null(strstr(status_message(status), "propagate it again"));
  status_free(status);
  free(input);
}

static void test_no_memory(void **state) {
  (void)state;
  char *input = swap_quotes(COPIES, '\'', '"');
  Run all = {.text = input};
  mem_fail_at(0);
  assert_null(guard_run(run_body, &all));
  uint64_t n = mem_fail_at(0);
  free(all.printed);
  for (uint64_t k = 1; k <= n; k++) {
    Run run = {.text = input};
    mem_fail_at(k);
    Status *status = guard_run(run_body, &run);
    mem_fail_at(0);
    assert_int_equal(status_code(status), RESOURCE_EXHAUSTED);
    status_free(status);
    free(run.printed);
  }
  free(input);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_shared_callee),
      cmocka_unit_test(test_nested_calls_in_any_order),
      cmocka_unit_test(test_no_exponential_copies),
      cmocka_unit_test(test_names_that_are_taken),
      cmocka_unit_test(test_other_attributes_stay),
      cmocka_unit_test(test_close),
      cmocka_unit_test(test_while),
      cmocka_unit_test(test_case),
      cmocka_unit_test(test_manual_computation),
      cmocka_unit_test(test_constraint),
      cmocka_unit_test(test_explicit_edges_carry_it),
      cmocka_unit_test(test_constant_with_two_shardings),
      cmocka_unit_test(test_annotated_constant),
      cmocka_unit_test(test_constant_expression),
      cmocka_unit_test(test_constant_in_callee),
      cmocka_unit_test(test_explicit_manual),
      cmocka_unit_test(test_write_twice),
      cmocka_unit_test(test_no_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
