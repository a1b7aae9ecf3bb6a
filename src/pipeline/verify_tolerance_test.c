// Tolerances of results, by the types of the values that they depend on. In the texts B stands for
// bf16.
#include "pipeline/verify_tolerance.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "evaluate/evaluate.h"
#include "ops/infer.h"
#include "parse/parse.h"

enum { MOST = 4 };

typedef struct Case {
  char text[4096];
  Source source;
  Context *context;
  Program *program;
  Diag diag;
  Arena arena;
  double tolerance[MOST];
} Case;

static void close_case(void *object) {
  Case *c = object;
  program_free(c->program);
  if (c->diag.source) diag_deinit(&c->diag);
  arena_deinit(&c->arena);
  context_free(c->context);
}

static Status *ask(Guard *guard, Case *c) {
  diag_init(&c->diag, guard, &c->source);
  TRY(program_parse(c->context, guard, &c->source, 0, c->source.size, &(ParseOptions){0}, &c->diag,
                    &c->program));
  if (!program_verify(c->program, &c->diag)) return diag_status(&c->diag);
  OpId function;
  TRY(evaluate_entry(c->program, NULL, &function));
  const double *found = verify_tolerances(c->program, function, &c->arena);
  uint32_t n = evaluate_n_results(c->program, function);
  for (uint32_t i = 0; i < n && i < MOST; i++) c->tolerance[i] = found[i];
  return NULL;
}

static Status *open_case(Guard *guard, void *arg) {
  Case *c = arg;
  c->context = context_new(guard);
  arena_init(&c->arena, guard);
  GuardCleanup cleanup = {close_case, c, NULL};
  guard_push(guard, &cleanup);
  Status *status = ask(guard, c);
  guard_pop(guard, &cleanup);
  close_case(c);
  return status;
}

static const double F64 = 1e-10, F32 = 1e-4, BF16 = 5e-2;

static void expect(const char *text, size_t n, const double *wanted) {
  Case c = {0};
  size_t used = 0;
  for (; *text; text++)
    if (*text == 'B')
      memcpy(c.text + used, "bf16", 4), used += 4;
    else
      c.text[used++] = *text;
  c.source = (Source){.path = "test", .text = c.text, .size = used};
  Status *status = guard_run(open_case, &c);
  if (status) fail_msg("%s", status_message(status));
  for (size_t i = 0; i < n; i++)
    if (c.tolerance[i] != wanted[i])
      fail_msg("result %zu: %g, expected %g", i, c.tolerance[i], wanted[i]);
}
#define EXPECT(text, ...)                                                                          \
  expect(text, sizeof((double[]){__VA_ARGS__}) / sizeof(double), (double[]){__VA_ARGS__})

#define DOT(to, x, w, type)                                                                        \
  "  " to " = stablehlo.dot_general " x ", " w                                                     \
  ", contracting_dims = [1] x [0] : (tensor<4x4x" type ">, tensor<4x4x" type                       \
  ">) -> tensor<4x4x" type ">\n"
#define CONVERT(to, x, from, into)                                                                 \
  "  " to " = stablehlo.convert " x " : (tensor<4x4x" from ">) -> tensor<4x4x" into ">\n"

static void test_by_type(void **state) {
  (void)state;
  EXPECT("func.func @main(%x: tensor<4x4xf32>, %y: tensor<4x4xf64>, %i: tensor<4xi32>) -> "
         "(tensor<4x4xf32>, tensor<4x4xf64>, tensor<4xi32>) {\n" DOT("%0", "%x", "%x", "f32") DOT(
             "%1", "%y", "%y",
             "f64") "  return %0, %1, %i : tensor<4x4xf32>, tensor<4x4xf64>, tensor<4xi32>\n}\n",
         F32, F64, 0);
}

static void test_through_bf16(void **state) {
  (void)state;
  EXPECT("func.func @main(%x: tensor<4x4xB>) -> (tensor<4x4xf32>, tensor<4x4xB>) {\n"  //
         DOT("%0", "%x", "%x", "B") CONVERT("%1", "%0", "B", "f32")                    //
         "  return %1, %0 : tensor<4x4xf32>, tensor<4x4xB>\n}\n",
         BF16, BF16);
  EXPECT("func.func @main(%x: tensor<4x4xf32>) -> tensor<4x4xf64> {\n"   //
         DOT("%0", "%x", "%x", "f32") CONVERT("%1", "%0", "f32", "f64")  //
         "  return %1 : tensor<4x4xf64>\n}\n",
         F32);
}

