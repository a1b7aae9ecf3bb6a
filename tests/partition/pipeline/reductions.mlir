// Reductions that are no sums, over a dimension that is cut; the init enters once.
// RUN: env SDY_OPT=%out/tools/sdy_opt TESSERA=%out/tessera %root/tools/run_sdy_interpreter_test.sh %s %t
// RUN: env SDY_OPT=%out/tools/sdy_opt TESSERA=%out/tessera PARTITION='%out/tessera partition' %root/tools/run_sdy_interpreter_test.sh %s %t

//--- part1.mlir
sdy.mesh @m = <["x"=2, "y"=2]>

func.func @parallel_product(%a: tensor<8x4xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}) -> (tensor<4xi32> {sdy.sharding = #sdy.sharding<@m, [{"y"}]>}) {
  %c = stablehlo.constant dense<3> : tensor<i32>
  %0 = stablehlo.reduce(%a init: %c) applies stablehlo.multiply across dimensions = [0] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"y"}]>]>} : (tensor<8x4xi32>, tensor<i32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

func.func @parallel_sum_from_ten(%a: tensor<8x4xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}) -> (tensor<8xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
  %c = stablehlo.constant dense<10> : tensor<i32>
  %0 = stablehlo.reduce(%a init: %c) applies stablehlo.add across dimensions = [1] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}]>]>} : (tensor<8x4xi32>, tensor<i32>) -> tensor<8xi32>
  return %0 : tensor<8xi32>
}

// The greatest element and where it is, the first of equal ones.
func.func @parallel_arg_max(%a: tensor<8x4xi32> {sdy.sharding = #sdy.sharding<@m, [{"x", "y"}, {}]>}) -> (tensor<4xi32>, tensor<4xi32>) {
  %least = stablehlo.constant dense<-2147483648> : tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %i = stablehlo.iota dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x", "y"}, {}]>]>} : tensor<8x4xi32>
  %c = stablehlo.constant dense<21> : tensor<8x4xi32>
  %r = stablehlo.remainder %a, %c {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x", "y"}, {}]>]>} : tensor<8x4xi32>
  %0:2 = stablehlo.reduce(%r init: %least), (%i init: %zero) across dimensions = [0] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}]>, <@m, [{}]>]>} : (tensor<8x4xi32>, tensor<8x4xi32>, tensor<i32>, tensor<i32>) -> (tensor<4xi32>, tensor<4xi32>)
    reducer(%v: tensor<i32>, %w: tensor<i32>) (%j: tensor<i32>, %k: tensor<i32>) {
      %more = stablehlo.compare GT, %v, %w : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %same = stablehlo.compare EQ, %v, %w : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %first = stablehlo.compare LT, %j, %k : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %tie = stablehlo.and %same, %first : tensor<i1>
      %take = stablehlo.or %more, %tie : tensor<i1>
      %x = stablehlo.select %take, %v, %w : tensor<i1>, tensor<i32>
      %y = stablehlo.select %take, %j, %k : tensor<i1>, tensor<i32>
      stablehlo.return %x, %y : tensor<i32>, tensor<i32>
    }
  return %0#0, %0#1 : tensor<4xi32>, tensor<4xi32>
}

