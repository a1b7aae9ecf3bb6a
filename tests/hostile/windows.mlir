// Windows whose numbers come near the largest there are: places beyond the padding are not computed past the end of the numbers, and nobody tries to
// hold what lies between.
// RUN: tessera partition %s --mesh x=4 --shard 'x=P(None,"x")' --verify --stats 2>&1 | FileCheck %s
// CHECK: verified on 4 devices: 2 results agree
func.func @main(%x: tensor<1x9x1xf32>, %w: tensor<1x1x1xf32>, %i: tensor<f32>) -> (tensor<1x3x1xf32>, tensor<1x3x1xf32>) {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [2305843009213693952], pad = [[-4611686018427387904, 9223372036854775807]], rhs_dilate = [2147483647]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x9x1xf32>, tensor<1x1x1xf32>) -> tensor<1x3x1xf32>
  %1 = "stablehlo.reduce_window"(%x, %i) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %2 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }) {window_dimensions = array<i64: 1, 1, 1>, window_strides = array<i64: 1, 2305843009213693952, 1>, padding = dense<[[0, 0], [-4611686018427387904, 9223372036854775807], [0, 0]]> : tensor<3x2xi64>} : (tensor<1x9x1xf32>, tensor<f32>) -> tensor<1x3x1xf32>
  return %0, %1 : tensor<1x3x1xf32>, tensor<1x3x1xf32>
}