// Narrow arguments, and values computed elementwise from them, have the same bits on all devices.
static void test_narrow_but_same(void **state) {
  (void)state;
  EXPECT("func.func @main(%x: tensor<4x4xB>, %w: tensor<4x4xf32>) -> tensor<4x4xf32> {\n"
         "  %0 = stablehlo.add %x, %x : tensor<4x4xB>\n"
         "  %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<4x4xB>) -> tensor<4x4xB>\n"  //
         CONVERT("%2", "%1", "B", "f32") CONVERT("%3", "%w", "f32", "B")                      //
         CONVERT("%4", "%3", "B", "f32") DOT("%5", "%2", "%4", "f32")                         //
         "  return %5 : tensor<4x4xf32>\n}\n",
         F32);
}

// Only the result that depends on the narrow value gets its tolerance.
static void test_per_result(void **state) {
  (void)state;
  EXPECT("func.func @main(%x: tensor<4x4xB>, %y: tensor<4x4xf32>) -> (tensor<4x4xf32>, "
         "tensor<4x4xf32>) {\n"                                      //
         DOT("%0", "%x", "%x", "B") CONVERT("%1", "%0", "B", "f32")  //
         DOT("%2", "%y", "%y", "f32")                                //
         "  return %1, %2 : tensor<4x4xf32>, tensor<4x4xf32>\n}\n",
         BF16, F32);
}

static void test_loop(void **state) {
  (void)state;
  EXPECT("func.func @main(%n: tensor<i32>, %x: tensor<4x4xf32>, %y: tensor<4x4xf32>, %w: "
         "tensor<4x4xB>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {\n"
         "  %z = stablehlo.constant dense<0> : tensor<i32>\n"
         "  %r:4 = stablehlo.while(%i = %z, %a = %x, %b = %y, %c = %w) : tensor<i32>, "
         "tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xB>\n"
         "  cond {\n"
         "    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
         "    stablehlo.return %p : tensor<i1>\n"
         "  } do {\n" CONVERT("%0", "%a", "f32", "B") DOT("%1", "%0", "%c", "B")
             CONVERT("%2", "%1", "B", "f32")
                 DOT("%3", "%b", "%b",
                     "f32") "    %k = stablehlo.constant dense<1> : tensor<i32>\n"
                            "    %j = stablehlo.add %i, %k : tensor<i32>\n"
                            "    stablehlo.return %j, %2, %3, %c : tensor<i32>, tensor<4x4xf32>, "
                            "tensor<4x4xf32>, "
                            "tensor<4x4xB>\n"
                            "  }\n"
                            "  return %r#1, %r#2 : tensor<4x4xf32>, tensor<4x4xf32>\n}\n",
         BF16, F32);
}

static void test_call_and_reduce(void **state) {
  (void)state;
  EXPECT("func.func @main(%x: tensor<4x4xf32>, %y: tensor<4x4xB>) -> (tensor<4x4xf32>, "
         "tensor<f32>) {\n"
         "  %0 = call @f(%x) : (tensor<4x4xf32>) -> tensor<4x4xf32>\n"
         "  %z = stablehlo.constant dense<0.0> : tensor<B>\n"
         "  %1 = stablehlo.reduce(%y init: %z) applies stablehlo.add across dimensions = [0, 1] : "
         "(tensor<4x4xB>, tensor<B>) -> tensor<B>\n"
         "  %2 = stablehlo.convert %1 : (tensor<B>) -> tensor<f32>\n"
         "  return %0, %2 : tensor<4x4xf32>, tensor<f32>\n}\n"
         "func.func private @f(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {\n"  //
         CONVERT("%0", "%x", "f32", "B") DOT("%1", "%0", "%0", "B")          //
         CONVERT("%2", "%1", "B", "f32")                                     //
         "  return %2 : tensor<4x4xf32>\n}\n",
         BF16, BF16);
}

static void test_branch(void **state) {
  (void)state;
  EXPECT("func.func @main(%p: tensor<i1>, %x: tensor<4x4xf32>, %y: tensor<4x4xB>) -> "
         "(tensor<4x4xf32>, tensor<4x4xf32>) {\n"
         "  %r:2 = \"stablehlo.if\"(%p) ({\n" DOT("%0", "%y", "%y", "B")
             CONVERT("%1", "%0", "B",
                     "f32") "    stablehlo.return %1, %x : tensor<4x4xf32>, tensor<4x4xf32>\n"
                            "  }, {\n"
                            "    stablehlo.return %x, %x : tensor<4x4xf32>, tensor<4x4xf32>\n"
                            "  }) : (tensor<i1>) -> (tensor<4x4xf32>, tensor<4x4xf32>)\n"
                            "  return %r#0, %r#1 : tensor<4x4xf32>, tensor<4x4xf32>\n}\n",
         BF16, F32);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_by_type),
      cmocka_unit_test(test_through_bf16),
      cmocka_unit_test(test_narrow_but_same),
      cmocka_unit_test(test_per_result),
      cmocka_unit_test(test_loop),
      cmocka_unit_test(test_call_and_reduce),
      cmocka_unit_test(test_branch),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
