// Partial sums that nobody adds up in the text, and a product cut both ways.
// RUN: env SDY_OPT=%out/tools/sdy_opt TESSERA=%out/tessera %root/tools/run_sdy_interpreter_test.sh %s %t
// RUN: env SDY_OPT=%out/tools/sdy_opt TESSERA=%out/tessera PARTITION='%out/tessera partition' %root/tools/run_sdy_interpreter_test.sh %s %t

//--- part1.mlir
sdy.mesh @m = <["x"=2, "y"=2]>

func.func @parallel_contracted(%a: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>}, %b: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>})
    -> (tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}]>}) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {}]>]>} : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

func.func @parallel_free(%a: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %b: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"y"}]>})
    -> (tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {"y"}]>]>} : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// Operands come one way and are needed another.
func.func @parallel_moved(%a: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %b: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>})
    -> (tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"y"}, {"x"}]>}) {
  %0 = sdy.reshard %a <@m, [{}, {"y"}]> : tensor<4x8xf32>
  %1 = sdy.reshard %b <@m, [{"y"}, {"x"}]> : tensor<8x4xf32>
  %2 = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {"x"}]>]>} : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %3 = sdy.reshard %2 <@m, [{"y"}, {"x"}]> : tensor<4x4xf32>
  return %3 : tensor<4x4xf32>
}

