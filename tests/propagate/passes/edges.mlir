// Data-flow edges stand behind the results of ops through which values flow, and at the start of bodies
// whose arguments have shardings of their own; sinking takes them away again and leaves what they said.
// RUN: sdy_opt %s -sdy-add-data-flow-edges | FileCheck %s
// RUN: sdy_opt %s > %t.before
// RUN: sdy_opt %s -sdy-add-data-flow-edges -sdy-sink-data-flow-edges | diff %t.before -

sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]>

// CHECK-LABEL: func.func @loop
func.func @loop(%arg0: tensor<8xf32>, %arg1: tensor<i32>) -> tensor<8xf32> {
  // CHECK:      } do {
  // CHECK-NEXT:   stablehlo.return %iterArg, %iterArg_0
  // CHECK-NEXT: }
  // CHECK-NEXT: %[[A:.*]] = sdy.data_flow_edge %0#0 sharding=<@mesh, [{"x", ?}]> : tensor<8xf32>
  // CHECK-NEXT: sdy.data_flow_edge %0#1 sharding=<@mesh, []> : tensor<i32>
  // CHECK-NEXT: return %[[A]]
  %0:2 = stablehlo.while(%a = %arg0, %b = %arg1) : tensor<8xf32>, tensor<i32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}]>, <@mesh, []>]>}
  cond {
    %2 = stablehlo.compare LT, %b, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %2 : tensor<i1>
  } do {
    stablehlo.return %a, %b : tensor<8xf32>, tensor<i32>
  }
  return %0#0 : tensor<8xf32>
}

// Tokens have no sharding, so no edge.
// CHECK-LABEL: func.func @branch
func.func @branch(%arg0: tensor<i32>, %arg1: tensor<8xf32>, %arg2: !stablehlo.token) -> (tensor<8xf32>, !stablehlo.token) {
  // CHECK:      %[[A:.*]] = sdy.data_flow_edge %0#0 : tensor<8xf32>
  // CHECK-NEXT: %[[B:.*]] = stablehlo.optimization_barrier %[[A]]
  // CHECK-NEXT: %[[C:.*]] = sdy.data_flow_edge %[[B]] : tensor<8xf32>
  // CHECK-NEXT: return %[[C]], %0#1
  %0:2 = "stablehlo.case"(%arg0) ({
    stablehlo.return %arg1, %arg2 : tensor<8xf32>, !stablehlo.token
  }) : (tensor<i32>) -> (tensor<8xf32>, !stablehlo.token)
  %1 = stablehlo.optimization_barrier %0#0 : tensor<8xf32>
  return %1, %0#1 : tensor<8xf32>, !stablehlo.token
}

// Inside a manual computation there are no manual axes.
// CHECK-LABEL: func.func @bodies
func.func @bodies(%arg0: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // CHECK-NEXT: sdy.manual_computation
  // CHECK-NEXT:   %[[A:.*]] = sdy.data_flow_edge %arg1 sharding=<@mesh, [{"y", ?}, {?}]> : tensor<4x8xf32>
  // CHECK-NEXT:   sdy.return %[[A]]
  // CHECK-NEXT: }
  // CHECK-NEXT: %[[B:.*]] = sdy.data_flow_edge %0 sharding=<@mesh, [{"x", ?}, {}], replicated={"z"}>
  // CHECK-NEXT: sdy.named_computation<"f">(%[[B]])
  // CHECK-NEXT:   %[[C:.*]] = sdy.data_flow_edge %arg1 : tensor<8x8xf32>
  // CHECK-NEXT:   sdy.return %[[C]]
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x", "y", ?}, {?}], replicated={"z"}>] out_shardings=[<@mesh, [{"x", ?}, {}], replicated={"z"}>] manual_axes={"x", "z"} (%arg1: tensor<4x8xf32>) {
    sdy.return %arg1 : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = sdy.named_computation<"f">(%0) (%arg1: tensor<8x8xf32>) {
    sdy.return %arg1 : tensor<8x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}
