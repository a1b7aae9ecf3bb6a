// Members that disagree: a warning at the owner of the first, an open constraint behind each.
// RUN: sdy_opt %s -sdy-basic-propagate -verify-diagnostics | FileCheck %s
// RUN: sdy_opt %s -sdy-basic-propagate 2>&1 | FileCheck %s --check-prefix=SAID
// SAID: groups_disagree.mlir:[[#@LINE + 8]]:8: warning: The initial operand shardings on the sharding groups of groupID: 4 do not match

sdy.mesh @mesh = <["x"=2, "y"=2]>

// CHECK-LABEL: func.func @f
func.func @f(%arg0: tensor<8xf32>, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK-NEXT: %[[B:.*]] = sdy.sharding_constraint %arg1 <@mesh, [{"y", ?}]>
  // expected-warning@below {{The initial operand shardings on the sharding groups of groupID: 4 do not match: %0 and %arg1 differ. Each member is followed by a sharding constraint that is open in all dimensions; to avoid it, give the grouped values equal shardings}}
  %0 = stablehlo.tanh %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<8xf32>
  // CHECK-NEXT: %[[T:.*]] = stablehlo.tanh %arg0 {{.*}}[{"x"}]
  // CHECK-NEXT: %[[A:.*]] = sdy.sharding_constraint %[[T]] <@mesh, [{"y", ?}]>
  // CHECK-NEXT: sdy.sharding_group %[[A]] group_id=4
  // CHECK-NEXT: sdy.sharding_group %[[B]] group_id=4
  // CHECK-NEXT: return %[[A]], %[[B]]
  sdy.sharding_group %0 group_id=4 : tensor<8xf32>
  sdy.sharding_group %arg1 group_id=4 : tensor<8xf32>
  return %0, %arg1 : tensor<8xf32>, tensor<8xf32>
}
