// A device's id is known before the program runs, and so are the offsets of its shards: no kernel computes them, and slices that share an
// offset are not one kernel. Here are four kernels: two slices, two contractions. A launch takes 3 us.
// RUN: tessera simulate %s --local --mesh x=4 --machine v100_25g:4 | FileCheck %s
// CHECK: compute      12.0{{[0-9]}} us
func.func @main(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> (tensor<16x64xf32>, tensor<16x64xf32>) {
  %id = stablehlo.partition_id : tensor<ui32>
  %wide = stablehlo.convert %id : (tensor<ui32>) -> tensor<i64>
  %n = stablehlo.constant dense<16> : tensor<i64>
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %at = stablehlo.multiply %wide, %n : tensor<i64>
  %0 = stablehlo.dynamic_slice %a, %at, %zero, sizes = [16, 64] : (tensor<64x64xf32>, tensor<i64>, tensor<i64>) -> tensor<16x64xf32>
  %1 = stablehlo.dynamic_slice %b, %at, %zero, sizes = [16, 64] : (tensor<64x64xf32>, tensor<i64>, tensor<i64>) -> tensor<16x64xf32>
  %2 = stablehlo.dot_general %0, %w, contracting_dims = [1] x [0] : (tensor<16x64xf32>, tensor<64x64xf32>) -> tensor<16x64xf32>
  %3 = stablehlo.dot_general %1, %w, contracting_dims = [1] x [0] : (tensor<16x64xf32>, tensor<64x64xf32>) -> tensor<16x64xf32>
  return %2, %3 : tensor<16x64xf32>, tensor<16x64xf32>
}
