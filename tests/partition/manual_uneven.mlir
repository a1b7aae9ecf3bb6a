// A manual computation whose tiles are cut further by an axis that does not divide them: 2 rows of each tile over 3 devices are not the tiles of 4
// rows over 6. Found by random programs (seed 331).
// RUN: tessera partition %s --verify 2>&1 | FileCheck %s
// CHECK: verified on 6 devices: 1 result agrees
sdy.mesh @mesh = <["a"=2, "b"=3]>
func.func @main(%x: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b"}, {}]>}) -> (tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b"}, {}]>}) {
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"a", "b"}, {}]>] out_shardings=[<@mesh, [{"a", "b"}, {}]>] manual_axes={"a"} (%y: tensor<2x6xf32>) {
    %1 = stablehlo.reverse %y, dims = [0] : tensor<2x6xf32>
    sdy.return %1 : tensor<2x6xf32>
  } : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}