//--- part2.mlir
func.func @main() {
  %a_flat = stablehlo.iota dim = 0 : tensor<32xi32>
  %a_all = stablehlo.reshape %a_flat : (tensor<32xi32>) -> tensor<8x4xi32>
  %a_mc = stablehlo.constant dense<7> : tensor<8x4xi32>
  %a_m = stablehlo.multiply %a_all, %a_mc : tensor<8x4xi32>
  %a_sc = stablehlo.constant dense<50> : tensor<8x4xi32>
  %a_s = stablehlo.subtract %a_m, %a_sc : tensor<8x4xi32>
  %product_want:1 = func.call @sequential_product(%a_s) : (tensor<8x4xi32>) -> tensor<4xi32>
  %product_in0_0 = stablehlo.slice %a_s [0:4, 0:2] : (tensor<8x4xi32>) -> tensor<4x2xi32>
  %product_in0_1 = stablehlo.slice %a_s [0:4, 2:4] : (tensor<8x4xi32>) -> tensor<4x2xi32>
  %product_in0_2 = stablehlo.slice %a_s [4:8, 0:2] : (tensor<8x4xi32>) -> tensor<4x2xi32>
  %product_in0_3 = stablehlo.slice %a_s [4:8, 2:4] : (tensor<8x4xi32>) -> tensor<4x2xi32>
  %product:4 = "interpreter.run_parallel"(%product_in0_0, %product_in0_1, %product_in0_2, %product_in0_3) {
    programs = [[@parallel_product, @parallel_product, @parallel_product, @parallel_product]]
  } : (tensor<4x2xi32>, tensor<4x2xi32>, tensor<4x2xi32>, tensor<4x2xi32>)
    -> (tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>)
  %product_want0_0 = stablehlo.slice %product_want#0 [0:2] : (tensor<4xi32>) -> tensor<2xi32>
  check.expect_eq %product#0, %product_want0_0 : tensor<2xi32>
  %product_want0_1 = stablehlo.slice %product_want#0 [2:4] : (tensor<4xi32>) -> tensor<2xi32>
  check.expect_eq %product#1, %product_want0_1 : tensor<2xi32>
  %product_want0_2 = stablehlo.slice %product_want#0 [0:2] : (tensor<4xi32>) -> tensor<2xi32>
  check.expect_eq %product#2, %product_want0_2 : tensor<2xi32>
  %product_want0_3 = stablehlo.slice %product_want#0 [2:4] : (tensor<4xi32>) -> tensor<2xi32>
  check.expect_eq %product#3, %product_want0_3 : tensor<2xi32>
  %sum_from_ten_want:1 = func.call @sequential_sum_from_ten(%a_s) : (tensor<8x4xi32>) -> tensor<8xi32>
  %sum_from_ten_in0_0 = stablehlo.slice %a_s [0:4, 0:2] : (tensor<8x4xi32>) -> tensor<4x2xi32>
  %sum_from_ten_in0_1 = stablehlo.slice %a_s [0:4, 2:4] : (tensor<8x4xi32>) -> tensor<4x2xi32>
  %sum_from_ten_in0_2 = stablehlo.slice %a_s [4:8, 0:2] : (tensor<8x4xi32>) -> tensor<4x2xi32>
  %sum_from_ten_in0_3 = stablehlo.slice %a_s [4:8, 2:4] : (tensor<8x4xi32>) -> tensor<4x2xi32>
  %sum_from_ten:4 = "interpreter.run_parallel"(%sum_from_ten_in0_0, %sum_from_ten_in0_1, %sum_from_ten_in0_2, %sum_from_ten_in0_3) {
    programs = [[@parallel_sum_from_ten, @parallel_sum_from_ten, @parallel_sum_from_ten, @parallel_sum_from_ten]]
  } : (tensor<4x2xi32>, tensor<4x2xi32>, tensor<4x2xi32>, tensor<4x2xi32>)
    -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>)
  %sum_from_ten_want0_0 = stablehlo.slice %sum_from_ten_want#0 [0:4] : (tensor<8xi32>) -> tensor<4xi32>
  check.expect_eq %sum_from_ten#0, %sum_from_ten_want0_0 : tensor<4xi32>
  %sum_from_ten_want0_1 = stablehlo.slice %sum_from_ten_want#0 [0:4] : (tensor<8xi32>) -> tensor<4xi32>
  check.expect_eq %sum_from_ten#1, %sum_from_ten_want0_1 : tensor<4xi32>
  %sum_from_ten_want0_2 = stablehlo.slice %sum_from_ten_want#0 [4:8] : (tensor<8xi32>) -> tensor<4xi32>
  check.expect_eq %sum_from_ten#2, %sum_from_ten_want0_2 : tensor<4xi32>
  %sum_from_ten_want0_3 = stablehlo.slice %sum_from_ten_want#0 [4:8] : (tensor<8xi32>) -> tensor<4xi32>
  check.expect_eq %sum_from_ten#3, %sum_from_ten_want0_3 : tensor<4xi32>
  %arg_max_want:2 = func.call @sequential_arg_max(%a_s) : (tensor<8x4xi32>) -> (tensor<4xi32>, tensor<4xi32>)
  %arg_max_in0_0 = stablehlo.slice %a_s [0:2, 0:4] : (tensor<8x4xi32>) -> tensor<2x4xi32>
  %arg_max_in0_1 = stablehlo.slice %a_s [2:4, 0:4] : (tensor<8x4xi32>) -> tensor<2x4xi32>
  %arg_max_in0_2 = stablehlo.slice %a_s [4:6, 0:4] : (tensor<8x4xi32>) -> tensor<2x4xi32>
  %arg_max_in0_3 = stablehlo.slice %a_s [6:8, 0:4] : (tensor<8x4xi32>) -> tensor<2x4xi32>
  %arg_max:8 = "interpreter.run_parallel"(%arg_max_in0_0, %arg_max_in0_1, %arg_max_in0_2, %arg_max_in0_3) {
    programs = [[@parallel_arg_max, @parallel_arg_max, @parallel_arg_max, @parallel_arg_max]]
  } : (tensor<2x4xi32>, tensor<2x4xi32>, tensor<2x4xi32>, tensor<2x4xi32>)
    -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>)
  check.expect_eq %arg_max#0, %arg_max_want#0 : tensor<4xi32>
  check.expect_eq %arg_max#1, %arg_max_want#1 : tensor<4xi32>
  check.expect_eq %arg_max#2, %arg_max_want#0 : tensor<4xi32>
  check.expect_eq %arg_max#3, %arg_max_want#1 : tensor<4xi32>
  check.expect_eq %arg_max#4, %arg_max_want#0 : tensor<4xi32>
  check.expect_eq %arg_max#5, %arg_max_want#1 : tensor<4xi32>
  check.expect_eq %arg_max#6, %arg_max_want#0 : tensor<4xi32>
  check.expect_eq %arg_max#7, %arg_max_want#1 : tensor<4xi32>
  return
}
