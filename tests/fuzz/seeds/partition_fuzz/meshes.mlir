sdy.mesh @two = <["x"=2]>
sdy.mesh @four = <["x"=2, "y"=2]>
sdy.mesh @turned = <["x"=2, "y"=2], device_ids=[3, 1, 2, 0]>

func.func @parallel_two(%a: tensor<4x8xi32> {sdy.sharding = #sdy.sharding<@two, [{"x"}, {}]>}) -> (tensor<4x8xi32> {sdy.sharding = #sdy.sharding<@two, [{}, {"x"}]>}) {
  %0 = sdy.reshard %a <@two, [{}, {"x"}]> : tensor<4x8xi32>
  return %0 : tensor<4x8xi32>
}

func.func @parallel_four(%a: tensor<4x8xi32> {sdy.sharding = #sdy.sharding<@four, [{"x"}, {"y"}]>}) -> (tensor<4x8xi32> {sdy.sharding = #sdy.sharding<@four, [{}, {"y", "x"}]>}) {
  %0 = sdy.reshard %a <@four, [{}, {"y", "x"}]> : tensor<4x8xi32>
  return %0 : tensor<4x8xi32>
}

// Devices stand otherwise in the result's mesh, and in that of the second argument.
func.func @parallel_turned(%a: tensor<4x8xi32> {sdy.sharding = #sdy.sharding<@four, [{"x"}, {"y"}]>}, %b: tensor<4x8xi32> {sdy.sharding = #sdy.sharding<@turned, [{"x"}, {"y"}]>}) -> (tensor<4x8xi32> {sdy.sharding = #sdy.sharding<@turned, [{"y"}, {"x"}]>}) {
  %0 = stablehlo.subtract %a, %b {sdy.sharding = #sdy.sharding_per_value<[<@four, [{"x"}, {"y"}]>]>} : tensor<4x8xi32>
  return %0 : tensor<4x8xi32>
}

