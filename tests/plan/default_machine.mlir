// A mesh without a machine: prices are those of the default machine, as for partition.
// RUN: tessera plan %s --mesh x=2 | FileCheck %s

// CHECK: mesh x=2 on default
// CHECK-NEXT: step
func.func @main(%x: tensor<8x4xf32>, %w: tensor<4x4xf32>) -> tensor<8x4xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}
