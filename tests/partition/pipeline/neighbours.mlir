// What moves along a dimension that is cut: shards read their neighbours.
// RUN: env SDY_OPT=%out/tools/sdy_opt TESSERA=%out/tessera %root/tools/run_sdy_interpreter_test.sh %s %t "--sdy-partitioner-pipeline=enable-halo-exchange=true"
// RUN: env SDY_OPT=%out/tools/sdy_opt TESSERA=%out/tessera %root/tools/run_sdy_interpreter_test.sh %s %t "--sdy-partitioner-pipeline=enable-halo-exchange=false"
// RUN: env SDY_OPT=%out/tools/sdy_opt TESSERA=%out/tessera PARTITION='%out/tessera partition' %root/tools/run_sdy_interpreter_test.sh %s %t

//--- part1.mlir
sdy.mesh @m = <["x"=4]>

// Rows 2 to 6 as four rows, one for each device.
func.func @parallel_shifted(%a: tensor<8x4xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> (tensor<4x4xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
  %0 = stablehlo.slice %a [2:6, 0:4] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<8x4xi32>) -> tensor<4x4xi32>
  return %0 : tensor<4x4xi32>
}

func.func @parallel_every_second(%a: tensor<8x4xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> (tensor<4x4xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
  %0 = stablehlo.slice %a [1:8:2, 0:4] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<8x4xi32>) -> tensor<4x4xi32>
  return %0 : tensor<4x4xi32>
}

func.func @parallel_padded(%a: tensor<8x4xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> (tensor<16x4xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
  %c = stablehlo.constant dense<-1> : tensor<i32>
  %0 = stablehlo.pad %a, %c, low = [3, 0], high = [-2, 0], interior = [1, 0] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<8x4xi32>, tensor<i32>) -> tensor<16x4xi32>
  return %0 : tensor<16x4xi32>
}

