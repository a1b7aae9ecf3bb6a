// Functions on meshes of their own in one file, one of them in another order of devices.
// RUN: env SDY_OPT=%out/tools/sdy_opt TESSERA=%out/tessera %root/tools/run_sdy_interpreter_test.sh %s %t
// RUN: env SDY_OPT=%out/tools/sdy_opt TESSERA=%out/tessera PARTITION='%out/tessera partition' %root/tools/run_sdy_interpreter_test.sh %s %t

//--- part1.mlir
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

//--- part2.mlir
func.func @main() {
  %a_flat = stablehlo.iota dim = 0 : tensor<32xi32>
  %a_all = stablehlo.reshape %a_flat : (tensor<32xi32>) -> tensor<4x8xi32>
  %b_flat = stablehlo.iota dim = 0 : tensor<32xi32>
  %b_all = stablehlo.reshape %b_flat : (tensor<32xi32>) -> tensor<4x8xi32>
  %b_mc = stablehlo.constant dense<3> : tensor<4x8xi32>
  %b_m = stablehlo.multiply %b_all, %b_mc : tensor<4x8xi32>
  %turned_want:1 = func.call @sequential_turned(%a_all, %b_m) : (tensor<4x8xi32>, tensor<4x8xi32>) -> tensor<4x8xi32>
  %turned_in0_0 = stablehlo.slice %a_all [0:2, 0:4] : (tensor<4x8xi32>) -> tensor<2x4xi32>
  %turned_in1_0 = stablehlo.slice %b_m [2:4, 4:8] : (tensor<4x8xi32>) -> tensor<2x4xi32>
  %turned_in0_1 = stablehlo.slice %a_all [0:2, 4:8] : (tensor<4x8xi32>) -> tensor<2x4xi32>
  %turned_in1_1 = stablehlo.slice %b_m [0:2, 4:8] : (tensor<4x8xi32>) -> tensor<2x4xi32>
  %turned_in0_2 = stablehlo.slice %a_all [2:4, 0:4] : (tensor<4x8xi32>) -> tensor<2x4xi32>
  %turned_in1_2 = stablehlo.slice %b_m [2:4, 0:4] : (tensor<4x8xi32>) -> tensor<2x4xi32>
  %turned_in0_3 = stablehlo.slice %a_all [2:4, 4:8] : (tensor<4x8xi32>) -> tensor<2x4xi32>
  %turned_in1_3 = stablehlo.slice %b_m [0:2, 0:4] : (tensor<4x8xi32>) -> tensor<2x4xi32>
  %turned:4 = "interpreter.run_parallel"(%turned_in0_0, %turned_in1_0, %turned_in0_1, %turned_in1_1, %turned_in0_2, %turned_in1_2, %turned_in0_3, %turned_in1_3) {
    programs = [[@parallel_turned, @parallel_turned, @parallel_turned, @parallel_turned]]
  } : (tensor<2x4xi32>, tensor<2x4xi32>, tensor<2x4xi32>, tensor<2x4xi32>, tensor<2x4xi32>, tensor<2x4xi32>, tensor<2x4xi32>, tensor<2x4xi32>)
    -> (tensor<2x4xi32>, tensor<2x4xi32>, tensor<2x4xi32>, tensor<2x4xi32>)
  %turned_want0_0 = stablehlo.slice %turned_want#0 [2:4, 4:8] : (tensor<4x8xi32>) -> tensor<2x4xi32>
  check.expect_eq %turned#0, %turned_want0_0 : tensor<2x4xi32>
  %turned_want0_1 = stablehlo.slice %turned_want#0 [2:4, 0:4] : (tensor<4x8xi32>) -> tensor<2x4xi32>
  check.expect_eq %turned#1, %turned_want0_1 : tensor<2x4xi32>
  %turned_want0_2 = stablehlo.slice %turned_want#0 [0:2, 4:8] : (tensor<4x8xi32>) -> tensor<2x4xi32>
  check.expect_eq %turned#2, %turned_want0_2 : tensor<2x4xi32>
  %turned_want0_3 = stablehlo.slice %turned_want#0 [0:2, 0:4] : (tensor<4x8xi32>) -> tensor<2x4xi32>
  check.expect_eq %turned#3, %turned_want0_3 : tensor<2x4xi32>
  %two_want:1 = func.call @sequential_two(%a_all) : (tensor<4x8xi32>) -> tensor<4x8xi32>
  %two_in0_0 = stablehlo.slice %a_all [0:2, 0:8] : (tensor<4x8xi32>) -> tensor<2x8xi32>
  %two_in0_1 = stablehlo.slice %a_all [2:4, 0:8] : (tensor<4x8xi32>) -> tensor<2x8xi32>
  %two:2 = "interpreter.run_parallel"(%two_in0_0, %two_in0_1) {
    programs = [[@parallel_two, @parallel_two]]
  } : (tensor<2x8xi32>, tensor<2x8xi32>)
    -> (tensor<4x4xi32>, tensor<4x4xi32>)
  %two_want0_0 = stablehlo.slice %two_want#0 [0:4, 0:4] : (tensor<4x8xi32>) -> tensor<4x4xi32>
  check.expect_eq %two#0, %two_want0_0 : tensor<4x4xi32>
  %two_want0_1 = stablehlo.slice %two_want#0 [0:4, 4:8] : (tensor<4x8xi32>) -> tensor<4x4xi32>
  check.expect_eq %two#1, %two_want0_1 : tensor<4x4xi32>
  %four_want:1 = func.call @sequential_four(%a_all) : (tensor<4x8xi32>) -> tensor<4x8xi32>
  %four_in0_0 = stablehlo.slice %a_all [0:2, 0:4] : (tensor<4x8xi32>) -> tensor<2x4xi32>
  %four_in0_1 = stablehlo.slice %a_all [0:2, 4:8] : (tensor<4x8xi32>) -> tensor<2x4xi32>
  %four_in0_2 = stablehlo.slice %a_all [2:4, 0:4] : (tensor<4x8xi32>) -> tensor<2x4xi32>
  %four_in0_3 = stablehlo.slice %a_all [2:4, 4:8] : (tensor<4x8xi32>) -> tensor<2x4xi32>
  %four:4 = "interpreter.run_parallel"(%four_in0_0, %four_in0_1, %four_in0_2, %four_in0_3) {
    programs = [[@parallel_four, @parallel_four, @parallel_four, @parallel_four]]
  } : (tensor<2x4xi32>, tensor<2x4xi32>, tensor<2x4xi32>, tensor<2x4xi32>)
    -> (tensor<4x2xi32>, tensor<4x2xi32>, tensor<4x2xi32>, tensor<4x2xi32>)
  %four_want0_0 = stablehlo.slice %four_want#0 [0:4, 0:2] : (tensor<4x8xi32>) -> tensor<4x2xi32>
  check.expect_eq %four#0, %four_want0_0 : tensor<4x2xi32>
  %four_want0_1 = stablehlo.slice %four_want#0 [0:4, 4:6] : (tensor<4x8xi32>) -> tensor<4x2xi32>
  check.expect_eq %four#1, %four_want0_1 : tensor<4x2xi32>
  %four_want0_2 = stablehlo.slice %four_want#0 [0:4, 2:4] : (tensor<4x8xi32>) -> tensor<4x2xi32>
  check.expect_eq %four#2, %four_want0_2 : tensor<4x2xi32>
  %four_want0_3 = stablehlo.slice %four_want#0 [0:4, 6:8] : (tensor<4x8xi32>) -> tensor<4x2xi32>
  check.expect_eq %four#3, %four_want0_3 : tensor<4x2xi32>
  return
}
