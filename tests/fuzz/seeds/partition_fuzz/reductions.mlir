sdy.mesh @m = <["x"=2, "y"=2]>

func.func @parallel_product(%a: tensor<8x4xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}) -> (tensor<4xi32> {sdy.sharding = #sdy.sharding<@m, [{"y"}]>}) {
  %c = stablehlo.constant dense<3> : tensor<i32>
  %0 = stablehlo.reduce(%a init: %c) applies stablehlo.multiply across dimensions = [0] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"y"}]>]>} : (tensor<8x4xi32>, tensor<i32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

func.func @parallel_sum_from_ten(%a: tensor<8x4xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}) -> (tensor<8xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
  %c = stablehlo.constant dense<10> : tensor<i32>
  %0 = stablehlo.reduce(%a init: %c) applies stablehlo.add across dimensions = [1] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}]>]>} : (tensor<8x4xi32>, tensor<i32>) -> tensor<8xi32>
  return %0 : tensor<8xi32>
}

// The greatest element and where it is, the first of equal ones.
func.func @parallel_arg_max(%a: tensor<8x4xi32> {sdy.sharding = #sdy.sharding<@m, [{"x", "y"}, {}]>}) -> (tensor<4xi32>, tensor<4xi32>) {
  %least = stablehlo.constant dense<-2147483648> : tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %i = stablehlo.iota dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x", "y"}, {}]>]>} : tensor<8x4xi32>
  %c = stablehlo.constant dense<21> : tensor<8x4xi32>
  %r = stablehlo.remainder %a, %c {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x", "y"}, {}]>]>} : tensor<8x4xi32>
  %0:2 = stablehlo.reduce(%r init: %least), (%i init: %zero) across dimensions = [0] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}]>, <@m, [{}]>]>} : (tensor<8x4xi32>, tensor<8x4xi32>, tensor<i32>, tensor<i32>) -> (tensor<4xi32>, tensor<4xi32>)
    reducer(%v: tensor<i32>, %w: tensor<i32>) (%j: tensor<i32>, %k: tensor<i32>) {
      %more = stablehlo.compare GT, %v, %w : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %same = stablehlo.compare EQ, %v, %w : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %first = stablehlo.compare LT, %j, %k : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %tie = stablehlo.and %same, %first : tensor<i1>
      %take = stablehlo.or %more, %tie : tensor<i1>
      %x = stablehlo.select %take, %v, %w : tensor<i1>, tensor<i32>
      %y = stablehlo.select %take, %j, %k : tensor<i1>, tensor<i32>
      stablehlo.return %x, %y : tensor<i32>, tensor<i32>
    }
  return %0#0, %0#1 : tensor<4xi32>, tensor<4xi32>
}

