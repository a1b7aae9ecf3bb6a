sdy.mesh @m = <["x"=2, "y"=2]>

func.func @sequential_shifted(%a: tensor<8x8xi32>) -> tensor<8x8xi32> {
  %0 = stablehlo.add %a, %a : tensor<8x8xi32>
  %1 = stablehlo.slice %0 [0:4, 0:8] : (tensor<8x8xi32>) -> tensor<4x8xi32>
  %2 = stablehlo.slice %0 [4:8, 0:8] : (tensor<8x8xi32>) -> tensor<4x8xi32>
  %3 = stablehlo.concatenate %2, %1, dim = 0 : (tensor<4x8xi32>, tensor<4x8xi32>) -> tensor<8x8xi32>
  return %3 : tensor<8x8xi32>
}

func.func @parallel_shifted(%a: tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@m, [{"y"}, {}]>}) -> (tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}) {
  %0 = stablehlo.add %a, %a : tensor<8x8xi32>
  %1 = sdy.manual_computation(%0) in_shardings=[<@m, [{"x"}, {"y"}]>] out_shardings=[<@m, [{"x"}, {"y"}]>] manual_axes={"x", "y"} (%b: tensor<4x4xi32>) {
    %2 = "stablehlo.collective_permute"(%b) <{source_target_pairs = dense<[[0, 2], [2, 0], [1, 3], [3, 1]]> : tensor<4x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}> : (tensor<4x4xi32>) -> tensor<4x4xi32>
    sdy.return %2 : tensor<4x4xi32>
  } : (tensor<8x8xi32>) -> tensor<8x8xi32>
  return %1 : tensor<8x8xi32>
}

