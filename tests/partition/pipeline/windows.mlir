// Windows over dimensions that are cut: convolution with padding, pooling with strides.
// RUN: env SDY_OPT=%out/tools/sdy_opt TESSERA=%out/tessera %root/tools/run_sdy_interpreter_test.sh %s %t
// RUN: env SDY_OPT=%out/tools/sdy_opt TESSERA=%out/tessera PARTITION='%out/tessera partition' %root/tools/run_sdy_interpreter_test.sh %s %t

//--- part1.mlir
sdy.mesh @m = <["x"=2, "y"=2]>

func.func @parallel_convolution(%a: tensor<1x8x8x2xi32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}, {"y"}, {}]>}, %k: tensor<3x3x2x2xi32>) -> (tensor<1x8x8x2xi32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}, {"y"}, {}]>}) {
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64, sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {"x"}, {"y"}, {}]>]>} : (tensor<1x8x8x2xi32>, tensor<3x3x2x2xi32>) -> tensor<1x8x8x2xi32>
  return %0 : tensor<1x8x8x2xi32>
}

func.func @parallel_strided(%a: tensor<1x8x8x2xi32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}, {}, {}]>}, %k: tensor<3x3x2x2xi32> {sdy.sharding = #sdy.sharding<@m, [{}, {}, {}, {"y"}]>}) -> (tensor<1x4x4x2xi32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}, {}, {"y"}]>}) {
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[0, 1], [0, 1]]}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64, sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {"x"}, {}, {"y"}]>]>} : (tensor<1x8x8x2xi32>, tensor<3x3x2x2xi32>) -> tensor<1x4x4x2xi32>
  return %0 : tensor<1x4x4x2xi32>
}

func.func @parallel_pooled(%a: tensor<1x8x8x2xi32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}, {"y"}, {}]>}) -> (tensor<1x4x4x2xi32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}, {"y"}, {}]>}) {
  %least = stablehlo.constant dense<-2147483648> : tensor<i32>
  %0 = "stablehlo.reduce_window"(%a, %least) <{
    window_dimensions = array<i64: 1, 3, 3, 1>, window_strides = array<i64: 1, 2, 2, 1>,
    padding = dense<[[0, 0], [1, 0], [0, 1], [0, 0]]> : tensor<4x2xi64>
  }> ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %g = stablehlo.maximum %x, %y : tensor<i32>
    stablehlo.return %g : tensor<i32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {"x"}, {"y"}, {}]>]>} : (tensor<1x8x8x2xi32>, tensor<i32>) -> tensor<1x4x4x2xi32>
  return %0 : tensor<1x4x4x2xi32>
}

