// Manual axes in the mesh's order; every sharding at the border says what it does with each.
// RUN: sdy_opt %s -sdy-manual-axes-cleanup | FileCheck %s

sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]>

// CHECK: sdy.manual_computation(%arg0, %arg1)
// CHECK-SAME: in_shardings=[<@mesh, [{"y"}, {}], replicated={"z"}>, <@mesh, [{?}, {?}], replicated={"y", "z"}>]
// CHECK-SAME: out_shardings=[<@mesh, [{"y"}, {"z"}]>]
// CHECK-SAME: manual_axes={"y", "z"}
func.func @f(%arg0: tensor<8x8xf32>, %arg1: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{"y"}, {}]>, <@mesh, [{?}, {?}], replicated={"z"}>] out_shardings=[<@mesh, [{"y"}, {"z"}]>] manual_axes={"z", "y"} (%arg2: tensor<4x8xf32>, %arg3: tensor<8x8xf32>) {
    %1 = stablehlo.slice %arg2 [0:4, 0:4] : (tensor<4x8xf32>) -> tensor<4x4xf32>
    sdy.return %1 : tensor<4x4xf32>
  } : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
