sdy.mesh @m = <["x"=2, "y"=2]>

// All elements are negative: a maximum would see padding of zeros.
func.func @parallel_greatest(%a: tensor<5x3xf32>) -> tensor<3xf32> {
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = sdy.reshard %a <@m, [{"x"}, {"y"}]> : tensor<5x3xf32>
  %1 = stablehlo.reduce(%0 init: %least) applies stablehlo.maximum across dimensions = [0] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"y"}]>]>} : (tensor<5x3xf32>, tensor<f32>) -> tensor<3xf32>
  %2 = sdy.reshard %1 <@m, [{}]> : tensor<3xf32>
  return %2 : tensor<3xf32>
}

// And exp of it would make ones of zeros.
func.func @parallel_sum_of_exp(%a: tensor<5x3xf32>) -> tensor<f32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = sdy.reshard %a <@m, [{"x", "y"}, {}]> : tensor<5x3xf32>
  %1 = stablehlo.abs %0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x", "y"}, {}]>]>} : tensor<5x3xf32>
  %2 = stablehlo.sign %1 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x", "y"}, {}]>]>} : tensor<5x3xf32>
  %3 = stablehlo.exponential %0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x", "y"}, {}]>]>} : tensor<5x3xf32>
  %4 = stablehlo.sign %3 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x", "y"}, {}]>]>} : tensor<5x3xf32>
  %5 = stablehlo.add %2, %4 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x", "y"}, {}]>]>} : tensor<5x3xf32>
  %6 = stablehlo.reduce(%5 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<5x3xf32>, tensor<f32>) -> tensor<f32>
  return %6 : tensor<f32>
}

func.func @parallel_gram(%a: tensor<5x3xf32>) -> tensor<3x3xf32> {
  %0 = sdy.reshard %a <@m, [{"x"}, {}]> : tensor<5x3xf32>
  %1 = stablehlo.dot_general %0, %0, contracting_dims = [0] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {"y"}]>]>} : (tensor<5x3xf32>, tensor<5x3xf32>) -> tensor<3x3xf32>
  %2 = sdy.reshard %1 <@m, [{}, {}]> : tensor<3x3xf32>
  return %2 : tensor<3x3xf32>
}

