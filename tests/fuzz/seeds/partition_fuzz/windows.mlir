sdy.mesh @m = <["x"=2, "y"=2]>

func.func @parallel_convolution(%a: tensor<1x8x8x2xi32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}, {"y"}, {}]>}, %k: tensor<3x3x2x2xi32>) -> (tensor<1x8x8x2xi32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}, {"y"}, {}]>}) {
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64, sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {"x"}, {"y"}, {}]>]>} : (tensor<1x8x8x2xi32>, tensor<3x3x2x2xi32>) -> tensor<1x8x8x2xi32>
  return %0 : tensor<1x8x8x2xi32>
}

func.func @parallel_strided(%a: tensor<1x8x8x2xi32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}, {}, {}]>}, %k: tensor<3x3x2x2xi32> {sdy.sharding = #sdy.sharding<@m, [{}, {}, {}, {"y"}]>}) -> (tensor<1x4x4x2xi32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}, {}, {"y"}]>}) {
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[0, 1], [0, 1]]}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64, sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {"x"}, {}, {"y"}]>]>} : (tensor<1x8x8x2xi32>, tensor<3x3x2x2xi32>) -> tensor<1x4x4x2xi32>
  return %0 : tensor<1x4x4x2xi32>
}

func.func @parallel_pooled(%a: tensor<1x8x8x2xi32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}, {"y"}, {}]>}) -> (tensor<1x4x4x2xi32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}, {"y"}, {}]>}) {
  %least = stablehlo.constant dense<-2147483648> : tensor<i32>
  %0 = "stablehlo.reduce_window"(%a, %least) <{
    window_dimensions = array<i64: 1, 3, 3, 1>, window_strides = array<i64: 1, 2, 2, 1>,
    padding = dense<[[0, 0], [1, 0], [0, 1], [0, 0]]> : tensor<4x2xi64>
  }> ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %g = stablehlo.maximum %x, %y : tensor<i32>
    stablehlo.return %g : tensor<i32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {"x"}, {"y"}, {}]>]>} : (tensor<1x8x8x2xi32>, tensor<i32>) -> tensor<1x4x4x2xi32>
  return %0 : tensor<1x4x4x2xi32>
}

