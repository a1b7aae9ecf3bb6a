// Without @main every function without arguments runs.
// RUN: not tessera check %s | FileCheck %s
// CHECK: element [] of tensor<i32> is 1, expected 2
// CHECK: 0 passed, 1 failed, 0 skipped
func.func @a() {
  %0 = stablehlo.constant dense<1> : tensor<i32>
  check.expect_eq_const %0, dense<1> : tensor<i32>
  return
}
func.func @b() {
  %0 = stablehlo.constant dense<1> : tensor<i32>
  check.expect_eq_const %0, dense<2> : tensor<i32>
  return
}
