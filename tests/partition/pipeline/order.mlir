// Order along a dimension that is cut, constants and random bits that know their place.
// RUN: env SDY_OPT=%out/tools/sdy_opt TESSERA=%out/tessera %root/tools/run_sdy_interpreter_test.sh %s %t
// RUN: env SDY_OPT=%out/tools/sdy_opt TESSERA=%out/tessera PARTITION='%out/tessera partition' %root/tools/run_sdy_interpreter_test.sh %s %t

//--- part1.mlir
sdy.mesh @m = <["x"=4]>

func.func @parallel_sort(%a: tensor<8x4xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> (tensor<8x4xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
  %c = stablehlo.constant dense<13> : tensor<8x4xi32>
  %r = stablehlo.remainder %a, %c {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : tensor<8x4xi32>
  %0 = "stablehlo.sort"(%r) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %l = stablehlo.compare LT, %x, %y : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %l : tensor<i1>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<8x4xi32>) -> tensor<8x4xi32>
  return %0 : tensor<8x4xi32>
}

func.func @parallel_constants() -> (tensor<8xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
  %0 = stablehlo.constant {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}]>]>} dense<[3, 1, 4, 1, 5, 9, 2, 6]> : tensor<8xi32>
  %1 = stablehlo.iota dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}]>]>} : tensor<8xi32>
  %2 = stablehlo.add %0, %1 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}]>]>} : tensor<8xi32>
  return %2 : tensor<8xi32>
}

func.func @parallel_bits(%s: tensor<2xui64>) -> (tensor<2xui64>, tensor<8x4xui32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
  %0:2 = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}]>, <@m, [{"x"}, {}]>]>} : (tensor<2xui64>) -> (tensor<2xui64>, tensor<8x4xui32>)
  return %0#0, %0#1 : tensor<2xui64>, tensor<8x4xui32>
}

func.func @parallel_reshaped(%a: tensor<8x4xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> (tensor<4x8xi32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>}) {
  %0 = stablehlo.reshape %a {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {"x"}]>]>} : (tensor<8x4xi32>) -> tensor<4x8xi32>
  return %0 : tensor<4x8xi32>
}

