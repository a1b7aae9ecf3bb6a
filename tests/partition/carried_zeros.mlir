// A sum stays in parts through ops that add zeros to it or put zeros beside it: zeros of every part are zeros of the whole.
// RUN: split-file %s %t
// RUN: tessera partition %t/bias.mlir --verify --poison --stats 2>&1 >/dev/null | FileCheck %s --check-prefix=BIAS
// RUN: tessera partition %t/beside.mlir --verify --poison --stats 2>&1 >/dev/null | FileCheck %s --check-prefix=BESIDE
// RUN: tessera partition %t/ones.mlir --verify --poison --stats 2>&1 >/dev/null | FileCheck %s --check-prefix=ONES
// RUN: tessera partition %t/taken.mlir --verify --poison --stats 2>&1 >/dev/null | FileCheck %s --check-prefix=TAKEN

// The gradient of a bias by relative position: summed over the batch, added up in the table's rows. Of 32 x 4 numbers,
// not of 4 x 30 x 30.
// BIAS: 1 reduce_scatter 1 group of 4 384 bytes over d
// BIAS-NEXT: 4 devices, 1 collective
// BIAS: verified on 4 devices

// Masked, shifted among zeros: what is summed is the small reduction of it all.
// BESIDE: 1 all_reduce 1 group of 4 54 bytes over d
// BESIDE-NEXT: 4 devices, 1 collective
// BESIDE: verified on 4 devices

// Padded with ones, the sum must be made first: they would come once for each device.
// ONES: 1 all_reduce 1 group of 4 420 bytes over d
// ONES-NEXT: 4 devices, 1 collective
// ONES: verified on 4 devices

// Another op needs the sum whole: then the reduction takes it from there.
// TAKEN: 1 all_reduce 1 group of 4 12288 bytes over d
// TAKEN-NEXT: 4 devices, 1 collective
// TAKEN: verified on 4 devices

//--- bias.mlir
sdy.mesh @mesh = <["d"=4]>
func.func @main(%scores: tensor<8x4x30x30xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"d"}, {}, {}, {}]>},
                %places: tensor<900x1xi32>)
    -> (tensor<32x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"d"}, {}]>}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %zeros = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> tensor<32x4xf32>
  %0 = stablehlo.reduce(%scores init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8x4x30x30xf32>, tensor<f32>) -> tensor<4x30x30xf32>
  %1 = stablehlo.transpose %0, dims = [1, 2, 0] : (tensor<4x30x30xf32>) -> tensor<30x30x4xf32>
  %2 = stablehlo.reshape %1 : (tensor<30x30x4xf32>) -> tensor<900x4xf32>
  %3 = "stablehlo.scatter"(%zeros, %places, %2) <{indices_are_sorted = false,
    scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0],
    scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<32x4xf32>, tensor<900x1xi32>, tensor<900x4xf32>) -> tensor<32x4xf32>
  return %3 : tensor<32x4xf32>
}

//--- beside.mlir
sdy.mesh @mesh = <["d"=4]>
func.func @main(%x: tensor<13x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"d"}, {}]>},
                %y: tensor<13x9xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"d"}, {}]>}, %mask: tensor<8x9xi1>) -> tensor<9xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %none = stablehlo.constant dense<-0.0> : tensor<8x9xf32>
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [0] x [0] : (tensor<13x8xf32>, tensor<13x9xf32>) -> tensor<8x9xf32>
  %1 = stablehlo.select %mask, %0, %none : tensor<8x9xi1>, tensor<8x9xf32>
  %2 = stablehlo.pad %1, %zero, low = [0, 1], high = [-2, -1], interior = [0, 0] : (tensor<8x9xf32>, tensor<f32>) -> tensor<6x9xf32>
  %3 = stablehlo.reduce(%2 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<6x9xf32>, tensor<f32>) -> tensor<9xf32>
  return %3 : tensor<9xf32>
}

//--- ones.mlir
sdy.mesh @mesh = <["d"=4]>
func.func @main(%x: tensor<13x7xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"d"}, {}]>},
                %y: tensor<13x10xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"d"}, {}]>}) -> tensor<10xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [0] x [0] : (tensor<13x7xf32>, tensor<13x10xf32>) -> tensor<7x10xf32>
  %1 = stablehlo.pad %0, %one, low = [1, 0], high = [0, 0], interior = [0, 0] : (tensor<7x10xf32>, tensor<f32>) -> tensor<8x10xf32>
  %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8x10xf32>, tensor<f32>) -> tensor<10xf32>
  return %2 : tensor<10xf32>
}

//--- taken.mlir
sdy.mesh @mesh = <["d"=4]>
func.func @main(%x: tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"d"}]>},
                %w: tensor<64x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"d"}, {}]>}) -> (tensor<64x32xf32>, tensor<32xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x32xf32>) -> tensor<64x32xf32>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<64x32xf32>, tensor<f32>) -> tensor<32xf32>
  %2 = stablehlo.tanh %0 : tensor<64x32xf32>
  return %2, %1 : tensor<64x32xf32>, tensor<32xf32>
}
