sdy.mesh @m = <["x"=2, "y"=2]>

func.func @parallel_sums(%a: tensor<4x4xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}) -> (tensor<4xi32> {sdy.sharding = #sdy.sharding<@m, [{"y"}]>}) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %i = stablehlo.iota dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {"y"}]>]>} : tensor<4x4xi32>
  %b = stablehlo.multiply %a, %i {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {"y"}]>]>} : tensor<4x4xi32>
  %0 = stablehlo.reduce(%b init: %zero) applies stablehlo.add across dimensions = [0] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"y"}]>]>} : (tensor<4x4xi32>, tensor<i32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

func.func @parallel_turned(%a: tensor<4x4xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}) -> (tensor<4x4xi32> {sdy.sharding = #sdy.sharding<@m, [{"y"}, {"x"}]>}) {
  %0 = sdy.reshard %a <@m, [{"y"}, {"x"}]> : tensor<4x4xi32>
  return %0 : tensor<4x4xi32>
}

