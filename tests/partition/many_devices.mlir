// 2,048 devices that meet in an all-gather and in an all-reduce: no thread for each, and no memory for each pair of
// them. The limit counts their stacks.
// RUN: tessera partition %s --mesh a=2048 --shard 'x=P("a")' --shard 'result0=P()' --verify --memory=1 -o /dev/null 2>&1 | FileCheck %s
// CHECK: verified on 2048 devices: 2 results agree exactly
func.func @main(%x: tensor<4096xi32>) -> (tensor<4096xi32>, tensor<i32>) {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.add %x, %x : tensor<4096xi32>
  %1 = stablehlo.reduce(%0 init: %c) applies stablehlo.add across dimensions = [0] : (tensor<4096xi32>, tensor<i32>) -> tensor<i32>
  return %0, %1 : tensor<4096xi32>, tensor<i32>
}
