// Tensors that count along a dimension, and others: counting_entry of @main's results along
// dimension 0.
#include "ops/counting.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "ops/infer.h"
#include "parse/parse.h"

static const char text[] =
    "func.func @main(%x: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi64>, tensor<4x1xi32>,\n"
    "    tensor<4x3xi32>, tensor<4xi32>, tensor<4xi32>,\n"
    "    tensor<4xi32>, tensor<300xi8>, tensor<300xi16>, tensor<4xi32>, tensor<4xi32>,\n"
    "    tensor<1x4xi32>) {\n"
    "  %0 = stablehlo.iota dim = 0 : tensor<4xi32>\n"
    "  %1 = stablehlo.convert %0 : (tensor<4xi32>) -> tensor<4xi64>\n"
    "  %2 = stablehlo.reshape %0 : (tensor<4xi32>) -> tensor<4x1xi32>\n"
    "  %3 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<4xi32>) -> tensor<4x3xi32>\n"
    "  %4 = stablehlo.constant dense<[0, 1, 2, 3]> : tensor<4xi32>\n"
    "  %zero = stablehlo.constant dense<0> : tensor<4xi32>\n"
    "  %5 = stablehlo.compare LT, %0, %zero : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>\n"
    "  %6 = stablehlo.select %5, %x, %0 : tensor<4xi1>, tensor<4xi32>\n"
    "  %7 = stablehlo.constant dense<[0, 1, 3, 2]> : tensor<4xi32>\n"
    "  %8 = stablehlo.iota dim = 0 : tensor<300xi8>\n"
    "  %9 = stablehlo.convert %8 : (tensor<300xi8>) -> tensor<300xi16>\n"
    "  %10 = stablehlo.compare LT, %x, %zero : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>\n"
    "  %11 = stablehlo.select %10, %x, %0 : tensor<4xi1>, tensor<4xi32>\n"
    "  %12 = stablehlo.reshape %0 : (tensor<4xi32>) -> tensor<1x4xi32>\n"
    "  return %0, %1, %2, %3, %4, %6, %7, %8, %9, %x, %11, %12\n"
    "    : tensor<4xi32>, tensor<4xi64>, tensor<4x1xi32>, tensor<4x3xi32>, tensor<4xi32>,\n"
    "      tensor<4xi32>, tensor<4xi32>, tensor<300xi8>, tensor<300xi16>, tensor<4xi32>,\n"
    "      tensor<4xi32>, tensor<1x4xi32>\n"
    "}\n";

static const bool counts[] = {true,  true,  true,  true,  true,  true,
                              false, false, false, false, false, false};

// A tensor whose elements are scalar indices.
static bool counts_along(const Program *p, ValueId v, uint32_t d) {
  return counting_entry(p, v, type_info(p->context, value_type(p, v))->rank, 0, d);
}

typedef struct World {
  Context *context;
  Program *program;
} World;

static Status *run(Guard *guard, void *arg) {
  World *w = arg;
  w->context = context_new(guard);
  Source source = {.path = "<counting>", .text = text, .size = sizeof text - 1};
  Diag diag;
  diag_init(&diag, guard, &source);
  TRY(program_parse(w->context, guard, &source, 0, source.size, &(ParseOptions){0}, &diag,
                    &w->program));
  assert_true(program_verify(w->program, &diag));
  diag_deinit(&diag);
  const Program *p = w->program;
  BlockId top = region_block(p, op_region(p, p->root, 0));
  BlockId body = region_block(p, op_region(p, block_at(p, top)->first, 0));
  OpId end = block_at(p, body)->last;
  for (uint32_t i = 0; i < op_at(p, end)->n_operands; i++)
    assert_int_equal(counts_along(p, op_operand(p, end, i), 0), counts[i]);
  assert_true(counts_along(p, op_operand(p, end, 11), 1));
  assert_false(counts_along(p, op_operand(p, end, 3), 1));
  assert_false(counts_along(p, op_operand(p, end, 0), 1));
  return NULL;
}

static void test_counting(void **state) {
  (void)state;
  World w = {0};
  Status *status = guard_run(run, &w);
  if (status) fail_msg("%s", status_message(status));
  program_free(w.program);
  context_free(w.context);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_counting)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
