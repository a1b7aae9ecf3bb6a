// Devices that are replicas of one partition, in the grid and in the flags.
// RUN: env SDY_OPT=%out/tools/sdy_opt TESSERA=%out/tessera %root/tools/run_sdy_interpreter_test.sh %s %t
// RUN: env SDY_OPT=%out/tools/sdy_opt TESSERA=%out/tessera %root/tools/run_sdy_interpreter_test.sh %s %t --sdy-partitioner-pipeline="replica-count=4 partition-count=1"
// RUN: env SDY_OPT=%out/tools/sdy_opt TESSERA=%out/tessera PARTITION='%out/tessera partition' %root/tools/run_sdy_interpreter_test.sh %s %t

//--- part1.mlir
sdy.mesh @m = <["x"=2, "y"=2]>

func.func @parallel_sums(%a: tensor<4x4xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}) -> (tensor<4xi32> {sdy.sharding = #sdy.sharding<@m, [{"y"}]>}) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %i = stablehlo.iota dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {"y"}]>]>} : tensor<4x4xi32>
  %b = stablehlo.multiply %a, %i {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {"y"}]>]>} : tensor<4x4xi32>
  %0 = stablehlo.reduce(%b init: %zero) applies stablehlo.add across dimensions = [0] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"y"}]>]>} : (tensor<4x4xi32>, tensor<i32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

func.func @parallel_turned(%a: tensor<4x4xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}) -> (tensor<4x4xi32> {sdy.sharding = #sdy.sharding<@m, [{"y"}, {"x"}]>}) {
  %0 = sdy.reshard %a <@m, [{"y"}, {"x"}]> : tensor<4x4xi32>
  return %0 : tensor<4x4xi32>
}

//--- part2.mlir
func.func @main() {
  %a_flat = stablehlo.iota dim = 0 : tensor<16xi32>
  %a_all = stablehlo.reshape %a_flat : (tensor<16xi32>) -> tensor<4x4xi32>
  %sums_want:1 = func.call @sequential_sums(%a_all) : (tensor<4x4xi32>) -> tensor<4xi32>
  %sums_in0_0 = stablehlo.slice %a_all [0:2, 0:2] : (tensor<4x4xi32>) -> tensor<2x2xi32>
  %sums_in0_1 = stablehlo.slice %a_all [0:2, 2:4] : (tensor<4x4xi32>) -> tensor<2x2xi32>
  %sums_in0_2 = stablehlo.slice %a_all [2:4, 0:2] : (tensor<4x4xi32>) -> tensor<2x2xi32>
  %sums_in0_3 = stablehlo.slice %a_all [2:4, 2:4] : (tensor<4x4xi32>) -> tensor<2x2xi32>
  %sums:4 = "interpreter.run_parallel"(%sums_in0_0, %sums_in0_1, %sums_in0_2, %sums_in0_3) {
    programs = [[@parallel_sums], [@parallel_sums], [@parallel_sums], [@parallel_sums]]
  } : (tensor<2x2xi32>, tensor<2x2xi32>, tensor<2x2xi32>, tensor<2x2xi32>)
    -> (tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>)
  %sums_want0_0 = stablehlo.slice %sums_want#0 [0:2] : (tensor<4xi32>) -> tensor<2xi32>
  check.expect_eq %sums#0, %sums_want0_0 : tensor<2xi32>
  %sums_want0_1 = stablehlo.slice %sums_want#0 [2:4] : (tensor<4xi32>) -> tensor<2xi32>
  check.expect_eq %sums#1, %sums_want0_1 : tensor<2xi32>
  %sums_want0_2 = stablehlo.slice %sums_want#0 [0:2] : (tensor<4xi32>) -> tensor<2xi32>
  check.expect_eq %sums#2, %sums_want0_2 : tensor<2xi32>
  %sums_want0_3 = stablehlo.slice %sums_want#0 [2:4] : (tensor<4xi32>) -> tensor<2xi32>
  check.expect_eq %sums#3, %sums_want0_3 : tensor<2xi32>
  %turned_want:1 = func.call @sequential_turned(%a_all) : (tensor<4x4xi32>) -> tensor<4x4xi32>
  %turned_in0_0 = stablehlo.slice %a_all [0:2, 0:2] : (tensor<4x4xi32>) -> tensor<2x2xi32>
  %turned_in0_1 = stablehlo.slice %a_all [0:2, 2:4] : (tensor<4x4xi32>) -> tensor<2x2xi32>
  %turned_in0_2 = stablehlo.slice %a_all [2:4, 0:2] : (tensor<4x4xi32>) -> tensor<2x2xi32>
  %turned_in0_3 = stablehlo.slice %a_all [2:4, 2:4] : (tensor<4x4xi32>) -> tensor<2x2xi32>
  %turned:4 = "interpreter.run_parallel"(%turned_in0_0, %turned_in0_1, %turned_in0_2, %turned_in0_3) {
    programs = [[@parallel_turned], [@parallel_turned], [@parallel_turned], [@parallel_turned]]
  } : (tensor<2x2xi32>, tensor<2x2xi32>, tensor<2x2xi32>, tensor<2x2xi32>)
    -> (tensor<2x2xi32>, tensor<2x2xi32>, tensor<2x2xi32>, tensor<2x2xi32>)
  %turned_want0_0 = stablehlo.slice %turned_want#0 [0:2, 0:2] : (tensor<4x4xi32>) -> tensor<2x2xi32>
  check.expect_eq %turned#0, %turned_want0_0 : tensor<2x2xi32>
  %turned_want0_1 = stablehlo.slice %turned_want#0 [2:4, 0:2] : (tensor<4x4xi32>) -> tensor<2x2xi32>
  check.expect_eq %turned#1, %turned_want0_1 : tensor<2x2xi32>
  %turned_want0_2 = stablehlo.slice %turned_want#0 [0:2, 2:4] : (tensor<4x4xi32>) -> tensor<2x2xi32>
  check.expect_eq %turned#2, %turned_want0_2 : tensor<2x2xi32>
  %turned_want0_3 = stablehlo.slice %turned_want#0 [2:4, 2:4] : (tensor<4x4xi32>) -> tensor<2x2xi32>
  check.expect_eq %turned#3, %turned_want0_3 : tensor<2x2xi32>
  return
}
