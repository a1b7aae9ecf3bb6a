// RUN: sdy_opt %s -split-input-file -sdy-sharding-group-import -verify-diagnostics | FileCheck %s
// RUN: sdy_opt %s -split-input-file -sdy-remove-sharding-groups | FileCheck %s --check-prefix=GONE
// GONE-NOT: sdy.sharding_group %

// Groups that share a value are one, a value is in it once, ids count from 0 by their least.
// CHECK-LABEL: func.func @merged
func.func @merged(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>, %arg2: tensor<4xf32>, %arg3: tensor<4xf32>) {
  // CHECK-NEXT: sdy.sharding_group %arg0 group_id=2
  // CHECK-NEXT: sdy.sharding_group %arg1 group_id=0
  // CHECK-NEXT: sdy.sharding_group %arg2 group_id=0
  // CHECK-NEXT: sdy.sharding_group %arg3 group_id=1
  // CHECK-NEXT: return
  sdy.sharding_group %arg0 group_id=70 : tensor<4xf32>
  sdy.sharding_group %arg1 group_id=9 : tensor<4xf32>
  sdy.sharding_group %arg2 group_id=30 : tensor<4xf32>
  sdy.sharding_group %arg3 group_id=11 : tensor<4xf32>
  sdy.sharding_group %arg1 group_id=30 : tensor<4xf32>
  sdy.sharding_group %arg3 group_id=11 : tensor<4xf32>
  return
}

// -----

func.func @shapes(%arg0: tensor<4xf32>, %arg1: tensor<8xf32>) {
  sdy.sharding_group %arg0 group_id=3 : tensor<4xf32>
  // expected-error@+1 {{ShardingGroupOps values must have the same shape for groupId: 3; one has tensor<4xf32>, another tensor<8xf32>}}
  sdy.sharding_group %arg1 group_id=3 : tensor<8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2]>

func.func @border(%arg0: tensor<4xf32>) -> tensor<4xf32> {
  sdy.sharding_group %arg0 group_id=5 : tensor<4xf32>
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{}]>] out_shardings=[<@mesh, [{}]>] manual_axes={"x"} (%arg1: tensor<4xf32>) {
    // expected-error@+1 {{ShardingGroupOps values cannot cross ManualComputationOp boundaries for groupId: 5}}
    sdy.sharding_group %arg1 group_id=5 : tensor<4xf32>
    sdy.return %arg1 : tensor<4xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
