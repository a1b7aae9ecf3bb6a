// What is given comes before what is asked for. The optimizer's moment is in parts (ZeRO-1): asked for through the gradient,
// that would reach the activations before the batch does, which JAX takes through a dimension of size 1.
// RUN: tessera propagate %s --emit=table | FileCheck %s
// RUN: tessera partition %s --verify --stats 2>&1 >/dev/null | FileCheck %s --check-prefix=STATS

// CHECK: %x gather {{.*}} <@mesh, [{"data", ?}, {?}, {?}]>
// CHECK: %y multiply {{.*}} <@mesh, [{"data", ?}, {?}, {?}]>
// CHECK: %g reduce {{.*}} <@mesh, [{"data", ?}]>
// STATS: 1 reduce_scatter 1 group of 8 56 bytes over data
// STATS: 8 devices, 1 collective
// STATS: verified on 8 devices

sdy.mesh @mesh = <["data"=8]>

func.func @main(%tok: tensor<64x16xf32>,
                %tokens: tensor<8x4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>},
                %scale: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>},
                %moment: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}]>})
    -> (tensor<8x4x16xf32>, tensor<16xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %i = stablehlo.broadcast_in_dim %tokens, dims = [0, 1] : (tensor<8x4xi32>) -> tensor<8x4x1xi32>
  %x = "stablehlo.gather"(%tok, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2],
    collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false,
    slice_sizes = array<i64: 1, 16>}> : (tensor<64x16xf32>, tensor<8x4x1xi32>) -> tensor<8x4x16xf32>
  %s = stablehlo.broadcast_in_dim %scale, dims = [2] : (tensor<16xf32>) -> tensor<8x4x16xf32>
  %y = stablehlo.multiply %x, %s : tensor<8x4x16xf32>
  %t = stablehlo.multiply %x, %y : tensor<8x4x16xf32>
  %g = stablehlo.reduce(%t init: %zero) applies stablehlo.add across dimensions = [0, 1]
    : (tensor<8x4x16xf32>, tensor<f32>) -> tensor<16xf32>
  %m = stablehlo.add %moment, %g : tensor<16xf32>
  return %y, %m : tensor<8x4x16xf32>, tensor<16xf32>
}
