sdy.mesh @m = <["x"=2, "y"=2, "z"=2]>

func.func @parallel_whole_to_cut(%a: tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@m, [{}, {}]>}) -> (tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y", "z"}]>}) {
  %0 = sdy.reshard %a <@m, [{"x"}, {"y", "z"}]> : tensor<8x8xi32>
  return %0 : tensor<8x8xi32>
}

func.func @parallel_cut_to_whole(%a: tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@m, [{"x", "y"}, {"z"}]>}) -> (tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@m, [{}, {}]>}) {
  %0 = sdy.reshard %a <@m, [{}, {}]> : tensor<8x8xi32>
  return %0 : tensor<8x8xi32>
}

func.func @parallel_other_dim(%a: tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> (tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>}) {
  %0 = sdy.reshard %a <@m, [{}, {"x"}]> : tensor<8x8xi32>
  return %0 : tensor<8x8xi32>
}

func.func @parallel_both_ways(%a: tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}) -> (tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@m, [{"y"}, {"x"}]>}) {
  %0 = sdy.reshard %a <@m, [{"y"}, {"x"}]> : tensor<8x8xi32>
  return %0 : tensor<8x8xi32>
}

func.func @parallel_order(%a: tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@m, [{"x", "y", "z"}, {}]>}) -> (tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@m, [{"z", "x", "y"}, {}]>}) {
  %0 = sdy.reshard %a <@m, [{"z", "x", "y"}, {}]> : tensor<8x8xi32>
  return %0 : tensor<8x8xi32>
}

func.func @parallel_part_stays(%a: tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@m, [{"x", "y"}, {}]>}) -> (tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}) {
  %0 = sdy.reshard %a <@m, [{"x"}, {"y"}]> : tensor<8x8xi32>
  return %0 : tensor<8x8xi32>
}

func.func @parallel_exchange_and_gather(%a: tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@m, [{"x", "y"}, {"z"}]>}) -> (tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@m, [{}, {"z", "x"}]>}) {
  %0 = sdy.reshard %a <@m, [{}, {"z", "x"}]> : tensor<8x8xi32>
  return %0 : tensor<8x8xi32>
}

func.func @parallel_replace(%a: tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> (tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@m, [{"z"}, {}]>}) {
  %0 = sdy.reshard %a <@m, [{"z"}, {}]> : tensor<8x8xi32>
  return %0 : tensor<8x8xi32>
}

func.func @parallel_all(%a: tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@m, [{"y", "x"}, {"z"}]>}) -> (tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@m, [{"z"}, {"x", "y"}]>}) {
  %0 = sdy.reshard %a <@m, [{"z"}, {"x", "y"}]> : tensor<8x8xi32>
  return %0 : tensor<8x8xi32>
}

// Parts of a sum, with a loop around: what it carries says what is resharded.
func.func @parallel_sum(%a: tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}) -> (tensor<8xi32> {sdy.sharding = #sdy.sharding<@m, [{"y"}]>}) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %l:2 = stablehlo.while(%v = %a, %i = %zero) : tensor<8x8xi32>, tensor<i32>
      attributes {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {"y"}]>, <@m, []>]>}
    cond {
      %c = stablehlo.compare LT, %i, %two : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %w = sdy.reshard %v <@m, [{"y"}, {"x"}]> : tensor<8x8xi32>
      %t = stablehlo.transpose %w, dims = [1, 0] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {"y"}]>]>} : (tensor<8x8xi32>) -> tensor<8x8xi32>
      %s = stablehlo.add %v, %t {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {"y"}]>]>} : tensor<8x8xi32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %s, %j : tensor<8x8xi32>, tensor<i32>
    }
  %r = stablehlo.reduce(%l#0 init: %zero) applies stablehlo.add across dimensions = [1] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}], unreduced={"y"}>]>} : (tensor<8x8xi32>, tensor<i32>) -> tensor<8xi32>
  %s = sdy.reshard %r <@m, [{"y"}]> : tensor<8xi32>
  return %s : tensor<8xi32>
}

