// A label that stands twice in a term: neither of its dimensions can be sharded as the other is.
// RUN: tessera propagate %s | FileCheck %s
sdy.mesh @mesh = <["a"=2]>
// CHECK: @trace(%arg0: tensor<4x4xf32>, %arg1
func.func @trace(%x: tensor<4x4xf32>, %y: tensor<4x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> tensor<2xf32> {
  %0 = "stablehlo.einsum"(%x, %y) {einsum_config = "ii,ij->j"} : (tensor<4x4xf32>, tensor<4x2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
