// Axes that must leave a dimension go where there is room, one by one, those of one side only if that moves less.
// RUN: split-file %s %t
// RUN: tessera partition %t/sort.mlir --verify --stats 2>&1 | %S/Inputs/within 220
// RUN: tessera partition %t/factor.mlir --verify --stats 2>&1 | %S/Inputs/within 4608
// RUN: tessera partition %t/merge.mlir --verify --stats 2>&1 | %S/Inputs/within 384
// RUN: tessera partition %t/transform.mlir --verify --stats 2>&1 | %S/Inputs/within 15360

// The sorted dimension has two axes in the result; neither has room in the next dimension for both, but in two dimensions.
//--- sort.mlir
sdy.mesh @mesh = <["a"=4, "b"=8, "c"=4]>
func.func @main(%x: tensor<32x16x8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}, {}]>})
    -> (tensor<32x16x8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b"}, {"c"}, {}]>}) {
  %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %1 = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", "b"}, {"c"}, {}]>]>} : (tensor<32x16x8xi32>) -> tensor<32x16x8xi32>
  return %0 : tensor<32x16x8xi32>
}
// Matrices cut along their columns, otherwise before than after: the batch takes the first axis only.
//--- factor.mlir
sdy.mesh @mesh = <["a"=4, "b"=2]>
func.func @main(%x: tensor<8x4x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}, {"a"}]>})
    -> (tensor<8x4x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}, {"b"}]>}) {
  %0 = stablehlo.cholesky %x, lower = true {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}, {}, {"b"}]>]>} : (tensor<8x4x8x8xf32>) -> tensor<8x4x8x8xf32>
  return %0 : tensor<8x4x8x8xf32>
}
// Half of an axis is in the batch, the other half joins it there.
//--- merge.mlir
sdy.mesh @mesh = <["a"=4, "b"=2]>
func.func @main(%x: tensor<8x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a":(1)2}, {"a":(2)2}, {"b"}]>})
    -> (tensor<8x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a":(1)2}, {"a":(2)2}, {"b"}]>}) {
  %0 = stablehlo.cholesky %x, lower = true {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a":(1)2}, {"a":(2)2}, {"b"}]>]>} : (tensor<8x8x8xf32>) -> tensor<8x8x8xf32>
  return %0 : tensor<8x8x8xf32>
}
// Two exchanges of parts take longer than one gather of all, but move a third of the bytes.
//--- transform.mlir
sdy.mesh @mesh = <["a"=4, "b"=4, "c"=3]>
func.func @main(%x: tensor<32x32x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}, {"b"}]>})
    -> (tensor<32x32x17xcomplex<f32>> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}, {"c"}]>}) {
  %0 = stablehlo.fft %x, type = RFFT, length = [32] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}, {"c"}]>]>} : (tensor<32x32x32xf32>) -> tensor<32x32x17xcomplex<f32>>
  return %0 : tensor<32x32x17xcomplex<f32>>
}
