// RUN: tessera propagate --emit=mhlo %s | FileCheck %s
// RUN: tessera propagate --emit=mhlo %s | tessera propagate --emit=table | FileCheck %s --check-prefix=AGAIN
// XLA makes %1 a reshape and a broadcast and says %1's string on both: the row of %0 would be cut in two. It follows
// from %2, there and here. It was found in what XLA made of a bias: a collective_permute for each.

sdy.mesh @mesh = <["x"=2, "y"=2]>

// CHECK: %0 = stablehlo.broadcast_in_dim %arg1, dims = [1] {mhlo.sharding = "{devices=[1,2,2]<=[2,2]T(1,0) last_tile_dim_replicate}"}
// CHECK: %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<1x4xf32>) -> tensor<8x4xf32>
// CHECK: %2 = stablehlo.add %arg0, %1 {mhlo.sharding = "{devices=[2,2]<=[4]}"}
// CHECK: %3 = stablehlo.broadcast_in_dim %0, dims = [1, 2] {mhlo.sharding = "{devices=[1,1,2,2]<=[2,2]T(1,0) last_tile_dim_replicate}"} : (tensor<1x4xf32>) -> tensor<2x3x4xf32>
// AGAIN: %1 broadcast_in_dim {{.*}} tensor<4x2xf32>
func.func @main(%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %arg1: tensor<4xf32>) -> (tensor<8x4xf32>, tensor<2x3x4xf32>) {
  %0 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<4xf32>) -> tensor<1x4xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<1x4xf32>) -> tensor<8x4xf32>
  %2 = stablehlo.add %arg0, %1 : tensor<8x4xf32>
  %3 = stablehlo.broadcast_in_dim %0, dims = [1, 2] : (tensor<1x4xf32>) -> tensor<2x3x4xf32>
  return %2, %3 : tensor<8x4xf32>, tensor<2x3x4xf32>
}
