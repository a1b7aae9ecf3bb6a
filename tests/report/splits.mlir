// RUN: tessera check %s
// Tiles that are not all alike: uneven, over a sub-axis, on devices in another order.
sdy.mesh @mesh = <["x"=4, "y"=2], device_ids=[7, 6, 5, 4, 3, 2, 1, 0]>
func.func @main(%uneven: tensor<5x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
                %minor: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(2)2}, {"y"}]>}) -> (tensor<5x6xf32>, tensor<8x6xf32>) {
  %0 = stablehlo.add %uneven, %uneven : tensor<5x6xf32>
  %1 = stablehlo.add %minor, %minor : tensor<8x6xf32>
  return %0, %1 : tensor<5x6xf32>, tensor<8x6xf32>
}
