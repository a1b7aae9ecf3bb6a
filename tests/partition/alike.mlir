// Ops that take a value alike share what bringing it there takes: one gather of the input serves all three projections, where
// each for itself would rather have its weights gathered and its own result exchanged.
// RUN: tessera partition %s --verify --stats 2>&1 | %S/Inputs/within 1536
sdy.mesh @mesh = <["model"=4]>
func.func @main(%x: tensor<4x8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}, {}]>},
                %q: tensor<16x4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}, {}]>},
                %k: tensor<16x4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}, {}]>},
                %v: tensor<16x4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}, {}]>})
    -> (tensor<4x8x4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"model"}, {}]>},
        tensor<4x8x4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"model"}, {}]>},
        tensor<4x8x4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"model"}, {}]>}) {
  %0 = stablehlo.dot_general %x, %q, contracting_dims = [2] x [0] : (tensor<4x8x16xf32>, tensor<16x4x4xf32>) -> tensor<4x8x4x4xf32>
  %1 = stablehlo.dot_general %x, %k, contracting_dims = [2] x [0] : (tensor<4x8x16xf32>, tensor<16x4x4xf32>) -> tensor<4x8x4x4xf32>
  %2 = stablehlo.dot_general %x, %v, contracting_dims = [2] x [0] : (tensor<4x8x16xf32>, tensor<16x4x4xf32>) -> tensor<4x8x4x4xf32>
  return %0, %1, %2 : tensor<4x8x4x4xf32>, tensor<4x8x4x4xf32>, tensor<4x8x4x4xf32>
}
