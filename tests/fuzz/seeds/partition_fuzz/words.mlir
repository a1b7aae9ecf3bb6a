sdy.mesh @m = <["x"=2, "y"=4]>
sdy.mesh @one = <[], device_ids=[5]>

func.func @parallel_constraint(%a: tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}) -> (tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@m, [{"y", "x"}, {}]>}) {
  %0 = stablehlo.add %a, %a : tensor<8x8xi32>
  %1 = sdy.sharding_constraint %0 <@m, [{"y"}, {"x"}]> : tensor<8x8xi32>
  sdy.sharding_group %1 group_id=0 : tensor<8x8xi32>
  %2 = stablehlo.negate %1 : tensor<8x8xi32>
  sdy.sharding_group %2 group_id=0 : tensor<8x8xi32>
  %3 = sdy.propagation_barrier %2 allowed_direction=NONE : tensor<8x8xi32>
  %4 = sdy.reshard %3 <@m, [{"y", "x"}, {}]> : tensor<8x8xi32>
  return %4 : tensor<8x8xi32>
}

func.func @parallel_parts_of_axes(%a: tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@m, [{"y":(1)2}, {"x"}]>}) -> (tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y":(2)2}]>}) {
  %0 = sdy.reshard %a <@m, [{"x", "y":(1)2}, {"y":(2)2}]> : tensor<8x8xi32>
  %1 = stablehlo.multiply %0, %0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x", "y":(1)2}, {"y":(2)2}], replicated={}>]>} : tensor<8x8xi32>
  return %1 : tensor<8x8xi32>
}

func.func @parallel_body(%a: tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}, %b: tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> (tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
  %0 = sdy.named_computation<"f">(%a, %b) in_shardings=[<@m, [{"x"}, {}]>, <@m, [{"x"}, {"y"}]>] out_shardings=[<@m, [{"x"}, {"y"}]>] (%c: tensor<8x8xi32>, %d: tensor<8x8xi32>) {
    %1 = stablehlo.subtract %c, %d {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : tensor<8x8xi32>
    sdy.return %1 : tensor<8x8xi32>
  } : (tensor<8x8xi32>, tensor<8x8xi32>) -> tensor<8x8xi32>
  return %0 : tensor<8x8xi32>
}

func.func @parallel_one_device(%a: tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}, %b: tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@one, []>}) -> (tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@m, [{}, {"y"}]>}) {
  %0 = sdy.reshard %a <@one, []> : tensor<8x8xi32>
  %1 = stablehlo.add %0, %b {sdy.sharding = #sdy.sharding_per_value<[<@one, []>]>} : tensor<8x8xi32>
  %2 = sdy.reshard %1 <@m, [{}, {"y"}]> : tensor<8x8xi32>
  return %2 : tensor<8x8xi32>
}

func.func @parallel_inline(%a: tensor<8x8xi32> {sdy.sharding = #sdy.sharding<mesh<["p"=8]>, [{"p"}, {}]>}) -> (tensor<8x8xi32> {sdy.sharding = #sdy.sharding<mesh<["p"=8]>, [{}, {"p"}]>}) {
  %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<8x8xi32>) -> tensor<8x8xi32>
  return %0 : tensor<8x8xi32>
}

