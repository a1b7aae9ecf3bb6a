// Ops whose results nothing uses go before propagation, so what they say does not travel; those that act, and the user's words
// about a value (constraints, edges), stay.
// RUN: sdy_opt %s -sdy-basic-propagate | FileCheck %s

sdy.mesh @mesh = <["a"=2, "b"=2]>

// CHECK-LABEL: func.func @main(%arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}]>}, %arg1: tensor<8xf32>, %arg2: tensor<i32>)
func.func @main(%arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}]>}, %arg1: tensor<8xf32>, %arg2: tensor<i32>) -> tensor<4xf32> {
  // CHECK-NOT: negate
  // CHECK-NOT: stablehlo.case
  // CHECK-NOT: @quiet
  %0 = stablehlo.negate %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>} : tensor<8xf32>
  %1 = "stablehlo.case"(%arg2) ({
    %2 = stablehlo.add %arg1, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>} : tensor<8xf32>
    stablehlo.return %2 : tensor<8xf32>
  }) : (tensor<i32>) -> tensor<8xf32>
  %3 = stablehlo.custom_call @quiet(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: stablehlo.custom_call @loud
  // CHECK: sdy.sharding_constraint %arg0 <@mesh, [{"b"}]>
  // CHECK: %[[B:.*]] = stablehlo.optimization_barrier %arg0
  // CHECK: sdy.data_flow_edge %[[B]] sharding=<@mesh, [{"a", ?}]>
  // CHECK-NEXT: return %arg0
  %4 = stablehlo.custom_call @loud(%arg0) {has_side_effect = true} : (tensor<4xf32>) -> tensor<4xf32>
  %5 = sdy.sharding_constraint %arg0 <@mesh, [{"b"}]> : tensor<4xf32>
  %6 = stablehlo.optimization_barrier %arg0 : tensor<4xf32>
  %7 = sdy.data_flow_edge %6 : tensor<4xf32>
  return %arg0 : tensor<4xf32>
}
