// A slice of a carry that the loop changes is the old value.
// RUN: tessera run --engine=compiled %s | FileCheck %s
// CHECK: tensor<i32> {1}
// CHECK-NEXT: tensor<i32> {1}
func.func @main(%x: tensor<i32>) -> (tensor<i32>, tensor<i32>) {
  %0 = stablehlo.constant dense<0> : tensor<i32>
  %1 = stablehlo.constant dense<1> : tensor<i32>
  %2 = stablehlo.constant dense<2> : tensor<i32>
  %w:3 = stablehlo.while(%i = %0, %a = %1, %b = %2) : tensor<i32>, tensor<i32>, tensor<i32>
  cond {
    %t = stablehlo.compare LT, %i, %2 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %t : tensor<i1>
  } do {
    %v = stablehlo.dynamic_slice %i, sizes = [] : (tensor<i32>) -> tensor<i32>
    %n = stablehlo.add %i, %1 : tensor<i32>
    stablehlo.return %n, %a, %v : tensor<i32>, tensor<i32>, tensor<i32>
  }
  return %w#1, %w#2 : tensor<i32>, tensor<i32>
}
