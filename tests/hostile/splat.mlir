// A few letters claim any number of elements: nothing of that size is made.
// RUN: not tessera parse %s 2>&1 | FileCheck %s

// CHECK: splat.mlir:[[#@LINE+2]]:8: error: 'stablehlo.all_reduce' op its replica_groups are not integers, or there are too many
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<0> : tensor<1000000000000x1000000xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// CHECK: splat.mlir:[[#@LINE+2]]:8: error: 'stablehlo.collective_permute' op source_target_pairs are not integers, or there are too many
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<0> : tensor<2000000000x2xi64>}> : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
