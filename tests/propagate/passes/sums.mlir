// Sums are finished where they are used as whole values; who goes on with the parts gets the parts.
// RUN: sdy_opt %s -sdy-propagation-pipeline | FileCheck %s

sdy.mesh @mesh = <["x"=2, "y"=2]>

// CHECK-LABEL: func.func @main
// CHECK-NEXT: %[[A:.*]] = sdy.all_reduce {"x"} %arg0 out_sharding=<@mesh, [{}, {}], unreduced={"y"}>
// CHECK-NEXT: %[[T:.*]] = stablehlo.negate %[[A]] {{.*}}unreduced={"y"}
// CHECK-NEXT: %[[B:.*]] = sdy.all_reduce {"y"} %[[T]] out_sharding=<@mesh, [{}, {}]>
// CHECK-NEXT: return %[[B]]
func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"x", "y"}>}) -> tensor<8x8xf32> {
  %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"y"}>]>} : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// CHECK-LABEL: func.func @reduced
// CHECK: %[[C:.*]] = sdy.all_reduce {"x"} %arg0 out_sharding=<@mesh, [{}, {}]>
// CHECK-NEXT: stablehlo.reduce(%[[C]]
func.func @reduced(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"x"}>}) -> tensor<8xf32> {
  %0 = stablehlo.constant dense<0.0> : tensor<f32>
  %1 = stablehlo.reduce(%arg0 init: %0) applies stablehlo.add across dimensions = [1] : (tensor<8x8xf32>, tensor<f32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
