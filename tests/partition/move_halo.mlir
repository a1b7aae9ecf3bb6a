// What lies in the tiles of neighbours is fetched from there, and only that.
// RUN: split-file %s %t
// RUN: tessera partition %t/slice.mlir --mesh x=4 --shard 'a=P("x")' --verify --stats 2>&1 | FileCheck %s --check-prefix=SLICE
// RUN: tessera partition %t/stride.mlir --mesh x=4 --shard 'a=P("x")' --verify --stats 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: tessera partition %t/one.mlir --mesh x=4 --shard 'a=P("x")' --verify --stats 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: tessera partition %t/pad.mlir --mesh x=4 --shard 'a=P("x")' --shard 'result0=P("x")' --verify --stats 2>&1 | FileCheck %s --check-prefix=PAD
// RUN: tessera partition %t/interior.mlir --mesh x=4 --shard 'a=P("x")' --verify --stats 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: tessera partition %t/reverse.mlir --mesh x=4 --shard 'a=P("x")' --verify --stats 2>&1 | FileCheck %s --check-prefix=REVERSE
// RUN: tessera partition %t/reverse.mlir --mesh x=3 --shard 'a=P("x")' --verify 2>&1 | FileCheck %s --check-prefix=THREE

// Two elements of the right neighbour.
// SLICE-DAG: 1 collective_permute {{ *}}3 pairs {{ *}}6 bytes
// SLICE-DAG: 4 devices, 1 collective,
// SLICE-DAG: verified on 4 devices: 1 result agrees
// SLICE-DAG: dense<{{\[\[}}1, 0], [2, 1], [3, 2]]>
//--- slice.mlir
func.func @main(%a: tensor<16xf32>) -> tensor<14xf32> {
  %0 = stablehlo.slice %a [2:16] : (tensor<16xf32>) -> tensor<14xf32>
  return %0 : tensor<14xf32>
}

// Every second element, which each device has of its own.
// NONE-DAG: 4 devices, 0 collectives, 0 bytes
// NONE-DAG: verified on 4 devices: 1 result agrees
//--- stride.mlir
func.func @main(%a: tensor<16xf32>) -> tensor<8xf32> {
  %0 = stablehlo.slice %a [1:16:2] : (tensor<16xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// One row, of one device: no other row moves.
// ONE-DAG: 1 all_reduce {{ *}}1 group of 4 {{ *}}24 bytes
// ONE-DAG: 4 devices, 1 collective,
// ONE-DAG: verified on 4 devices: 1 result agrees
//--- one.mlir
func.func @main(%a: tensor<16x4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.slice %a [5:6, 0:4] : (tensor<16x4xf32>) -> tensor<1x4xf32>
  %1 = stablehlo.reshape %0 : (tensor<1x4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// Padded in front, cut behind: one element of the left neighbour, and the padding where there is none.
// PAD-DAG: 1 collective_permute {{ *}}3 pairs {{ *}}3 bytes
// PAD-DAG: 4 devices, 1 collective,
// PAD-DAG: verified on 4 devices: 1 result agrees
//--- pad.mlir
func.func @main(%a: tensor<16xf32>, %p: tensor<f32>) -> tensor<16xf32> {
  %0 = stablehlo.pad %a, %p, low = [1], high = [-1], interior = [0] : (tensor<16xf32>, tensor<f32>) -> tensor<16xf32>
  return %0 : tensor<16xf32>
}

// Room between elements: each stays where it is.
//--- interior.mlir
func.func @main(%a: tensor<16xf32>, %p: tensor<f32>) -> tensor<31xf32> {
  %0 = stablehlo.pad %a, %p, low = [0], high = [0], interior = [1] : (tensor<16xf32>, tensor<f32>) -> tensor<31xf32>
  return %0 : tensor<31xf32>
}

// Devices in reverse, then their elements.
// REVERSE-DAG: 1 collective_permute {{ *}}4 pairs {{ *}}16 bytes
// REVERSE-DAG: 4 devices, 1 collective,
// REVERSE-DAG: verified on 4 devices: 1 result agrees
// REVERSE-DAG: dense<{{\[\[}}3, 0], [2, 1], [1, 2], [0, 3]]>
// THREE: verified on 3 devices: 1 result agrees
//--- reverse.mlir
func.func @main(%a: tensor<16xf32>) -> tensor<16xf32> {
  %0 = stablehlo.reverse %a, dims = [0] : tensor<16xf32>
  return %0 : tensor<16xf32>
}
