// A body that is written for one device already, in a program that is not.
// RUN: env SDY_OPT=%out/tools/sdy_opt TESSERA=%out/tessera %root/tools/run_sdy_interpreter_test.sh %s %t
// RUN: env SDY_OPT=%out/tools/sdy_opt TESSERA=%out/tessera PARTITION='%out/tessera partition' %root/tools/run_sdy_interpreter_test.sh %s %t

//--- part1.mlir
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

//--- part2.mlir
func.func @main() {
  %a_flat = stablehlo.iota dim = 0 : tensor<64xi32>
  %a_all = stablehlo.reshape %a_flat : (tensor<64xi32>) -> tensor<8x8xi32>
  %shifted_want:1 = func.call @sequential_shifted(%a_all) : (tensor<8x8xi32>) -> tensor<8x8xi32>
  %shifted_in0_0 = stablehlo.slice %a_all [0:4, 0:8] : (tensor<8x8xi32>) -> tensor<4x8xi32>
  %shifted_in0_1 = stablehlo.slice %a_all [4:8, 0:8] : (tensor<8x8xi32>) -> tensor<4x8xi32>
  %shifted_in0_2 = stablehlo.slice %a_all [0:4, 0:8] : (tensor<8x8xi32>) -> tensor<4x8xi32>
  %shifted_in0_3 = stablehlo.slice %a_all [4:8, 0:8] : (tensor<8x8xi32>) -> tensor<4x8xi32>
  %shifted:4 = "interpreter.run_parallel"(%shifted_in0_0, %shifted_in0_1, %shifted_in0_2, %shifted_in0_3) {
    programs = [[@parallel_shifted, @parallel_shifted, @parallel_shifted, @parallel_shifted]]
  } : (tensor<4x8xi32>, tensor<4x8xi32>, tensor<4x8xi32>, tensor<4x8xi32>)
    -> (tensor<4x4xi32>, tensor<4x4xi32>, tensor<4x4xi32>, tensor<4x4xi32>)
  %shifted_want0_0 = stablehlo.slice %shifted_want#0 [0:4, 0:4] : (tensor<8x8xi32>) -> tensor<4x4xi32>
  check.expect_eq %shifted#0, %shifted_want0_0 : tensor<4x4xi32>
  %shifted_want0_1 = stablehlo.slice %shifted_want#0 [0:4, 4:8] : (tensor<8x8xi32>) -> tensor<4x4xi32>
  check.expect_eq %shifted#1, %shifted_want0_1 : tensor<4x4xi32>
  %shifted_want0_2 = stablehlo.slice %shifted_want#0 [4:8, 0:4] : (tensor<8x8xi32>) -> tensor<4x4xi32>
  check.expect_eq %shifted#2, %shifted_want0_2 : tensor<4x4xi32>
  %shifted_want0_3 = stablehlo.slice %shifted_want#0 [4:8, 4:8] : (tensor<8x8xi32>) -> tensor<4x4xi32>
  check.expect_eq %shifted#3, %shifted_want0_3 : tensor<4x4xi32>
  return
}
