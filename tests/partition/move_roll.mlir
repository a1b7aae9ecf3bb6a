// A5: a roll (two slices, put together the other way round) and a transpose with one row per device. Each row goes to the next
// device, nothing else moves: 16 bytes sent per device.
// RUN: tessera partition %s --mesh x=8 --shard 'a=P("x")' --verify --stats 2>&1 | FileCheck %s
// RUN: tessera partition %s --mesh x=5 --shard 'a=P("x")' --verify 2>&1 | FileCheck %s --check-prefix=FIVE
// RUN: tessera partition %s --mesh x=2,y=4 --shard 'a=P("x","y")' --verify 2>&1 | FileCheck %s --check-prefix=TWO
// CHECK-DAG: 8 devices, 1 collective, 16 bytes sent per device
// CHECK-DAG: verified on 8 devices: 1 result agrees
// CHECK-DAG: source_target_pairs = dense<{{\[\[}}7, 0], [0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 6], [6, 7]]>
// FIVE: verified on 5 devices: 1 result agrees
// TWO: verified on 8 devices: 1 result agrees
func.func @main(%a: tensor<8x4xf32>) -> tensor<4x8xf32> {
  %0 = stablehlo.slice %a [7:8, 0:4] : (tensor<8x4xf32>) -> tensor<1x4xf32>
  %1 = stablehlo.slice %a [0:7, 0:4] : (tensor<8x4xf32>) -> tensor<7x4xf32>
  %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<1x4xf32>, tensor<7x4xf32>) -> tensor<8x4xf32>
  %3 = stablehlo.transpose %2, dims = [1, 0] : (tensor<8x4xf32>) -> tensor<4x8xf32>
  return %3 : tensor<4x8xf32>
}
