// Reshapes of cut dimensions.
// RUN: split-file %s %t
// RUN: tessera partition %t/uneven.mlir --mesh x=4 --shard 'a=P("x")' --shard 'result0=P("x")' --verify --stats 2>&1 | FileCheck %s --check-prefix=UNEVEN
// RUN: tessera partition %t/heads.mlir --mesh x=8 --shard 'w=P(None,"x")' --verify --stats 2>&1 | FileCheck %s --check-prefix=HEADS
// RUN: tessera partition %t/accumulate.mlir --mesh x=8 --shard 'a=P("x")' --shard 'result0=P(None,"x")' --verify --stats 2>&1 | FileCheck %s --check-prefix=ACCUMULATE

// Tiles of 20 and of 17 elements: what lies in the neighbour's is fetched there.
// UNEVEN-NOT: all_gather
// UNEVEN: 4 devices, 1 collective, 27 bytes sent per device
// UNEVEN: verified on 4 devices: 1 result agrees
//--- uneven.mlir
func.func @main(%a: tensor<13x5xf32>) -> tensor<65xf32> {
  %0 = stablehlo.reshape %a : (tensor<13x5xf32>) -> tensor<65xf32>
  return %0 : tensor<65xf32>
}

// B10: a product whose columns become fewer heads than there are devices. Each device has its columns of a head.
// HEADS-DAG: 8 devices, 0 collectives, 0 bytes
// HEADS-DAG: verified on 8 devices: 1 result agrees
//--- heads.mlir
func.func @main(%a: tensor<64x16xf32>, %w: tensor<16x32xf32>) -> tensor<64x4x8xf32> {
  %0 = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<64x16xf32>, tensor<16x32xf32>) -> tensor<64x32xf32>
  %1 = stablehlo.reshape %0 : (tensor<64x32xf32>) -> tensor<64x4x8xf32>
  return %1 : tensor<64x4x8xf32>
}

// B9: a batch cut into steps of which every device is to have a part: its own rows go to others once, nothing is whole.
// ACCUMULATE-NOT: all_gather
// ACCUMULATE: verified on 8 devices: 1 result agrees
//--- accumulate.mlir
func.func @main(%a: tensor<1024x1024xf32>) -> tensor<4x256x1024xf32> {
  %0 = stablehlo.reshape %a : (tensor<1024x1024xf32>) -> tensor<4x256x1024xf32>
  return %0 : tensor<4x256x1024xf32>
}
