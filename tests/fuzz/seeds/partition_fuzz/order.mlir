sdy.mesh @m = <["x"=4]>

func.func @parallel_sort(%a: tensor<8x4xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> (tensor<8x4xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
  %c = stablehlo.constant dense<13> : tensor<8x4xi32>
  %r = stablehlo.remainder %a, %c {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : tensor<8x4xi32>
  %0 = "stablehlo.sort"(%r) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %l = stablehlo.compare LT, %x, %y : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %l : tensor<i1>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<8x4xi32>) -> tensor<8x4xi32>
  return %0 : tensor<8x4xi32>
}

func.func @parallel_constants() -> (tensor<8xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
  %0 = stablehlo.constant {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}]>]>} dense<[3, 1, 4, 1, 5, 9, 2, 6]> : tensor<8xi32>
  %1 = stablehlo.iota dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}]>]>} : tensor<8xi32>
  %2 = stablehlo.add %0, %1 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}]>]>} : tensor<8xi32>
  return %2 : tensor<8xi32>
}

func.func @parallel_bits(%s: tensor<2xui64>) -> (tensor<2xui64>, tensor<8x4xui32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
  %0:2 = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}]>, <@m, [{"x"}, {}]>]>} : (tensor<2xui64>) -> (tensor<2xui64>, tensor<8x4xui32>)
  return %0#0, %0#1 : tensor<2xui64>, tensor<8x4xui32>
}

func.func @parallel_reshaped(%a: tensor<8x4xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> (tensor<4x8xi32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>}) {
  %0 = stablehlo.reshape %a {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {"x"}]>]>} : (tensor<8x4xi32>) -> tensor<4x8xi32>
  return %0 : tensor<4x8xi32>
}

