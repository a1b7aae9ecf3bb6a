// Sizes that no number of devices divides, between whole arguments and whole results: what is beyond the end is never read.
// RUN: env SDY_OPT=%out/tools/sdy_opt TESSERA=%out/tessera %root/tools/run_sdy_interpreter_test.sh %s %t
// RUN: env SDY_OPT=%out/tools/sdy_opt TESSERA=%out/tessera PARTITION='%out/tessera partition' %root/tools/run_sdy_interpreter_test.sh %s %t

//--- part1.mlir
sdy.mesh @m = <["x"=2, "y"=2]>

// All elements are negative: a maximum would see padding of zeros.
func.func @parallel_greatest(%a: tensor<5x3xf32>) -> tensor<3xf32> {
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = sdy.reshard %a <@m, [{"x"}, {"y"}]> : tensor<5x3xf32>
  %1 = stablehlo.reduce(%0 init: %least) applies stablehlo.maximum across dimensions = [0] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"y"}]>]>} : (tensor<5x3xf32>, tensor<f32>) -> tensor<3xf32>
  %2 = sdy.reshard %1 <@m, [{}]> : tensor<3xf32>
  return %2 : tensor<3xf32>
}

// And exp of it would make ones of zeros.
func.func @parallel_sum_of_exp(%a: tensor<5x3xf32>) -> tensor<f32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = sdy.reshard %a <@m, [{"x", "y"}, {}]> : tensor<5x3xf32>
  %1 = stablehlo.abs %0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x", "y"}, {}]>]>} : tensor<5x3xf32>
  %2 = stablehlo.sign %1 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x", "y"}, {}]>]>} : tensor<5x3xf32>
  %3 = stablehlo.exponential %0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x", "y"}, {}]>]>} : tensor<5x3xf32>
  %4 = stablehlo.sign %3 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x", "y"}, {}]>]>} : tensor<5x3xf32>
  %5 = stablehlo.add %2, %4 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x", "y"}, {}]>]>} : tensor<5x3xf32>
  %6 = stablehlo.reduce(%5 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<5x3xf32>, tensor<f32>) -> tensor<f32>
  return %6 : tensor<f32>
}

func.func @parallel_gram(%a: tensor<5x3xf32>) -> tensor<3x3xf32> {
  %0 = sdy.reshard %a <@m, [{"x"}, {}]> : tensor<5x3xf32>
  %1 = stablehlo.dot_general %0, %0, contracting_dims = [0] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {"y"}]>]>} : (tensor<5x3xf32>, tensor<5x3xf32>) -> tensor<3x3xf32>
  %2 = sdy.reshard %1 <@m, [{}, {}]> : tensor<3x3xf32>
  return %2 : tensor<3x3xf32>
}

//--- part2.mlir
func.func @main() {
  %a_flat = stablehlo.iota dim = 0 : tensor<15xf32>
  %a_all = stablehlo.reshape %a_flat : (tensor<15xf32>) -> tensor<5x3xf32>
  %a_sc = stablehlo.constant dense<20.0> : tensor<5x3xf32>
  %a_s = stablehlo.subtract %a_all, %a_sc : tensor<5x3xf32>
  %greatest_want:1 = func.call @sequential_greatest(%a_s) : (tensor<5x3xf32>) -> tensor<3xf32>
  %greatest:4 = "interpreter.run_parallel"(%a_s, %a_s, %a_s, %a_s) {
    programs = [[@parallel_greatest, @parallel_greatest, @parallel_greatest, @parallel_greatest]]
  } : (tensor<5x3xf32>, tensor<5x3xf32>, tensor<5x3xf32>, tensor<5x3xf32>)
    -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
  check.expect_eq %greatest#0, %greatest_want#0 : tensor<3xf32>
  check.expect_eq %greatest#1, %greatest_want#0 : tensor<3xf32>
  check.expect_eq %greatest#2, %greatest_want#0 : tensor<3xf32>
  check.expect_eq %greatest#3, %greatest_want#0 : tensor<3xf32>
  %sum_of_exp_want:1 = func.call @sequential_sum_of_exp(%a_s) : (tensor<5x3xf32>) -> tensor<f32>
  %sum_of_exp:4 = "interpreter.run_parallel"(%a_s, %a_s, %a_s, %a_s) {
    programs = [[@parallel_sum_of_exp, @parallel_sum_of_exp, @parallel_sum_of_exp, @parallel_sum_of_exp]]
  } : (tensor<5x3xf32>, tensor<5x3xf32>, tensor<5x3xf32>, tensor<5x3xf32>)
    -> (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>)
  check.expect_eq %sum_of_exp#0, %sum_of_exp_want#0 : tensor<f32>
  check.expect_eq %sum_of_exp#1, %sum_of_exp_want#0 : tensor<f32>
  check.expect_eq %sum_of_exp#2, %sum_of_exp_want#0 : tensor<f32>
  check.expect_eq %sum_of_exp#3, %sum_of_exp_want#0 : tensor<f32>
  %gram_want:1 = func.call @sequential_gram(%a_s) : (tensor<5x3xf32>) -> tensor<3x3xf32>
  %gram:4 = "interpreter.run_parallel"(%a_s, %a_s, %a_s, %a_s) {
    programs = [[@parallel_gram, @parallel_gram, @parallel_gram, @parallel_gram]]
  } : (tensor<5x3xf32>, tensor<5x3xf32>, tensor<5x3xf32>, tensor<5x3xf32>)
    -> (tensor<3x3xf32>, tensor<3x3xf32>, tensor<3x3xf32>, tensor<3x3xf32>)
  check.expect_eq %gram#0, %gram_want#0 : tensor<3x3xf32>
  check.expect_eq %gram#1, %gram_want#0 : tensor<3x3xf32>
  check.expect_eq %gram#2, %gram_want#0 : tensor<3x3xf32>
  check.expect_eq %gram#3, %gram_want#0 : tensor<3x3xf32>
  return
}
