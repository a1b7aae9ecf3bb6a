// Edges that must divide: an inferred sharding loses the axes that do not, at the edge only; an annotated one is an error.
// RUN: tessera propagate %s | FileCheck %s --check-prefix=PADDED
// RUN: tessera propagate %s --edges=divisible | FileCheck %s
// RUN: tessera propagate %s --edges=divisible --emit=mhlo | FileCheck %s --check-prefix=MHLO
// RUN: not tessera propagate %s --edges=divisible --shard 'x=P("b")' 2>&1 | FileCheck %s --check-prefix=ERROR
// PADDED: @main(%arg0: tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b", ?}]>}) -> (tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b", ?}]>})
// CHECK: @main(%arg0: tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}]>}) -> (tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}]>})
// CHECK: tanh {{.*}} [{"a", "b"}]
// MHLO: @main(%arg0: tensor<6xf32> {mhlo.sharding = "{devices=[2,4]<=[8] last_tile_dim_replicate}"})
// ERROR: error: dimension 0 of argument 0 'x' : tensor<6xf32> has 6 elements, which 4 devices do not divide: --edges=divisible (divisible_edges) requires a multiple of 4
sdy.mesh @mesh = <["a"=2, "b"=4]>
func.func @main(%x: tensor<6xf32>) -> tensor<6xf32> {
  %0 = stablehlo.tanh %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", "b"}]>]>} : tensor<6xf32>
  return %0 : tensor<6xf32>
}
