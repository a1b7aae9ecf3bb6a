// Arguments and results keep only axes that divide them; values inside keep all.
// RUN: sdy_opt %s -sdy-update-non-divisible-input-output-shardings | FileCheck %s

sdy.mesh @mesh = <["x"=2, "y"=4]>

// CHECK: func.func @f(%arg0: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y":(1)2}, {}]>}
// CHECK-SAME: %arg1: tensor<3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}
// CHECK-SAME: -> (tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y":(1)2}]>})
// CHECK-NEXT: stablehlo.tanh %arg0 {{.*}}[{"x", "y"}, {}]
func.func @f(%arg0: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>}, %arg1: tensor<3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", ?}]>}) -> (tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}) {
  %0 = stablehlo.tanh %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", "y"}, {}]>]>} : tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// CHECK: func.func @on_one_device(%arg0: tensor<3xf32> {sdy.sharding = #sdy.sharding<@one, []>})
sdy.mesh @one = <[], device_ids=[5]>
func.func @on_one_device(%arg0: tensor<3xf32> {sdy.sharding = #sdy.sharding<@one, []>}) -> tensor<3xf32> {
  return %arg0 : tensor<3xf32>
}
