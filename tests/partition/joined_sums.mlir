// Sums that are added up are made once: none of them is avoided by gathering a weight, though alone that would move less.
// RUN: split-file %s %t
// RUN: tessera partition %t/twins.mlir --verify --stats 2>&1 >/dev/null | FileCheck %s --check-prefix=TWINS
// RUN: tessera partition %t/tied.mlir --verify --stats 2>&1 >/dev/null | FileCheck %s --check-prefix=TIED

// The gradient behind attention's three projections.
// TWINS: 1 reduce_scatter 1 group of 4 24576 bytes over m
// TWINS-NEXT: 4 devices, 1 collective
// TWINS: verified on 4 devices

// An embedding that is also the output's matrix: its gradient is a scatter and a contraction.
// TIED: 1 all_reduce 1 group of 4 12288 bytes over m
// TIED-NEXT: 4 devices, 1 collective
// TIED: verified on 4 devices

//--- twins.mlir
sdy.mesh @mesh = <["m"=4]>

func.func @main(%q: tensor<128x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"m"}]>},
                %k: tensor<128x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"m"}]>},
                %v: tensor<128x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"m"}]>},
                %wq: tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"m"}, {}]>},
                %wk: tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"m"}, {}]>},
                %wv: tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"m"}, {}]>})
    -> (tensor<128x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"m"}, {}]>}) {
  %0 = stablehlo.dot_general %q, %wq, contracting_dims = [1] x [0] : (tensor<128x64xf32>, tensor<64x64xf32>) -> tensor<128x64xf32>
  %1 = stablehlo.dot_general %k, %wk, contracting_dims = [1] x [0] : (tensor<128x64xf32>, tensor<64x64xf32>) -> tensor<128x64xf32>
  %2 = stablehlo.add %0, %1 : tensor<128x64xf32>
  %3 = stablehlo.dot_general %v, %wv, contracting_dims = [1] x [0] : (tensor<128x64xf32>, tensor<64x64xf32>) -> tensor<128x64xf32>
  %4 = stablehlo.add %2, %3 : tensor<128x64xf32>
  %5 = stablehlo.negate %4 : tensor<128x64xf32>
  return %5 : tensor<128x64xf32>
}

//--- tied.mlir
sdy.mesh @mesh = <["m"=4]>

func.func @main(%tokens: tensor<64x1xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"m"}, {}]>},
                %dx: tensor<64x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"m"}, {}]>},
                %x: tensor<64x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"m"}, {}]>},
                %dlogits: tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"m"}, {}]>})
    -> (tensor<64x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
  %zero = stablehlo.constant dense<0.0> : tensor<64x32xf32>
  %0 = stablehlo.dot_general %dlogits, %x, contracting_dims = [0] x [0] : (tensor<64x64xf32>, tensor<64x32xf32>) -> tensor<64x32xf32>
  %1 = "stablehlo.scatter"(%zero, %tokens, %dx) <{indices_are_sorted = false,
    scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0],
    scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<64x32xf32>, tensor<64x1xi32>, tensor<64x32xf32>) -> tensor<64x32xf32>
  %2 = stablehlo.add %0, %1 : tensor<64x32xf32>
  %3 = stablehlo.negate %2 : tensor<64x32xf32>
  return %3 : tensor<64x32xf32>
}