//--- part2.mlir
func.func @main() {
  %a_flat = stablehlo.iota dim = 0 : tensor<128xi32>
  %a_all = stablehlo.reshape %a_flat : (tensor<128xi32>) -> tensor<1x8x8x2xi32>
  %a_sc = stablehlo.constant dense<40> : tensor<1x8x8x2xi32>
  %a_s = stablehlo.subtract %a_all, %a_sc : tensor<1x8x8x2xi32>
  %k_flat = stablehlo.iota dim = 0 : tensor<36xi32>
  %k_all = stablehlo.reshape %k_flat : (tensor<36xi32>) -> tensor<3x3x2x2xi32>
  %k_sc = stablehlo.constant dense<17> : tensor<3x3x2x2xi32>
  %k_s = stablehlo.subtract %k_all, %k_sc : tensor<3x3x2x2xi32>
  %convolution_want:1 = func.call @sequential_convolution(%a_s, %k_s) : (tensor<1x8x8x2xi32>, tensor<3x3x2x2xi32>) -> tensor<1x8x8x2xi32>
  %convolution_in0_0 = stablehlo.slice %a_s [0:1, 0:4, 0:4, 0:2] : (tensor<1x8x8x2xi32>) -> tensor<1x4x4x2xi32>
  %convolution_in0_1 = stablehlo.slice %a_s [0:1, 0:4, 4:8, 0:2] : (tensor<1x8x8x2xi32>) -> tensor<1x4x4x2xi32>
  %convolution_in0_2 = stablehlo.slice %a_s [0:1, 4:8, 0:4, 0:2] : (tensor<1x8x8x2xi32>) -> tensor<1x4x4x2xi32>
  %convolution_in0_3 = stablehlo.slice %a_s [0:1, 4:8, 4:8, 0:2] : (tensor<1x8x8x2xi32>) -> tensor<1x4x4x2xi32>
  %convolution:4 = "interpreter.run_parallel"(%convolution_in0_0, %k_s, %convolution_in0_1, %k_s, %convolution_in0_2, %k_s, %convolution_in0_3, %k_s) {
    programs = [[@parallel_convolution, @parallel_convolution, @parallel_convolution, @parallel_convolution]]
  } : (tensor<1x4x4x2xi32>, tensor<3x3x2x2xi32>, tensor<1x4x4x2xi32>, tensor<3x3x2x2xi32>, tensor<1x4x4x2xi32>, tensor<3x3x2x2xi32>, tensor<1x4x4x2xi32>, tensor<3x3x2x2xi32>)
    -> (tensor<1x4x4x2xi32>, tensor<1x4x4x2xi32>, tensor<1x4x4x2xi32>, tensor<1x4x4x2xi32>)
  %convolution_want0_0 = stablehlo.slice %convolution_want#0 [0:1, 0:4, 0:4, 0:2] : (tensor<1x8x8x2xi32>) -> tensor<1x4x4x2xi32>
  check.expect_eq %convolution#0, %convolution_want0_0 : tensor<1x4x4x2xi32>
  %convolution_want0_1 = stablehlo.slice %convolution_want#0 [0:1, 0:4, 4:8, 0:2] : (tensor<1x8x8x2xi32>) -> tensor<1x4x4x2xi32>
  check.expect_eq %convolution#1, %convolution_want0_1 : tensor<1x4x4x2xi32>
  %convolution_want0_2 = stablehlo.slice %convolution_want#0 [0:1, 4:8, 0:4, 0:2] : (tensor<1x8x8x2xi32>) -> tensor<1x4x4x2xi32>
  check.expect_eq %convolution#2, %convolution_want0_2 : tensor<1x4x4x2xi32>
  %convolution_want0_3 = stablehlo.slice %convolution_want#0 [0:1, 4:8, 4:8, 0:2] : (tensor<1x8x8x2xi32>) -> tensor<1x4x4x2xi32>
  check.expect_eq %convolution#3, %convolution_want0_3 : tensor<1x4x4x2xi32>
  %strided_want:1 = func.call @sequential_strided(%a_s, %k_s) : (tensor<1x8x8x2xi32>, tensor<3x3x2x2xi32>) -> tensor<1x4x4x2xi32>
  %strided_in0_0 = stablehlo.slice %a_s [0:1, 0:4, 0:8, 0:2] : (tensor<1x8x8x2xi32>) -> tensor<1x4x8x2xi32>
  %strided_in1_0 = stablehlo.slice %k_s [0:3, 0:3, 0:2, 0:1] : (tensor<3x3x2x2xi32>) -> tensor<3x3x2x1xi32>
  %strided_in0_1 = stablehlo.slice %a_s [0:1, 0:4, 0:8, 0:2] : (tensor<1x8x8x2xi32>) -> tensor<1x4x8x2xi32>
  %strided_in1_1 = stablehlo.slice %k_s [0:3, 0:3, 0:2, 1:2] : (tensor<3x3x2x2xi32>) -> tensor<3x3x2x1xi32>
  %strided_in0_2 = stablehlo.slice %a_s [0:1, 4:8, 0:8, 0:2] : (tensor<1x8x8x2xi32>) -> tensor<1x4x8x2xi32>
  %strided_in1_2 = stablehlo.slice %k_s [0:3, 0:3, 0:2, 0:1] : (tensor<3x3x2x2xi32>) -> tensor<3x3x2x1xi32>
  %strided_in0_3 = stablehlo.slice %a_s [0:1, 4:8, 0:8, 0:2] : (tensor<1x8x8x2xi32>) -> tensor<1x4x8x2xi32>
  %strided_in1_3 = stablehlo.slice %k_s [0:3, 0:3, 0:2, 1:2] : (tensor<3x3x2x2xi32>) -> tensor<3x3x2x1xi32>
  %strided:4 = "interpreter.run_parallel"(%strided_in0_0, %strided_in1_0, %strided_in0_1, %strided_in1_1, %strided_in0_2, %strided_in1_2, %strided_in0_3, %strided_in1_3) {
    programs = [[@parallel_strided, @parallel_strided, @parallel_strided, @parallel_strided]]
  } : (tensor<1x4x8x2xi32>, tensor<3x3x2x1xi32>, tensor<1x4x8x2xi32>, tensor<3x3x2x1xi32>, tensor<1x4x8x2xi32>, tensor<3x3x2x1xi32>, tensor<1x4x8x2xi32>, tensor<3x3x2x1xi32>)
    -> (tensor<1x2x4x1xi32>, tensor<1x2x4x1xi32>, tensor<1x2x4x1xi32>, tensor<1x2x4x1xi32>)
  %strided_want0_0 = stablehlo.slice %strided_want#0 [0:1, 0:2, 0:4, 0:1] : (tensor<1x4x4x2xi32>) -> tensor<1x2x4x1xi32>
  check.expect_eq %strided#0, %strided_want0_0 : tensor<1x2x4x1xi32>
  %strided_want0_1 = stablehlo.slice %strided_want#0 [0:1, 0:2, 0:4, 1:2] : (tensor<1x4x4x2xi32>) -> tensor<1x2x4x1xi32>
  check.expect_eq %strided#1, %strided_want0_1 : tensor<1x2x4x1xi32>
  %strided_want0_2 = stablehlo.slice %strided_want#0 [0:1, 2:4, 0:4, 0:1] : (tensor<1x4x4x2xi32>) -> tensor<1x2x4x1xi32>
  check.expect_eq %strided#2, %strided_want0_2 : tensor<1x2x4x1xi32>
  %strided_want0_3 = stablehlo.slice %strided_want#0 [0:1, 2:4, 0:4, 1:2] : (tensor<1x4x4x2xi32>) -> tensor<1x2x4x1xi32>
  check.expect_eq %strided#3, %strided_want0_3 : tensor<1x2x4x1xi32>
  %pooled_want:1 = func.call @sequential_pooled(%a_s) : (tensor<1x8x8x2xi32>) -> tensor<1x4x4x2xi32>
  %pooled_in0_0 = stablehlo.slice %a_s [0:1, 0:4, 0:4, 0:2] : (tensor<1x8x8x2xi32>) -> tensor<1x4x4x2xi32>
  %pooled_in0_1 = stablehlo.slice %a_s [0:1, 0:4, 4:8, 0:2] : (tensor<1x8x8x2xi32>) -> tensor<1x4x4x2xi32>
  %pooled_in0_2 = stablehlo.slice %a_s [0:1, 4:8, 0:4, 0:2] : (tensor<1x8x8x2xi32>) -> tensor<1x4x4x2xi32>
  %pooled_in0_3 = stablehlo.slice %a_s [0:1, 4:8, 4:8, 0:2] : (tensor<1x8x8x2xi32>) -> tensor<1x4x4x2xi32>
  %pooled:4 = "interpreter.run_parallel"(%pooled_in0_0, %pooled_in0_1, %pooled_in0_2, %pooled_in0_3) {
    programs = [[@parallel_pooled, @parallel_pooled, @parallel_pooled, @parallel_pooled]]
  } : (tensor<1x4x4x2xi32>, tensor<1x4x4x2xi32>, tensor<1x4x4x2xi32>, tensor<1x4x4x2xi32>)
    -> (tensor<1x2x2x2xi32>, tensor<1x2x2x2xi32>, tensor<1x2x2x2xi32>, tensor<1x2x2x2xi32>)
  %pooled_want0_0 = stablehlo.slice %pooled_want#0 [0:1, 0:2, 0:2, 0:2] : (tensor<1x4x4x2xi32>) -> tensor<1x2x2x2xi32>
  check.expect_eq %pooled#0, %pooled_want0_0 : tensor<1x2x2x2xi32>
  %pooled_want0_1 = stablehlo.slice %pooled_want#0 [0:1, 0:2, 2:4, 0:2] : (tensor<1x4x4x2xi32>) -> tensor<1x2x2x2xi32>
  check.expect_eq %pooled#1, %pooled_want0_1 : tensor<1x2x2x2xi32>
  %pooled_want0_2 = stablehlo.slice %pooled_want#0 [0:1, 2:4, 0:2, 0:2] : (tensor<1x4x4x2xi32>) -> tensor<1x2x2x2xi32>
  check.expect_eq %pooled#2, %pooled_want0_2 : tensor<1x2x2x2xi32>
  %pooled_want0_3 = stablehlo.slice %pooled_want#0 [0:1, 2:4, 2:4, 0:2] : (tensor<1x4x4x2xi32>) -> tensor<1x2x2x2xi32>
  check.expect_eq %pooled#3, %pooled_want0_3 : tensor<1x2x2x2xi32>
  return
}
