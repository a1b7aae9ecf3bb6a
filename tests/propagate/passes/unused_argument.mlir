// A body's argument that nothing uses and no edge is about has a sharding as well: its priorities go like all others.
// RUN: sdy_opt %s -sdy-user-priority-propagate | FileCheck %s

sdy.mesh @mesh = <["a"=2, "b"=2]>

// CHECK: in_shardings=[<@mesh, [{"a", ?}]>, <@mesh, [{"b"}]>]
func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.named_computation<"f">(%arg0, %arg1) in_shardings=[<@mesh, [{"a", ?}p1]>, <@mesh, [{"b"}]>] (%arg2: tensor<8xf32>, %arg3: tensor<8xf32>) {
    sdy.return %arg3 : tensor<8xf32>
  } : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
