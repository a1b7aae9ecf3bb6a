sdy.mesh @m = <["x"=2, "y"=2]>
sdy.mesh @turned = <["x"=2, "y"=2], device_ids=[3, 2, 1, 0]>

func.func @gather_both(%a: tensor<2x4xi32> {sdy.sharding = #sdy.sharding<@m, [{"y"}, {"x"}]>}) -> tensor<2x4xi32> {
  %0 = sdy.all_gather [{"y"}, {"x"}] %a out_sharding=<@m, [{}, {}]> : tensor<2x4xi32>
  return %0 : tensor<2x4xi32>
}

func.func @slice_minor(%a: tensor<4x2xi32> {sdy.sharding = #sdy.sharding<@m, [{"y"}, {}]>})
    -> (tensor<4x2xi32> {sdy.sharding = #sdy.sharding<@m, [{"y", "x"}, {}]>}) {
  %0 = sdy.all_slice [{"x"}, {}] %a out_sharding=<@m, [{"y", "x"}, {}]> : tensor<4x2xi32>
  return %0 : tensor<4x2xi32>
}

func.func @exchange_both(%a: tensor<2x2x2x2xi32> {sdy.sharding = #sdy.sharding<@m, [{"y"}, {}, {}, {"x"}]>})
    -> (tensor<2x2x2x2xi32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}, {"y"}, {}]>}) {
  %0 = sdy.all_to_all [{"y"}: 0->2, {"x"}: 3->1] %a out_sharding=<@m, [{}, {"x"}, {"y"}, {}]> : tensor<2x2x2x2xi32>
  return %0 : tensor<2x2x2x2xi32>
}

func.func @permute_to_other_order(%a: tensor<4xi32> {sdy.sharding = #sdy.sharding<@m, [{"y", "x"}]>})
    -> (tensor<4xi32> {sdy.sharding = #sdy.sharding<@turned, [{"x", "y"}]>}) {
  %0 = sdy.collective_permute %a out_sharding=<@turned, [{"x", "y"}]> : tensor<4xi32>
  return %0 : tensor<4xi32>
}

func.func @greatest(%a: tensor<2xi32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced=max{"x"}>}) -> tensor<2xi32> {
  %0 = sdy.all_reduce {"x"} %a out_sharding=<@m, [{}]> : tensor<2xi32>
  return %0 : tensor<2xi32>
}

func.func @scatter_both(%a: tensor<2x2xi32> {sdy.sharding = #sdy.sharding<@m, [{}, {}]>})
    -> (tensor<2x2xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}) {
  %0 = sdy.reduce_scatter [{"x"}, {"y"}] %a out_sharding=<@m, [{"x"}, {"y"}]> : tensor<2x2xi32>
  return %0 : tensor<2x2xi32>
}

// A value as a sum of parts, and back.
func.func @there_and_back(%a: tensor<2x2xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> tensor<2x2xi32> {
  %0 = sdy.sharded_to_unreduced [{"x"}, {}] %a out_sharding=<@m, [{}, {}], unreduced={"x"}> : tensor<2x2xi32>
  %1 = sdy.replicated_to_unreduced {"y"} %0 out_sharding=<@m, [{}, {}], unreduced={"x", "y"}> : tensor<2x2xi32>
  %2 = sdy.all_reduce {"x", "y"} %1 out_sharding=<@m, [{}, {}]> : tensor<2x2xi32>
  return %2 : tensor<2x2xi32>
}

