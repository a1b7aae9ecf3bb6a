// GSPMD's pipeline: stages lie along the dimension that is cut, and in every round each device hands its state to the next. One
// collective_permute per round, whichever way the shift is written, and around the end as well.
// RUN: split-file %s %t
// RUN: tessera partition %t/pad.mlir --mesh x=8 --shard 's=P("x")' --shard 'w=P("x")' --verify --stats 2>&1 | FileCheck %s --check-prefix=SHIFT
// RUN: tessera partition %t/put.mlir --mesh x=8 --shard 's=P("x")' --shard 'w=P("x")' --verify --stats 2>&1 | FileCheck %s --check-prefix=SHIFT
// RUN: tessera partition %t/roll.mlir --mesh x=8 --shard 's=P("x")' --shard 'w=P("x")' --verify --stats 2>&1 | FileCheck %s --check-prefix=ROLL
// RUN: tessera partition %t/roll.mlir --mesh x=3 --shard 's=P("x")' --shard 'w=P("x")' --verify 2>&1 | FileCheck %s --check-prefix=THREE

// SHIFT: 1 collective_permute {{ *}}7 pairs {{.*}}(1 in loops
// SHIFT: 8 devices, 1 collective,
// SHIFT: verified on 8 devices: 1 result agrees
//--- pad.mlir
func.func @main(%s: tensor<8x4xf32>, %w: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %rounds = stablehlo.constant dense<3> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %p = stablehlo.constant dense<0.0> : tensor<f32>
  %0:2 = stablehlo.while(%i = %zero, %state = %s) : tensor<i32>, tensor<8x4xf32>
  cond {
    %1 = stablehlo.compare LT, %i, %rounds : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.add %i, %one : tensor<i32>
    %2 = stablehlo.add %state, %w : tensor<8x4xf32>
    %3 = stablehlo.pad %2, %p, low = [1, 0], high = [0, 0], interior = [0, 0] : (tensor<8x4xf32>, tensor<f32>) -> tensor<9x4xf32>
    %4 = stablehlo.slice %3 [0:8, 0:4] : (tensor<9x4xf32>) -> tensor<8x4xf32>
    stablehlo.return %1, %4 : tensor<i32>, tensor<8x4xf32>
  }
  return %0#1 : tensor<8x4xf32>
}

//--- put.mlir
func.func @main(%s: tensor<8x4xf32>, %w: tensor<8x4xf32>, %next: tensor<3x4xf32>) -> tensor<8x4xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %rounds = stablehlo.constant dense<3> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %state = %s) : tensor<i32>, tensor<8x4xf32>
  cond {
    %1 = stablehlo.compare LT, %i, %rounds : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.add %i, %one : tensor<i32>
    %2 = stablehlo.add %state, %w : tensor<8x4xf32>
    %3 = stablehlo.dynamic_slice %next, %i, %zero, sizes = [1, 4] : (tensor<3x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
    %4 = stablehlo.slice %2 [0:7, 0:4] : (tensor<8x4xf32>) -> tensor<7x4xf32>
    %5 = stablehlo.concatenate %3, %4, dim = 0 : (tensor<1x4xf32>, tensor<7x4xf32>) -> tensor<8x4xf32>
    stablehlo.return %1, %5 : tensor<i32>, tensor<8x4xf32>
  }
  return %0#1 : tensor<8x4xf32>
}

// ROLL: 1 collective_permute {{ *}}8 pairs {{.*}}(1 in loops
// ROLL: 8 devices, 1 collective,
// ROLL: verified on 8 devices: 1 result agrees
// THREE: verified on 3 devices: 1 result agrees
//--- roll.mlir
func.func @main(%s: tensor<8x4xf32>, %w: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %rounds = stablehlo.constant dense<3> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %state = %s) : tensor<i32>, tensor<8x4xf32>
  cond {
    %1 = stablehlo.compare LT, %i, %rounds : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.add %i, %one : tensor<i32>
    %2 = stablehlo.add %state, %w : tensor<8x4xf32>
    %3 = stablehlo.slice %2 [7:8, 0:4] : (tensor<8x4xf32>) -> tensor<1x4xf32>
    %4 = stablehlo.slice %2 [0:7, 0:4] : (tensor<8x4xf32>) -> tensor<7x4xf32>
    %5 = stablehlo.concatenate %3, %4, dim = 0 : (tensor<1x4xf32>, tensor<7x4xf32>) -> tensor<8x4xf32>
    stablehlo.return %1, %5 : tensor<i32>, tensor<8x4xf32>
  }
  return %0#1 : tensor<8x4xf32>
}