//--- part2.mlir
func.func @main() {
  %a_flat = stablehlo.iota dim = 0 : tensor<32xf32>
  %a_all = stablehlo.reshape %a_flat : (tensor<32xf32>) -> tensor<4x8xf32>
  %b_flat = stablehlo.iota dim = 0 : tensor<32xf32>
  %b_all = stablehlo.reshape %b_flat : (tensor<32xf32>) -> tensor<8x4xf32>
  %b_sc = stablehlo.constant dense<9.0> : tensor<8x4xf32>
  %b_s = stablehlo.subtract %b_all, %b_sc : tensor<8x4xf32>
  %contracted_want:1 = func.call @sequential_contracted(%a_all, %b_s) : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %contracted_in0_0 = stablehlo.slice %a_all [0:4, 0:4] : (tensor<4x8xf32>) -> tensor<4x4xf32>
  %contracted_in1_0 = stablehlo.slice %b_s [0:4, 0:4] : (tensor<8x4xf32>) -> tensor<4x4xf32>
  %contracted_in0_1 = stablehlo.slice %a_all [0:4, 0:4] : (tensor<4x8xf32>) -> tensor<4x4xf32>
  %contracted_in1_1 = stablehlo.slice %b_s [0:4, 0:4] : (tensor<8x4xf32>) -> tensor<4x4xf32>
  %contracted_in0_2 = stablehlo.slice %a_all [0:4, 4:8] : (tensor<4x8xf32>) -> tensor<4x4xf32>
  %contracted_in1_2 = stablehlo.slice %b_s [4:8, 0:4] : (tensor<8x4xf32>) -> tensor<4x4xf32>
  %contracted_in0_3 = stablehlo.slice %a_all [0:4, 4:8] : (tensor<4x8xf32>) -> tensor<4x4xf32>
  %contracted_in1_3 = stablehlo.slice %b_s [4:8, 0:4] : (tensor<8x4xf32>) -> tensor<4x4xf32>
  %contracted:4 = "interpreter.run_parallel"(%contracted_in0_0, %contracted_in1_0, %contracted_in0_1, %contracted_in1_1, %contracted_in0_2, %contracted_in1_2, %contracted_in0_3, %contracted_in1_3) {
    programs = [[@parallel_contracted, @parallel_contracted, @parallel_contracted, @parallel_contracted]]
  } : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>)
    -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>)
  check.expect_eq %contracted#0, %contracted_want#0 : tensor<4x4xf32>
  check.expect_eq %contracted#1, %contracted_want#0 : tensor<4x4xf32>
  check.expect_eq %contracted#2, %contracted_want#0 : tensor<4x4xf32>
  check.expect_eq %contracted#3, %contracted_want#0 : tensor<4x4xf32>
  %free_want:1 = func.call @sequential_free(%a_all, %b_s) : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %free_in0_0 = stablehlo.slice %a_all [0:2, 0:8] : (tensor<4x8xf32>) -> tensor<2x8xf32>
  %free_in1_0 = stablehlo.slice %b_s [0:8, 0:2] : (tensor<8x4xf32>) -> tensor<8x2xf32>
  %free_in0_1 = stablehlo.slice %a_all [0:2, 0:8] : (tensor<4x8xf32>) -> tensor<2x8xf32>
  %free_in1_1 = stablehlo.slice %b_s [0:8, 2:4] : (tensor<8x4xf32>) -> tensor<8x2xf32>
  %free_in0_2 = stablehlo.slice %a_all [2:4, 0:8] : (tensor<4x8xf32>) -> tensor<2x8xf32>
  %free_in1_2 = stablehlo.slice %b_s [0:8, 0:2] : (tensor<8x4xf32>) -> tensor<8x2xf32>
  %free_in0_3 = stablehlo.slice %a_all [2:4, 0:8] : (tensor<4x8xf32>) -> tensor<2x8xf32>
  %free_in1_3 = stablehlo.slice %b_s [0:8, 2:4] : (tensor<8x4xf32>) -> tensor<8x2xf32>
  %free:4 = "interpreter.run_parallel"(%free_in0_0, %free_in1_0, %free_in0_1, %free_in1_1, %free_in0_2, %free_in1_2, %free_in0_3, %free_in1_3) {
    programs = [[@parallel_free, @parallel_free, @parallel_free, @parallel_free]]
  } : (tensor<2x8xf32>, tensor<8x2xf32>, tensor<2x8xf32>, tensor<8x2xf32>, tensor<2x8xf32>, tensor<8x2xf32>, tensor<2x8xf32>, tensor<8x2xf32>)
    -> (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>)
  %free_want0_0 = stablehlo.slice %free_want#0 [0:2, 0:2] : (tensor<4x4xf32>) -> tensor<2x2xf32>
  check.expect_eq %free#0, %free_want0_0 : tensor<2x2xf32>
  %free_want0_1 = stablehlo.slice %free_want#0 [0:2, 2:4] : (tensor<4x4xf32>) -> tensor<2x2xf32>
  check.expect_eq %free#1, %free_want0_1 : tensor<2x2xf32>
  %free_want0_2 = stablehlo.slice %free_want#0 [2:4, 0:2] : (tensor<4x4xf32>) -> tensor<2x2xf32>
  check.expect_eq %free#2, %free_want0_2 : tensor<2x2xf32>
  %free_want0_3 = stablehlo.slice %free_want#0 [2:4, 2:4] : (tensor<4x4xf32>) -> tensor<2x2xf32>
  check.expect_eq %free#3, %free_want0_3 : tensor<2x2xf32>
  %moved_want:1 = func.call @sequential_moved(%a_all, %b_s) : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %moved_in0_0 = stablehlo.slice %a_all [0:2, 0:8] : (tensor<4x8xf32>) -> tensor<2x8xf32>
  %moved_in1_0 = stablehlo.slice %b_s [0:8, 0:2] : (tensor<8x4xf32>) -> tensor<8x2xf32>
  %moved_in0_1 = stablehlo.slice %a_all [0:2, 0:8] : (tensor<4x8xf32>) -> tensor<2x8xf32>
  %moved_in1_1 = stablehlo.slice %b_s [0:8, 0:2] : (tensor<8x4xf32>) -> tensor<8x2xf32>
  %moved_in0_2 = stablehlo.slice %a_all [2:4, 0:8] : (tensor<4x8xf32>) -> tensor<2x8xf32>
  %moved_in1_2 = stablehlo.slice %b_s [0:8, 2:4] : (tensor<8x4xf32>) -> tensor<8x2xf32>
  %moved_in0_3 = stablehlo.slice %a_all [2:4, 0:8] : (tensor<4x8xf32>) -> tensor<2x8xf32>
  %moved_in1_3 = stablehlo.slice %b_s [0:8, 2:4] : (tensor<8x4xf32>) -> tensor<8x2xf32>
  %moved:4 = "interpreter.run_parallel"(%moved_in0_0, %moved_in1_0, %moved_in0_1, %moved_in1_1, %moved_in0_2, %moved_in1_2, %moved_in0_3, %moved_in1_3) {
    programs = [[@parallel_moved, @parallel_moved, @parallel_moved, @parallel_moved]]
  } : (tensor<2x8xf32>, tensor<8x2xf32>, tensor<2x8xf32>, tensor<8x2xf32>, tensor<2x8xf32>, tensor<8x2xf32>, tensor<2x8xf32>, tensor<8x2xf32>)
    -> (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>)
  %moved_want0_0 = stablehlo.slice %moved_want#0 [0:2, 0:2] : (tensor<4x4xf32>) -> tensor<2x2xf32>
  check.expect_eq %moved#0, %moved_want0_0 : tensor<2x2xf32>
  %moved_want0_1 = stablehlo.slice %moved_want#0 [2:4, 0:2] : (tensor<4x4xf32>) -> tensor<2x2xf32>
  check.expect_eq %moved#1, %moved_want0_1 : tensor<2x2xf32>
  %moved_want0_2 = stablehlo.slice %moved_want#0 [0:2, 2:4] : (tensor<4x4xf32>) -> tensor<2x2xf32>
  check.expect_eq %moved#2, %moved_want0_2 : tensor<2x2xf32>
  %moved_want0_3 = stablehlo.slice %moved_want#0 [2:4, 2:4] : (tensor<4x4xf32>) -> tensor<2x2xf32>
  check.expect_eq %moved#3, %moved_want0_3 : tensor<2x2xf32>
  return
}
