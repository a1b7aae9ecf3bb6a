// A computation of constants has a copy for each use, and each copy has its own inside.
// RUN: sdy_opt %s -sdy-constant-or-scalar-splitter | FileCheck %s

// CHECK-LABEL: func.func @copied_twice
// CHECK-COUNT-3: sdy.named_computation<"f">
// CHECK-NOT: named_computation
func.func @copied_twice() -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %0 = stablehlo.constant dense<1.000000e+00> : tensor<8xf32>
  %1 = sdy.named_computation<"f">(%0) (%arg0: tensor<8xf32>) {
    %2 = stablehlo.constant dense<2.000000e+00> : tensor<8xf32>
    %3 = stablehlo.add %arg0, %2 : tensor<8xf32>
    sdy.return %3 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %1, %1, %1 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}
