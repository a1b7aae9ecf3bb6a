// Arguments of functions that are called, and results of calls; two names for one pass.
// RUN: sdy_opt %s -sdy-add-func-data-flow-edges | FileCheck %s
// RUN: sdy_opt %s -sdy-add-data-flow-edges='enable-native-non-flat-support=true' | FileCheck %s
// RUN: sdy_opt %s > %t.before
// RUN: sdy_opt %s -sdy-add-func-data-flow-edges -sdy-sink-func-data-flow-edges | diff %t.before -

sdy.mesh @mesh = <["x"=2]>

// CHECK-LABEL: func.func private @f
// CHECK-NEXT: %[[A:.*]] = sdy.func_data_flow_edge %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<8xf32>
// CHECK-NEXT: return %[[A]]
func.func private @f(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg1: !stablehlo.token) -> tensor<8xf32> {
  return %arg0 : tensor<8xf32>
}

// CHECK-LABEL: func.func @main
// CHECK-NEXT: call @f(%arg0, %arg1)
// CHECK-NEXT: %[[A:.*]] = sdy.func_data_flow_edge %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}]>]>} : tensor<8xf32>
// CHECK-NEXT: return %[[A]]
func.func @main(%arg0: tensor<8xf32>, %arg1: !stablehlo.token) -> tensor<8xf32> {
  %0 = call @f(%arg0, %arg1) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}]>]>} : (tensor<8xf32>, !stablehlo.token) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