//--- part2.mlir
func.func @main() {
  %a_flat = stablehlo.iota dim = 0 : tensor<32xi32>
  %a_all = stablehlo.reshape %a_flat : (tensor<32xi32>) -> tensor<8x4xi32>
  %a_mc = stablehlo.constant dense<5> : tensor<8x4xi32>
  %a_m = stablehlo.multiply %a_all, %a_mc : tensor<8x4xi32>
  %a_sc = stablehlo.constant dense<60> : tensor<8x4xi32>
  %a_s = stablehlo.subtract %a_m, %a_sc : tensor<8x4xi32>
  %s = stablehlo.constant dense<[3, 5]> : tensor<2xui64>
  %sort_want:1 = func.call @sequential_sort(%a_s) : (tensor<8x4xi32>) -> tensor<8x4xi32>
  %sort_in0_0 = stablehlo.slice %a_s [0:2, 0:4] : (tensor<8x4xi32>) -> tensor<2x4xi32>
  %sort_in0_1 = stablehlo.slice %a_s [2:4, 0:4] : (tensor<8x4xi32>) -> tensor<2x4xi32>
  %sort_in0_2 = stablehlo.slice %a_s [4:6, 0:4] : (tensor<8x4xi32>) -> tensor<2x4xi32>
  %sort_in0_3 = stablehlo.slice %a_s [6:8, 0:4] : (tensor<8x4xi32>) -> tensor<2x4xi32>
  %sort:4 = "interpreter.run_parallel"(%sort_in0_0, %sort_in0_1, %sort_in0_2, %sort_in0_3) {
    programs = [[@parallel_sort, @parallel_sort, @parallel_sort, @parallel_sort]]
  } : (tensor<2x4xi32>, tensor<2x4xi32>, tensor<2x4xi32>, tensor<2x4xi32>)
    -> (tensor<2x4xi32>, tensor<2x4xi32>, tensor<2x4xi32>, tensor<2x4xi32>)
  %sort_want0_0 = stablehlo.slice %sort_want#0 [0:2, 0:4] : (tensor<8x4xi32>) -> tensor<2x4xi32>
  check.expect_eq %sort#0, %sort_want0_0 : tensor<2x4xi32>
  %sort_want0_1 = stablehlo.slice %sort_want#0 [2:4, 0:4] : (tensor<8x4xi32>) -> tensor<2x4xi32>
  check.expect_eq %sort#1, %sort_want0_1 : tensor<2x4xi32>
  %sort_want0_2 = stablehlo.slice %sort_want#0 [4:6, 0:4] : (tensor<8x4xi32>) -> tensor<2x4xi32>
  check.expect_eq %sort#2, %sort_want0_2 : tensor<2x4xi32>
  %sort_want0_3 = stablehlo.slice %sort_want#0 [6:8, 0:4] : (tensor<8x4xi32>) -> tensor<2x4xi32>
  check.expect_eq %sort#3, %sort_want0_3 : tensor<2x4xi32>
  %constants_want:1 = func.call @sequential_constants() : () -> tensor<8xi32>
  %constants:4 = "interpreter.run_parallel"() {
    programs = [[@parallel_constants, @parallel_constants, @parallel_constants, @parallel_constants]]
  } : ()
    -> (tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>)
  %constants_want0_0 = stablehlo.slice %constants_want#0 [0:2] : (tensor<8xi32>) -> tensor<2xi32>
  check.expect_eq %constants#0, %constants_want0_0 : tensor<2xi32>
  %constants_want0_1 = stablehlo.slice %constants_want#0 [2:4] : (tensor<8xi32>) -> tensor<2xi32>
  check.expect_eq %constants#1, %constants_want0_1 : tensor<2xi32>
  %constants_want0_2 = stablehlo.slice %constants_want#0 [4:6] : (tensor<8xi32>) -> tensor<2xi32>
  check.expect_eq %constants#2, %constants_want0_2 : tensor<2xi32>
  %constants_want0_3 = stablehlo.slice %constants_want#0 [6:8] : (tensor<8xi32>) -> tensor<2xi32>
  check.expect_eq %constants#3, %constants_want0_3 : tensor<2xi32>
  %bits_want:2 = func.call @sequential_bits(%s) : (tensor<2xui64>) -> (tensor<2xui64>, tensor<8x4xui32>)
  %bits:8 = "interpreter.run_parallel"(%s, %s, %s, %s) {
    programs = [[@parallel_bits, @parallel_bits, @parallel_bits, @parallel_bits]]
  } : (tensor<2xui64>, tensor<2xui64>, tensor<2xui64>, tensor<2xui64>)
    -> (tensor<2xui64>, tensor<2x4xui32>, tensor<2xui64>, tensor<2x4xui32>, tensor<2xui64>, tensor<2x4xui32>, tensor<2xui64>, tensor<2x4xui32>)
  check.expect_eq %bits#0, %bits_want#0 : tensor<2xui64>
  %bits_want1_0 = stablehlo.slice %bits_want#1 [0:2, 0:4] : (tensor<8x4xui32>) -> tensor<2x4xui32>
  check.expect_eq %bits#1, %bits_want1_0 : tensor<2x4xui32>
  check.expect_eq %bits#2, %bits_want#0 : tensor<2xui64>
  %bits_want1_1 = stablehlo.slice %bits_want#1 [2:4, 0:4] : (tensor<8x4xui32>) -> tensor<2x4xui32>
  check.expect_eq %bits#3, %bits_want1_1 : tensor<2x4xui32>
  check.expect_eq %bits#4, %bits_want#0 : tensor<2xui64>
  %bits_want1_2 = stablehlo.slice %bits_want#1 [4:6, 0:4] : (tensor<8x4xui32>) -> tensor<2x4xui32>
  check.expect_eq %bits#5, %bits_want1_2 : tensor<2x4xui32>
  check.expect_eq %bits#6, %bits_want#0 : tensor<2xui64>
  %bits_want1_3 = stablehlo.slice %bits_want#1 [6:8, 0:4] : (tensor<8x4xui32>) -> tensor<2x4xui32>
  check.expect_eq %bits#7, %bits_want1_3 : tensor<2x4xui32>
  %reshaped_want:1 = func.call @sequential_reshaped(%a_s) : (tensor<8x4xi32>) -> tensor<4x8xi32>
  %reshaped_in0_0 = stablehlo.slice %a_s [0:2, 0:4] : (tensor<8x4xi32>) -> tensor<2x4xi32>
  %reshaped_in0_1 = stablehlo.slice %a_s [2:4, 0:4] : (tensor<8x4xi32>) -> tensor<2x4xi32>
  %reshaped_in0_2 = stablehlo.slice %a_s [4:6, 0:4] : (tensor<8x4xi32>) -> tensor<2x4xi32>
  %reshaped_in0_3 = stablehlo.slice %a_s [6:8, 0:4] : (tensor<8x4xi32>) -> tensor<2x4xi32>
  %reshaped:4 = "interpreter.run_parallel"(%reshaped_in0_0, %reshaped_in0_1, %reshaped_in0_2, %reshaped_in0_3) {
    programs = [[@parallel_reshaped, @parallel_reshaped, @parallel_reshaped, @parallel_reshaped]]
  } : (tensor<2x4xi32>, tensor<2x4xi32>, tensor<2x4xi32>, tensor<2x4xi32>)
    -> (tensor<4x2xi32>, tensor<4x2xi32>, tensor<4x2xi32>, tensor<4x2xi32>)
  %reshaped_want0_0 = stablehlo.slice %reshaped_want#0 [0:4, 0:2] : (tensor<4x8xi32>) -> tensor<4x2xi32>
  check.expect_eq %reshaped#0, %reshaped_want0_0 : tensor<4x2xi32>
  %reshaped_want0_1 = stablehlo.slice %reshaped_want#0 [0:4, 2:4] : (tensor<4x8xi32>) -> tensor<4x2xi32>
  check.expect_eq %reshaped#1, %reshaped_want0_1 : tensor<4x2xi32>
  %reshaped_want0_2 = stablehlo.slice %reshaped_want#0 [0:4, 4:6] : (tensor<4x8xi32>) -> tensor<4x2xi32>
  check.expect_eq %reshaped#2, %reshaped_want0_2 : tensor<4x2xi32>
  %reshaped_want0_3 = stablehlo.slice %reshaped_want#0 [0:4, 6:8] : (tensor<4x8xi32>) -> tensor<4x2xi32>
  check.expect_eq %reshaped#3, %reshaped_want0_3 : tensor<4x2xi32>
  return
}
