// What a call takes is resharded where it is made, to what its function takes in the end: axes that do not divide have left the
// function's arguments by then.
// RUN: sdy_opt %s -split-input-file -sdy-propagation-pipeline | FileCheck %s

sdy.mesh @mesh = <["a"=3, "b"=2]>

// CHECK-LABEL: func.func @main
// CHECK-NEXT: %[[V:.*]] = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", "b"}]>]>}
// CHECK-NEXT: %[[R:.*]] = sdy.reshard %[[V]] <@mesh, [{"a"}]> : tensor<3xf32>
// CHECK-NEXT: %[[W:.*]] = stablehlo.sine %[[V]]
// CHECK-NEXT: call @f(%[[R]])
func.func @main(%arg0: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", "b"}]>]>} : tensor<3xf32>
  %1 = stablehlo.sine %0 : tensor<3xf32>
  %2 = call @f(%0) : (tensor<3xf32>) -> tensor<3xf32>
  return %1, %2 : tensor<3xf32>, tensor<3xf32>
}

// CHECK-LABEL: func.func private @f(%arg0: tensor<3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>})
func.func private @f(%arg0: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.tanh %arg0 : tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

sdy.mesh @mesh = <["a"=3, "b"=2]>

// Axes that are only kept out make no reshard.
// CHECK-LABEL: func.func @main
// CHECK-NEXT: %[[C:.*]]:2 = call @g(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>, <@mesh, [{"b"}]>]>}
// CHECK-NEXT: return %[[C]]#0
func.func @main(%arg0: tensor<4xf32>) -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}) {
  %0:2 = call @g(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b", ?}], replicated={"a"}>, <@mesh, [{"b", ?}]>]>} : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %0#0 : tensor<4xf32>
}

func.func private @g(%arg0: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  return %arg0, %arg0 : tensor<4xf32>, tensor<4xf32>
}
