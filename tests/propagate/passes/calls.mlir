// Every call propagates for itself; bodies with equal shardings at their border are one function again.
// RUN: sdy_opt %s -sdy-import-func-calls -symbol-dce | FileCheck %s --check-prefix=IMPORT
// RUN: sdy_opt %s -sdy-propagation-pipeline | FileCheck %s

sdy.mesh @mesh = <["x"=2, "y"=2]>

// IMPORT:     %0 = sdy.named_computation<"outer">(%arg0)
// IMPORT-NEXT:  %[[E:.*]] = sdy.data_flow_edge %arg2
// IMPORT-NEXT:  sdy.named_computation<"inner">(%[[E]])
// IMPORT:     } {mhlo.frontend_attributes = {a = "b"}} : (tensor<8x8xf32>) -> tensor<8x8xf32>
// IMPORT-NEXT: %1 = sdy.data_flow_edge %0
// IMPORT-NEXT: %2 = sdy.named_computation<"outer">(%arg1)
// IMPORT:     %4 = sdy.named_computation<"outer">(%arg0)
// IMPORT-NOT: call
// IMPORT-NOT: func.func

// CHECK-LABEL: func.func @main
// CHECK-SAME:    -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}, tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
// CHECK-NEXT:    call @outer(%arg0) {mhlo.frontend_attributes = {a = "b"}, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>}
// CHECK-NEXT:    call @outer_1(%arg1) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"y"}]>]>}
// CHECK-NEXT:    call @outer(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>}
// CHECK-LABEL: func.func private @inner(
// CHECK-SAME:    %arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}
// CHECK-LABEL: func.func private @outer(
// CHECK-NEXT:    call @inner(%arg0)
// CHECK-LABEL: func.func private @inner_0(
// CHECK-SAME:    -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>})
// CHECK-LABEL: func.func private @outer_1(
// CHECK-NEXT:    call @inner_0(%arg0)
// CHECK-NOT: func.func
func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = call @outer(%arg0) {mhlo.frontend_attributes = {a = "b"}} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = call @outer(%arg1) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = call @outer(%arg0) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0, %1, %2 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}

func.func private @outer(%arg0: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = call @inner(%arg0) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = stablehlo.add %0, %arg0 : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}

func.func private @inner(%arg0: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = stablehlo.tanh %arg0 : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

func.func private @unused(%arg0: tensor<8x8xf32>) -> tensor<8x8xf32> {
  return %arg0 : tensor<8x8xf32>
}
