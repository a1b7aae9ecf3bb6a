// A constraint on what comes out of a barrier, a call or a body restricts its own users, not the other
// values that are sharded with it: the same whether edges are written (Shardy's passes) or implied.
// RUN: tessera propagate %s | FileCheck %s --check-prefixes=CHECK,OURS
// RUN: sdy_opt %s -sdy-propagation-pipeline | FileCheck %s --check-prefixes=CHECK,SDY

sdy.mesh @mesh = <["x"=2, "y"=2]>

// CHECK-LABEL: func.func @main
func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> tensor<8x8xf32> {
  // OURS-NEXT: %0 = stablehlo.optimization_barrier {{.*}}[{"x", ?}, {"y", ?}]
  // SDY-NEXT:  %0 = stablehlo.optimization_barrier {{.*}}[{"x"}, {"y"}]
  // CHECK-NEXT: %1 = sdy.{{.*}} %0 <@mesh, [{"x"}, {}]>
  // OURS-NEXT: %2 = call @f(%1) {{.*}}[{"y", ?}, {?}]
  // SDY-NEXT:  %2 = call @f(%1) {{.*}}[{"y"}, {}]
  // CHECK-NEXT: %3 = sdy.{{.*}} %2 <@mesh, [{}, {}]>
  // CHECK-NEXT: %4 = stablehlo.add %3, %3 : tensor<8x8xf32>
  // CHECK-NEXT: return %4
  %0 = stablehlo.optimization_barrier %arg0 : tensor<8x8xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"x"}, {}]> : tensor<8x8xf32>
  %2 = func.call @f(%0) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %3 = sdy.sharding_constraint %2 <@mesh, [{}, {}]> : tensor<8x8xf32>
  %4 = stablehlo.add %2, %3 : tensor<8x8xf32>
  return %4 : tensor<8x8xf32>
}

// CHECK-LABEL: func.func private @f
// OURS-SAME: %arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {?}]>}
// SDY-SAME:  %arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}
func.func private @f(%arg0: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // CHECK-NEXT: %0 = sdy.{{.*}} %arg0 <@mesh, [{"y"}, {}]>
  // OURS-NEXT:  %1 = stablehlo.tanh %0 {{.*}}[{"y", ?}, {?}]
  // SDY-NEXT:   %1 = stablehlo.tanh %0 {{.*}}[{"y"}, {}]
  %1 = sdy.sharding_constraint %arg0 <@mesh, [{"y"}, {}]> : tensor<8x8xf32>
  %0 = stablehlo.tanh %arg0 : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
