sdy.mesh @m = <["x"=2, "y"=2]>

func.func private @square(%v: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = stablehlo.multiply %v, %v : tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

func.func @parallel_until(%a: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}) -> (tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}, tensor<i32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %none = stablehlo.constant dense<0.0> : tensor<f32>
  %most = stablehlo.constant dense<3000.0> : tensor<f32>
  %r:2 = stablehlo.while(%v = %a, %i = %zero) : tensor<4x4xf32>, tensor<i32>
      attributes {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {"y"}]>, <@m, []>]>}
    cond {
      %s = stablehlo.reduce(%v init: %none) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<f32>
      %c = stablehlo.compare LT, %s, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %w = func.call @square(%v) : (tensor<4x4xf32>) -> tensor<4x4xf32>
      %u = stablehlo.add %v, %w {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {"y"}]>]>} : tensor<4x4xf32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %u, %j : tensor<4x4xf32>, tensor<i32>
    }
  return %r#0, %r#1 : tensor<4x4xf32>, tensor<i32>
}

func.func @parallel_branch(%a: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}) -> (tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"y"}, {"x"}]>}) {
  %none = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.reduce(%a init: %none) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<f32>
  %p = stablehlo.compare GT, %s, %none : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %r = "stablehlo.if"(%p) ({
    %t = stablehlo.transpose %a, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
    stablehlo.return %t : tensor<4x4xf32>
  }, {
    stablehlo.return %a : tensor<4x4xf32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"y"}, {"x"}]>]>} : (tensor<i1>) -> tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}

