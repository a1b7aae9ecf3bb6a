// On small programs the k-th allocation fails, for every k until all succeed: reading, verifying,
// printing and reading again must end in RESOURCE_EXHAUSTED, and under ASan nothing may leak.
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>

#include <cmocka.h>

#include "base/mem.h"
#include "support/whole.h"

static const char *const programs[] = {
    // control flow, regions, calls, names
    "module @m {\n"
    "  func.func public @main(%x: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"a\"}]>}) "
    "-> "
    "tensor<4xf32> {\n"
    "    %0 = call @f(%x) : (tensor<4xf32>) -> tensor<4xf32>\n"
    "    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>\n"
    "    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0] : "
    "(tensor<4xf32>, tensor<f32>) -> tensor<f32>\n"
    "    %2 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f32>) -> tensor<4xf32>\n"
    "    return %2 : tensor<4xf32>\n"
    "  }\n"
    "  func.func private @f(%arg0: tensor<4xf32>) -> tensor<4xf32> {\n"
    "    %0 = stablehlo.tanh %arg0 {mhlo.note = [1 : i64, \"two\", {three = 3.0 : f64}]} : "
    "tensor<4xf32> "
    "loc(\"here\"(\"a.py\":1:2))\n"
    "    return %0 : tensor<4xf32>\n"
    "  }\n"
    "  sdy.mesh @mesh = <[\"a\"=2, \"b\"=4]>\n"
    "}\n",
    // constants, aliases, types, the generic form, two segments
    "#map = dense<[1, 2, 3]> : tensor<3xi64>\n"
    "func.func @main() -> (tensor<3xi64>, tensor<2xcomplex<f32>>) {\n"
    "  %0 = \"stablehlo.constant\"() <{value = #map}> : () -> tensor<3xi64>\n"
    "  %1 = stablehlo.constant dense<[(1.0, 2.0), (3.0, 4.0)]> : tensor<2xcomplex<f32>>\n"
    "  %2 = stablehlo.constant dense<\"0x00000000000080BF\"> : tensor<2xf32>\n"
    "  return %0, %1 : tensor<3xi64>, tensor<2xcomplex<f32>>\n"
    "}\n"
    "// -----\n"
    "func.func @q(%x: tensor<2x!quant.uniform<i8:f32:0, {0.5,0.25:3}>>) { return }\n",
    // wrong in several places: diagnostics allocate too
    "func.func @main(%x: tensor<2x3xf32>) -> tensor<3x3xf32> {\n"
    "  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x3xf32>\n"
    "  %1 = stablehlo.add %0, %nowhere : tensor<3x3xf32>\n"
    "  %2 = stablehlo.nonsense %0 : tensor<3x3xf32>\n"
    "  return %1 : tensor<3x3xf32>\n"
    "}\n",
};

static void every_allocation_may_fail(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
    Whole reference = {
        .source = {.path = "alloc", .text = programs[i], .size = strlen(programs[i])}};
    mem_fail_at(0);
    Status *status = guard_run(whole_run, &reference);
    assert_null(status);
    uint64_t allocations = mem_fail_at(0);
    assert_true(allocations > 3);
    for (uint64_t k = 1; k <= allocations; k++) {
      Whole whole = {.source = reference.source};
      mem_fail_at(k);
      status = guard_run(whole_run, &whole);
      mem_fail_at(0);
      assert_int_equal(status_code(status), RESOURCE_EXHAUSTED);
      status_free(status);
    }
    print_message("program %zu: %llu allocations\n", i, (unsigned long long)allocations);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation_may_fail)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
