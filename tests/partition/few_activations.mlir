// A batch of few rows and a weight in parts: the rows go to the weight, not the weight to the rows, though that is one exchange
// more (what the layer gives goes back to parts of the batch) and by time alone a little slower.
// RUN: tessera partition %s --verify --stats 2>&1 >/dev/null | FileCheck %s
// CHECK: 1 all_gather 1 group of 8 14336 bytes over d
// CHECK-NEXT: 1 all_to_all 1 group of 8 1792 bytes over d
// CHECK-NEXT: 8 devices, 2 collectives
// CHECK: verified on 8 devices
sdy.mesh @mesh = <["d"=8]>
func.func @main(%x: tensor<8x512xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"d"}, {}]>},
                %w: tensor<512x512xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"d"}]>})
    -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"d"}]>}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x512xf32>, tensor<512x512xf32>) -> tensor<8x512xf32>
  %1 = stablehlo.tanh %0 : tensor<8x512xf32>
  %2 = stablehlo.multiply %1, %x : tensor<8x512xf32>
  %3 = stablehlo.reduce(%2 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<8x512xf32>, tensor<f32>) -> tensor<8xf32>
  return %3 : tensor<8xf32>
}
