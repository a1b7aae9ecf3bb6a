// Each use of a constant expression has its own copy; scalars, which are not sharded, stay shared.
// RUN: sdy_opt %s -sdy-constant-or-scalar-splitter | FileCheck %s
// RUN: sdy_opt %s -sdy-constant-or-scalar-splitter -sdy-remove-sharding-groups -sdy-constant-or-scalar-merger | FileCheck %s --check-prefix=MERGED

// CHECK-LABEL: func.func @f
// CHECK-NEXT: %[[C0:.*]] = sdy.constant dense<1.000000e+00> : tensor<8xf32>
// CHECK-NEXT: %[[C1:.*]] = sdy.constant dense<1.000000e+00> : tensor<8xf32>
// CHECK-NEXT: %[[S:.*]] = sdy.constant dense<2.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[B0:.*]] = stablehlo.broadcast_in_dim %[[C0]], dims = [1]
// CHECK-NEXT: %[[B1:.*]] = stablehlo.broadcast_in_dim %[[C1]], dims = [1]
// CHECK-NEXT: %[[D0:.*]] = stablehlo.broadcast_in_dim %[[S]], dims = []
// CHECK-NEXT: %[[D1:.*]] = stablehlo.broadcast_in_dim %[[S]], dims = []
// CHECK-NEXT: %[[A0:.*]] = stablehlo.add %[[B0]], %[[D0]]
// CHECK-NEXT: sdy.sharding_group %[[A0]] group_id=0
// CHECK-NEXT: %[[A1:.*]] = stablehlo.add %[[B1]], %[[D1]]
// CHECK-NEXT: sdy.sharding_group %[[A1]] group_id=0
// CHECK-NEXT: %[[E0:.*]] = stablehlo.broadcast_in_dim %arg1, dims = []
// CHECK-NEXT: %[[E1:.*]] = stablehlo.broadcast_in_dim %arg1, dims = []
// CHECK-NEXT: %[[X:.*]] = stablehlo.add %arg0, %[[A0]]
// CHECK-NEXT: %[[Y:.*]] = stablehlo.multiply %[[A1]], %[[E0]]
// CHECK-NEXT: %[[Z:.*]] = stablehlo.add %[[Y]], %[[E1]]
// CHECK-NEXT: return %[[X]], %[[Z]], %[[S]]

// MERGED-COUNT-2: sdy.constant
// MERGED-NOT: sdy.constant
// MERGED: %[[D:.*]] = stablehlo.broadcast_in_dim %1, dims = []
// MERGED: %[[E:.*]] = stablehlo.broadcast_in_dim %arg1, dims = []
// MERGED-NOT: broadcast_in_dim
func.func @f(%arg0: tensor<4x8xf32>, %arg1: tensor<f32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>) {
  %0 = stablehlo.constant dense<1.0> : tensor<8xf32>
  %s = stablehlo.constant dense<2.0> : tensor<f32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [1] : (tensor<8xf32>) -> tensor<4x8xf32>
  %2 = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
  %3 = stablehlo.add %1, %2 : tensor<4x8xf32>
  %4 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
  sdy.sharding_group %3 group_id=0 : tensor<4x8xf32>
  %5 = stablehlo.add %arg0, %3 : tensor<4x8xf32>
  %6 = stablehlo.multiply %3, %4 : tensor<4x8xf32>
  %7 = stablehlo.add %6, %4 : tensor<4x8xf32>
  return %5, %7, %s : tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>
}