func.func @parallel_backwards(%a: tensor<8x4xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> (tensor<8x4xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
  %0 = stablehlo.reverse %a, dims = [0, 1] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : tensor<8x4xi32>
  return %0 : tensor<8x4xi32>
}

func.func @parallel_behind_each_other(%a: tensor<8x4xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %b: tensor<8x4xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> (tensor<16x4xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
  %0 = stablehlo.concatenate %a, %b, dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<8x4xi32>, tensor<8x4xi32>) -> tensor<16x4xi32>
  return %0 : tensor<16x4xi32>
}

//--- part2.mlir
func.func @main() {
  %a_flat = stablehlo.iota dim = 0 : tensor<32xi32>
  %a_all = stablehlo.reshape %a_flat : (tensor<32xi32>) -> tensor<8x4xi32>
  %b_flat = stablehlo.iota dim = 0 : tensor<32xi32>
  %b_all = stablehlo.reshape %b_flat : (tensor<32xi32>) -> tensor<8x4xi32>
  %b_sc = stablehlo.constant dense<100> : tensor<8x4xi32>
  %b_s = stablehlo.subtract %b_all, %b_sc : tensor<8x4xi32>
  %shifted_want:1 = func.call @sequential_shifted(%a_all) : (tensor<8x4xi32>) -> tensor<4x4xi32>
  %shifted_in0_0 = stablehlo.slice %a_all [0:2, 0:4] : (tensor<8x4xi32>) -> tensor<2x4xi32>
  %shifted_in0_1 = stablehlo.slice %a_all [2:4, 0:4] : (tensor<8x4xi32>) -> tensor<2x4xi32>
  %shifted_in0_2 = stablehlo.slice %a_all [4:6, 0:4] : (tensor<8x4xi32>) -> tensor<2x4xi32>
  %shifted_in0_3 = stablehlo.slice %a_all [6:8, 0:4] : (tensor<8x4xi32>) -> tensor<2x4xi32>
  %shifted:4 = "interpreter.run_parallel"(%shifted_in0_0, %shifted_in0_1, %shifted_in0_2, %shifted_in0_3) {
    programs = [[@parallel_shifted, @parallel_shifted, @parallel_shifted, @parallel_shifted]]
  } : (tensor<2x4xi32>, tensor<2x4xi32>, tensor<2x4xi32>, tensor<2x4xi32>)
    -> (tensor<1x4xi32>, tensor<1x4xi32>, tensor<1x4xi32>, tensor<1x4xi32>)
  %shifted_want0_0 = stablehlo.slice %shifted_want#0 [0:1, 0:4] : (tensor<4x4xi32>) -> tensor<1x4xi32>
  check.expect_eq %shifted#0, %shifted_want0_0 : tensor<1x4xi32>
  %shifted_want0_1 = stablehlo.slice %shifted_want#0 [1:2, 0:4] : (tensor<4x4xi32>) -> tensor<1x4xi32>
  check.expect_eq %shifted#1, %shifted_want0_1 : tensor<1x4xi32>
  %shifted_want0_2 = stablehlo.slice %shifted_want#0 [2:3, 0:4] : (tensor<4x4xi32>) -> tensor<1x4xi32>
  check.expect_eq %shifted#2, %shifted_want0_2 : tensor<1x4xi32>
  %shifted_want0_3 = stablehlo.slice %shifted_want#0 [3:4, 0:4] : (tensor<4x4xi32>) -> tensor<1x4xi32>
  check.expect_eq %shifted#3, %shifted_want0_3 : tensor<1x4xi32>
  %every_second_want:1 = func.call @sequential_every_second(%a_all) : (tensor<8x4xi32>) -> tensor<4x4xi32>
  %every_second_in0_0 = stablehlo.slice %a_all [0:2, 0:4] : (tensor<8x4xi32>) -> tensor<2x4xi32>
  %every_second_in0_1 = stablehlo.slice %a_all [2:4, 0:4] : (tensor<8x4xi32>) -> tensor<2x4xi32>
  %every_second_in0_2 = stablehlo.slice %a_all [4:6, 0:4] : (tensor<8x4xi32>) -> tensor<2x4xi32>
  %every_second_in0_3 = stablehlo.slice %a_all [6:8, 0:4] : (tensor<8x4xi32>) -> tensor<2x4xi32>
  %every_second:4 = "interpreter.run_parallel"(%every_second_in0_0, %every_second_in0_1, %every_second_in0_2, %every_second_in0_3) {
    programs = [[@parallel_every_second, @parallel_every_second, @parallel_every_second, @parallel_every_second]]
  } : (tensor<2x4xi32>, tensor<2x4xi32>, tensor<2x4xi32>, tensor<2x4xi32>)
    -> (tensor<1x4xi32>, tensor<1x4xi32>, tensor<1x4xi32>, tensor<1x4xi32>)
  %every_second_want0_0 = stablehlo.slice %every_second_want#0 [0:1, 0:4] : (tensor<4x4xi32>) -> tensor<1x4xi32>
  check.expect_eq %every_second#0, %every_second_want0_0 : tensor<1x4xi32>
  %every_second_want0_1 = stablehlo.slice %every_second_want#0 [1:2, 0:4] : (tensor<4x4xi32>) -> tensor<1x4xi32>
  check.expect_eq %every_second#1, %every_second_want0_1 : tensor<1x4xi32>
  %every_second_want0_2 = stablehlo.slice %every_second_want#0 [2:3, 0:4] : (tensor<4x4xi32>) -> tensor<1x4xi32>
  check.expect_eq %every_second#2, %every_second_want0_2 : tensor<1x4xi32>
  %every_second_want0_3 = stablehlo.slice %every_second_want#0 [3:4, 0:4] : (tensor<4x4xi32>) -> tensor<1x4xi32>
  check.expect_eq %every_second#3, %every_second_want0_3 : tensor<1x4xi32>
  %padded_want:1 = func.call @sequential_padded(%a_all) : (tensor<8x4xi32>) -> tensor<16x4xi32>
  %padded_in0_0 = stablehlo.slice %a_all [0:2, 0:4] : (tensor<8x4xi32>) -> tensor<2x4xi32>
  %padded_in0_1 = stablehlo.slice %a_all [2:4, 0:4] : (tensor<8x4xi32>) -> tensor<2x4xi32>
  %padded_in0_2 = stablehlo.slice %a_all [4:6, 0:4] : (tensor<8x4xi32>) -> tensor<2x4xi32>
  %padded_in0_3 = stablehlo.slice %a_all [6:8, 0:4] : (tensor<8x4xi32>) -> tensor<2x4xi32>
  %padded:4 = "interpreter.run_parallel"(%padded_in0_0, %padded_in0_1, %padded_in0_2, %padded_in0_3) {
    programs = [[@parallel_padded, @parallel_padded, @parallel_padded, @parallel_padded]]
  } : (tensor<2x4xi32>, tensor<2x4xi32>, tensor<2x4xi32>, tensor<2x4xi32>)
    -> (tensor<4x4xi32>, tensor<4x4xi32>, tensor<4x4xi32>, tensor<4x4xi32>)
  %padded_want0_0 = stablehlo.slice %padded_want#0 [0:4, 0:4] : (tensor<16x4xi32>) -> tensor<4x4xi32>
  check.expect_eq %padded#0, %padded_want0_0 : tensor<4x4xi32>
  %padded_want0_1 = stablehlo.slice %padded_want#0 [4:8, 0:4] : (tensor<16x4xi32>) -> tensor<4x4xi32>
  check.expect_eq %padded#1, %padded_want0_1 : tensor<4x4xi32>
  %padded_want0_2 = stablehlo.slice %padded_want#0 [8:12, 0:4] : (tensor<16x4xi32>) -> tensor<4x4xi32>
  check.expect_eq %padded#2, %padded_want0_2 : tensor<4x4xi32>
  %padded_want0_3 = stablehlo.slice %padded_want#0 [12:16, 0:4] : (tensor<16x4xi32>) -> tensor<4x4xi32>
  check.expect_eq %padded#3, %padded_want0_3 : tensor<4x4xi32>
  %backwards_want:1 = func.call @sequential_backwards(%a_all) : (tensor<8x4xi32>) -> tensor<8x4xi32>
  %backwards_in0_0 = stablehlo.slice %a_all [0:2, 0:4] : (tensor<8x4xi32>) -> tensor<2x4xi32>
  %backwards_in0_1 = stablehlo.slice %a_all [2:4, 0:4] : (tensor<8x4xi32>) -> tensor<2x4xi32>
  %backwards_in0_2 = stablehlo.slice %a_all [4:6, 0:4] : (tensor<8x4xi32>) -> tensor<2x4xi32>
  %backwards_in0_3 = stablehlo.slice %a_all [6:8, 0:4] : (tensor<8x4xi32>) -> tensor<2x4xi32>
  %backwards:4 = "interpreter.run_parallel"(%backwards_in0_0, %backwards_in0_1, %backwards_in0_2, %backwards_in0_3) {
    programs = [[@parallel_backwards, @parallel_backwards, @parallel_backwards, @parallel_backwards]]
  } : (tensor<2x4xi32>, tensor<2x4xi32>, tensor<2x4xi32>, tensor<2x4xi32>)
    -> (tensor<2x4xi32>, tensor<2x4xi32>, tensor<2x4xi32>, tensor<2x4xi32>)
  %backwards_want0_0 = stablehlo.slice %backwards_want#0 [0:2, 0:4] : (tensor<8x4xi32>) -> tensor<2x4xi32>
  check.expect_eq %backwards#0, %backwards_want0_0 : tensor<2x4xi32>
  %backwards_want0_1 = stablehlo.slice %backwards_want#0 [2:4, 0:4] : (tensor<8x4xi32>) -> tensor<2x4xi32>
  check.expect_eq %backwards#1, %backwards_want0_1 : tensor<2x4xi32>
  %backwards_want0_2 = stablehlo.slice %backwards_want#0 [4:6, 0:4] : (tensor<8x4xi32>) -> tensor<2x4xi32>
  check.expect_eq %backwards#2, %backwards_want0_2 : tensor<2x4xi32>
  %backwards_want0_3 = stablehlo.slice %backwards_want#0 [6:8, 0:4] : (tensor<8x4xi32>) -> tensor<2x4xi32>
  check.expect_eq %backwards#3, %backwards_want0_3 : tensor<2x4xi32>
  %behind_each_other_want:1 = func.call @sequential_behind_each_other(%a_all, %b_s) : (tensor<8x4xi32>, tensor<8x4xi32>) -> tensor<16x4xi32>
  %behind_each_other_in0_0 = stablehlo.slice %a_all [0:2, 0:4] : (tensor<8x4xi32>) -> tensor<2x4xi32>
  %behind_each_other_in1_0 = stablehlo.slice %b_s [0:2, 0:4] : (tensor<8x4xi32>) -> tensor<2x4xi32>
  %behind_each_other_in0_1 = stablehlo.slice %a_all [2:4, 0:4] : (tensor<8x4xi32>) -> tensor<2x4xi32>
  %behind_each_other_in1_1 = stablehlo.slice %b_s [2:4, 0:4] : (tensor<8x4xi32>) -> tensor<2x4xi32>
  %behind_each_other_in0_2 = stablehlo.slice %a_all [4:6, 0:4] : (tensor<8x4xi32>) -> tensor<2x4xi32>
  %behind_each_other_in1_2 = stablehlo.slice %b_s [4:6, 0:4] : (tensor<8x4xi32>) -> tensor<2x4xi32>
  %behind_each_other_in0_3 = stablehlo.slice %a_all [6:8, 0:4] : (tensor<8x4xi32>) -> tensor<2x4xi32>
  %behind_each_other_in1_3 = stablehlo.slice %b_s [6:8, 0:4] : (tensor<8x4xi32>) -> tensor<2x4xi32>
  %behind_each_other:4 = "interpreter.run_parallel"(%behind_each_other_in0_0, %behind_each_other_in1_0, %behind_each_other_in0_1, %behind_each_other_in1_1, %behind_each_other_in0_2, %behind_each_other_in1_2, %behind_each_other_in0_3, %behind_each_other_in1_3) {
    programs = [[@parallel_behind_each_other, @parallel_behind_each_other, @parallel_behind_each_other, @parallel_behind_each_other]]
  } : (tensor<2x4xi32>, tensor<2x4xi32>, tensor<2x4xi32>, tensor<2x4xi32>, tensor<2x4xi32>, tensor<2x4xi32>, tensor<2x4xi32>, tensor<2x4xi32>)
    -> (tensor<4x4xi32>, tensor<4x4xi32>, tensor<4x4xi32>, tensor<4x4xi32>)
  %behind_each_other_want0_0 = stablehlo.slice %behind_each_other_want#0 [0:4, 0:4] : (tensor<16x4xi32>) -> tensor<4x4xi32>
  check.expect_eq %behind_each_other#0, %behind_each_other_want0_0 : tensor<4x4xi32>
  %behind_each_other_want0_1 = stablehlo.slice %behind_each_other_want#0 [4:8, 0:4] : (tensor<16x4xi32>) -> tensor<4x4xi32>
  check.expect_eq %behind_each_other#1, %behind_each_other_want0_1 : tensor<4x4xi32>
  %behind_each_other_want0_2 = stablehlo.slice %behind_each_other_want#0 [8:12, 0:4] : (tensor<16x4xi32>) -> tensor<4x4xi32>
  check.expect_eq %behind_each_other#2, %behind_each_other_want0_2 : tensor<4x4xi32>
  %behind_each_other_want0_3 = stablehlo.slice %behind_each_other_want#0 [12:16, 0:4] : (tensor<16x4xi32>) -> tensor<4x4xi32>
  check.expect_eq %behind_each_other#3, %behind_each_other_want0_3 : tensor<4x4xi32>
  return
}
