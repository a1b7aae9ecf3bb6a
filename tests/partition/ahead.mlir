// What a result is to be for its users counts where they take it otherwise than was said, and what can be had again is not led by.
// RUN: split-file %s %t
// RUN: tessera partition %t/beside.mlir --verify --stats 2>&1 | %S/Inputs/within 3584 1
// RUN: tessera partition %t/mask.mlir --verify --stats 2>&1 | %S/Inputs/within 112 1

// One row of each example is there by the batch, eight are there by columns. Their products are by the batch: the eight are
// brought there, not the one to the columns and all nine back.
//--- beside.mlir
sdy.mesh @mesh = <["data"=8]>
func.func @main(%x: tensor<64x1x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}, {}]>},
                %y: tensor<64x8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"data"}]>})
    -> (tensor<64x9x9xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}, {}]>}) {
  %0 = stablehlo.concatenate %x, %y, dim = 1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}, {"data"}]>]>} : (tensor<64x1x16xf32>, tensor<64x8x16xf32>) -> tensor<64x9x16xf32>
  %1 = stablehlo.dot_general %0, %0, batching_dims = [0] x [0], contracting_dims = [2] x [2] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {}, {}]>]>} : (tensor<64x9x16xf32>, tensor<64x9x16xf32>) -> tensor<64x9x9xf32>
  return %1 : tensor<64x9x9xf32>
}

// Attention of one more query: scores are by the batch, as the cache is, though they are to be by heads. A mask that all have
// is made for them as they come, and what a small function gives need not be as was said.
//--- mask.mlir
sdy.mesh @mesh = <["model"=8]>
func.func @main(%q: tensor<8x8x1x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}, {}, {}]>},
                %k: tensor<8x16x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}, {}]>},
                %v: tensor<8x16x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}, {}]>}, %seen: tensor<1x16xi1>)
    -> (tensor<8x4x8x1xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}, {}, {}]>}) {
  %0 = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [3] x [2] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"model"}, {}, {}]>]>} : (tensor<8x8x1x4xf32>, tensor<8x16x4xf32>) -> tensor<8x8x1x16xf32>
  %1 = func.call @where(%seen, %0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"model"}, {}, {}]>]>} : (tensor<1x16xi1>, tensor<8x8x1x16xf32>) -> tensor<8x8x1x16xf32>
  %2 = stablehlo.exponential %1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"model"}, {}, {}]>]>} : tensor<8x8x1x16xf32>
  %3 = stablehlo.dot_general %v, %2, batching_dims = [0] x [0], contracting_dims = [1] x [3] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}, {"model"}, {}]>]>} : (tensor<8x16x4xf32>, tensor<8x8x1x16xf32>) -> tensor<8x4x8x1xf32>
  return %3 : tensor<8x4x8x1xf32>
}
func.func private @where(%seen: tensor<1x16xi1>, %x: tensor<8x8x1x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}, {}, {}]>})
    -> (tensor<8x8x1x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}, {}, {}]>}) {
  %least = stablehlo.constant dense<-1.0e30> : tensor<8x8x1x16xf32>
  %0 = stablehlo.broadcast_in_dim %seen, dims = [2, 3] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"model"}, {}, {}]>]>} : (tensor<1x16xi1>) -> tensor<8x8x1x16xi1>
  %1 = stablehlo.select %0, %x, %least {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"model"}, {}, {}]>]>} : tensor<8x8x1x16xi1>, tensor<8x8x1x16xf32>
  return %1 : tensor<8x8x1x16xf32>
}
