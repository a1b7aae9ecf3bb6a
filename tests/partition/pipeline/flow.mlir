// Loops, branches and calls: predicates are whole, what is carried stays cut.
// RUN: env SDY_OPT=%out/tools/sdy_opt TESSERA=%out/tessera %root/tools/run_sdy_interpreter_test.sh %s %t
// RUN: env SDY_OPT=%out/tools/sdy_opt TESSERA=%out/tessera PARTITION='%out/tessera partition' %root/tools/run_sdy_interpreter_test.sh %s %t

//--- part1.mlir
sdy.mesh @m = <["x"=2, "y"=2]>

func.func private @square(%v: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = stablehlo.multiply %v, %v : tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

func.func @parallel_until(%a: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}) -> (tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}, tensor<i32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %none = stablehlo.constant dense<0.0> : tensor<f32>
  %most = stablehlo.constant dense<3000.0> : tensor<f32>
  %r:2 = stablehlo.while(%v = %a, %i = %zero) : tensor<4x4xf32>, tensor<i32>
      attributes {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {"y"}]>, <@m, []>]>}
    cond {
      %s = stablehlo.reduce(%v init: %none) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<f32>
      %c = stablehlo.compare LT, %s, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %w = func.call @square(%v) : (tensor<4x4xf32>) -> tensor<4x4xf32>
      %u = stablehlo.add %v, %w {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {"y"}]>]>} : tensor<4x4xf32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %u, %j : tensor<4x4xf32>, tensor<i32>
    }
  return %r#0, %r#1 : tensor<4x4xf32>, tensor<i32>
}

func.func @parallel_branch(%a: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}) -> (tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"y"}, {"x"}]>}) {
  %none = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.reduce(%a init: %none) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<f32>
  %p = stablehlo.compare GT, %s, %none : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %r = "stablehlo.if"(%p) ({
    %t = stablehlo.transpose %a, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
    stablehlo.return %t : tensor<4x4xf32>
  }, {
    stablehlo.return %a : tensor<4x4xf32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"y"}, {"x"}]>]>} : (tensor<i1>) -> tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}

//--- part2.mlir
func.func @main() {
  %a_flat = stablehlo.iota dim = 0 : tensor<16xf32>
  %a_all = stablehlo.reshape %a_flat : (tensor<16xf32>) -> tensor<4x4xf32>
  %a_sc = stablehlo.constant dense<7.0> : tensor<4x4xf32>
  %a_s = stablehlo.subtract %a_all, %a_sc : tensor<4x4xf32>
  %until_want:2 = func.call @sequential_until(%a_s) : (tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<i32>)
  %until_in0_0 = stablehlo.slice %a_s [0:2, 0:2] : (tensor<4x4xf32>) -> tensor<2x2xf32>
  %until_in0_1 = stablehlo.slice %a_s [0:2, 2:4] : (tensor<4x4xf32>) -> tensor<2x2xf32>
  %until_in0_2 = stablehlo.slice %a_s [2:4, 0:2] : (tensor<4x4xf32>) -> tensor<2x2xf32>
  %until_in0_3 = stablehlo.slice %a_s [2:4, 2:4] : (tensor<4x4xf32>) -> tensor<2x2xf32>
  %until:8 = "interpreter.run_parallel"(%until_in0_0, %until_in0_1, %until_in0_2, %until_in0_3) {
    programs = [[@parallel_until, @parallel_until, @parallel_until, @parallel_until]]
  } : (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>)
    -> (tensor<2x2xf32>, tensor<i32>, tensor<2x2xf32>, tensor<i32>, tensor<2x2xf32>, tensor<i32>, tensor<2x2xf32>, tensor<i32>)
  %until_want0_0 = stablehlo.slice %until_want#0 [0:2, 0:2] : (tensor<4x4xf32>) -> tensor<2x2xf32>
  check.expect_eq %until#0, %until_want0_0 : tensor<2x2xf32>
  check.expect_eq %until#1, %until_want#1 : tensor<i32>
  %until_want0_1 = stablehlo.slice %until_want#0 [0:2, 2:4] : (tensor<4x4xf32>) -> tensor<2x2xf32>
  check.expect_eq %until#2, %until_want0_1 : tensor<2x2xf32>
  check.expect_eq %until#3, %until_want#1 : tensor<i32>
  %until_want0_2 = stablehlo.slice %until_want#0 [2:4, 0:2] : (tensor<4x4xf32>) -> tensor<2x2xf32>
  check.expect_eq %until#4, %until_want0_2 : tensor<2x2xf32>
  check.expect_eq %until#5, %until_want#1 : tensor<i32>
  %until_want0_3 = stablehlo.slice %until_want#0 [2:4, 2:4] : (tensor<4x4xf32>) -> tensor<2x2xf32>
  check.expect_eq %until#6, %until_want0_3 : tensor<2x2xf32>
  check.expect_eq %until#7, %until_want#1 : tensor<i32>
  %branch_want:1 = func.call @sequential_branch(%a_s) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %branch_in0_0 = stablehlo.slice %a_s [0:2, 0:2] : (tensor<4x4xf32>) -> tensor<2x2xf32>
  %branch_in0_1 = stablehlo.slice %a_s [0:2, 2:4] : (tensor<4x4xf32>) -> tensor<2x2xf32>
  %branch_in0_2 = stablehlo.slice %a_s [2:4, 0:2] : (tensor<4x4xf32>) -> tensor<2x2xf32>
  %branch_in0_3 = stablehlo.slice %a_s [2:4, 2:4] : (tensor<4x4xf32>) -> tensor<2x2xf32>
  %branch:4 = "interpreter.run_parallel"(%branch_in0_0, %branch_in0_1, %branch_in0_2, %branch_in0_3) {
    programs = [[@parallel_branch, @parallel_branch, @parallel_branch, @parallel_branch]]
  } : (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>)
    -> (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>)
  %branch_want0_0 = stablehlo.slice %branch_want#0 [0:2, 0:2] : (tensor<4x4xf32>) -> tensor<2x2xf32>
  check.expect_eq %branch#0, %branch_want0_0 : tensor<2x2xf32>
  %branch_want0_1 = stablehlo.slice %branch_want#0 [2:4, 0:2] : (tensor<4x4xf32>) -> tensor<2x2xf32>
  check.expect_eq %branch#1, %branch_want0_1 : tensor<2x2xf32>
  %branch_want0_2 = stablehlo.slice %branch_want#0 [0:2, 2:4] : (tensor<4x4xf32>) -> tensor<2x2xf32>
  check.expect_eq %branch#2, %branch_want0_2 : tensor<2x2xf32>
  %branch_want0_3 = stablehlo.slice %branch_want#0 [2:4, 2:4] : (tensor<4x4xf32>) -> tensor<2x2xf32>
  check.expect_eq %branch#3, %branch_want0_3 : tensor<2x2xf32>
  return
}
