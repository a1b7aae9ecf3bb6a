// A barrier of a constant is a constant expression: each of its uses has its own.
// RUN: sdy_opt %s -sdy-constant-or-scalar-splitter | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK-DAG: %[[A:.*]] = sdy.propagation_barrier
// CHECK-DAG: %[[B:.*]] = sdy.propagation_barrier
// CHECK-NOT: sdy.propagation_barrier
// CHECK: return %{{.*}}, %{{.*}} : tensor<4xf32>, tensor<4xf32>
func.func @main(%arg0: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = stablehlo.constant dense<1.0> : tensor<4xf32>
  %1 = sdy.propagation_barrier %0 allowed_direction=NONE : tensor<4xf32>
  %2 = stablehlo.add %arg0, %1 : tensor<4xf32>
  %3 = stablehlo.multiply %arg0, %1 : tensor<4xf32>
  return %2, %3 : tensor<4xf32>, tensor<4xf32>
}
