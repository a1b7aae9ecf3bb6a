// Reshards as sdy's collectives, these as standard ones: every device has its tile of the same values.
// RUN: split-file %s %t
// RUN: sdy_opt %t/part1.mlir --sdy-reshard-to-collectives > %t/collectives.mlir
// RUN: FileCheck %s < %t/collectives.mlir
// RUN: sdy_opt %t/collectives.mlir --sdy-convert-global-to-local --sdy-drop-sharding-and-mesh > %t/local.mlir
// RUN: sdy_opt %t/part1.mlir --sdy-drop-sharding-and-mesh > %t/whole.mlir
// RUN: sed '1d; /^}/,$d' %t/local.mlir > %t/all.mlir
// RUN: sed '1d; /^}/,$d; s/@parallel_/@sequential_/g' %t/whole.mlir >> %t/all.mlir
// RUN: cat %t/part2.mlir >> %t/all.mlir
// RUN: tessera check %t/all.mlir

// CHECK-LABEL: @parallel_whole_to_cut
// CHECK: sdy.all_slice [{"x"}, {"y", "z"}] %arg0 out_sharding=<@m, [{"x"}, {"y", "z"}]>
// CHECK-LABEL: @parallel_cut_to_whole
// CHECK: sdy.all_gather [{"x", "y"}, {"z"}] %arg0 out_sharding=<@m, [{}, {}]>
// CHECK-LABEL: @parallel_other_dim
// CHECK: sdy.all_to_all [{"x"}: 0->1] %arg0 out_sharding=<@m, [{}, {"x"}]>
// CHECK-LABEL: @parallel_order
// CHECK: sdy.collective_permute %arg0 out_sharding=<@m, [{"z", "x", "y"}, {}]>
// CHECK-LABEL: @parallel_sum
// CHECK: do {
// CHECK-NOT: sdy.all_slice
// CHECK: }
// CHECK-NOT: sdy.reshard

//--- part1.mlir
sdy.mesh @m = <["x"=2, "y"=2, "z"=2]>

func.func @parallel_whole_to_cut(%a: tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@m, [{}, {}]>}) -> (tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y", "z"}]>}) {
  %0 = sdy.reshard %a <@m, [{"x"}, {"y", "z"}]> : tensor<8x8xi32>
  return %0 : tensor<8x8xi32>
}

func.func @parallel_cut_to_whole(%a: tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@m, [{"x", "y"}, {"z"}]>}) -> (tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@m, [{}, {}]>}) {
  %0 = sdy.reshard %a <@m, [{}, {}]> : tensor<8x8xi32>
  return %0 : tensor<8x8xi32>
}

func.func @parallel_other_dim(%a: tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> (tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>}) {
  %0 = sdy.reshard %a <@m, [{}, {"x"}]> : tensor<8x8xi32>
  return %0 : tensor<8x8xi32>
}

func.func @parallel_both_ways(%a: tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}) -> (tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@m, [{"y"}, {"x"}]>}) {
  %0 = sdy.reshard %a <@m, [{"y"}, {"x"}]> : tensor<8x8xi32>
  return %0 : tensor<8x8xi32>
}

func.func @parallel_order(%a: tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@m, [{"x", "y", "z"}, {}]>}) -> (tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@m, [{"z", "x", "y"}, {}]>}) {
  %0 = sdy.reshard %a <@m, [{"z", "x", "y"}, {}]> : tensor<8x8xi32>
  return %0 : tensor<8x8xi32>
}

func.func @parallel_part_stays(%a: tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@m, [{"x", "y"}, {}]>}) -> (tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}) {
  %0 = sdy.reshard %a <@m, [{"x"}, {"y"}]> : tensor<8x8xi32>
  return %0 : tensor<8x8xi32>
}

func.func @parallel_exchange_and_gather(%a: tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@m, [{"x", "y"}, {"z"}]>}) -> (tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@m, [{}, {"z", "x"}]>}) {
  %0 = sdy.reshard %a <@m, [{}, {"z", "x"}]> : tensor<8x8xi32>
  return %0 : tensor<8x8xi32>
}

func.func @parallel_replace(%a: tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> (tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@m, [{"z"}, {}]>}) {
  %0 = sdy.reshard %a <@m, [{"z"}, {}]> : tensor<8x8xi32>
  return %0 : tensor<8x8xi32>
}

func.func @parallel_all(%a: tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@m, [{"y", "x"}, {"z"}]>}) -> (tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@m, [{"z"}, {"x", "y"}]>}) {
  %0 = sdy.reshard %a <@m, [{"z"}, {"x", "y"}]> : tensor<8x8xi32>
  return %0 : tensor<8x8xi32>
}

// Parts of a sum, with a loop around: what it carries says what is resharded.
func.func @parallel_sum(%a: tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}) -> (tensor<8xi32> {sdy.sharding = #sdy.sharding<@m, [{"y"}]>}) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %l:2 = stablehlo.while(%v = %a, %i = %zero) : tensor<8x8xi32>, tensor<i32>
      attributes {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {"y"}]>, <@m, []>]>}
    cond {
      %c = stablehlo.compare LT, %i, %two : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %w = sdy.reshard %v <@m, [{"y"}, {"x"}]> : tensor<8x8xi32>
      %t = stablehlo.transpose %w, dims = [1, 0] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {"y"}]>]>} : (tensor<8x8xi32>) -> tensor<8x8xi32>
      %s = stablehlo.add %v, %t {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {"y"}]>]>} : tensor<8x8xi32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %s, %j : tensor<8x8xi32>, tensor<i32>
    }
  %r = stablehlo.reduce(%l#0 init: %zero) applies stablehlo.add across dimensions = [1] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}], unreduced={"y"}>]>} : (tensor<8x8xi32>, tensor<i32>) -> tensor<8xi32>
  %s = sdy.reshard %r <@m, [{"y"}]> : tensor<8xi32>
  return %s : tensor<8xi32>
}

//--- part2.mlir
func.func @main() {
  %a_flat = stablehlo.iota dim = 0 : tensor<64xi32>
  %a_all = stablehlo.reshape %a_flat : (tensor<64xi32>) -> tensor<8x8xi32>
  %whole_to_cut_want:1 = func.call @sequential_whole_to_cut(%a_all) : (tensor<8x8xi32>) -> tensor<8x8xi32>
  %whole_to_cut:8 = "interpreter.run_parallel"(%a_all, %a_all, %a_all, %a_all, %a_all, %a_all, %a_all, %a_all) {
    programs = [[@parallel_whole_to_cut, @parallel_whole_to_cut, @parallel_whole_to_cut, @parallel_whole_to_cut, @parallel_whole_to_cut, @parallel_whole_to_cut, @parallel_whole_to_cut, @parallel_whole_to_cut]]
  } : (tensor<8x8xi32>, tensor<8x8xi32>, tensor<8x8xi32>, tensor<8x8xi32>, tensor<8x8xi32>, tensor<8x8xi32>, tensor<8x8xi32>, tensor<8x8xi32>)
    -> (tensor<4x2xi32>, tensor<4x2xi32>, tensor<4x2xi32>, tensor<4x2xi32>, tensor<4x2xi32>, tensor<4x2xi32>, tensor<4x2xi32>, tensor<4x2xi32>)
  %whole_to_cut_want0_0 = stablehlo.slice %whole_to_cut_want#0 [0:4, 0:2] : (tensor<8x8xi32>) -> tensor<4x2xi32>
  check.expect_eq %whole_to_cut#0, %whole_to_cut_want0_0 : tensor<4x2xi32>
  %whole_to_cut_want0_1 = stablehlo.slice %whole_to_cut_want#0 [0:4, 2:4] : (tensor<8x8xi32>) -> tensor<4x2xi32>
  check.expect_eq %whole_to_cut#1, %whole_to_cut_want0_1 : tensor<4x2xi32>
  %whole_to_cut_want0_2 = stablehlo.slice %whole_to_cut_want#0 [0:4, 4:6] : (tensor<8x8xi32>) -> tensor<4x2xi32>
  check.expect_eq %whole_to_cut#2, %whole_to_cut_want0_2 : tensor<4x2xi32>
  %whole_to_cut_want0_3 = stablehlo.slice %whole_to_cut_want#0 [0:4, 6:8] : (tensor<8x8xi32>) -> tensor<4x2xi32>
  check.expect_eq %whole_to_cut#3, %whole_to_cut_want0_3 : tensor<4x2xi32>
  %whole_to_cut_want0_4 = stablehlo.slice %whole_to_cut_want#0 [4:8, 0:2] : (tensor<8x8xi32>) -> tensor<4x2xi32>
  check.expect_eq %whole_to_cut#4, %whole_to_cut_want0_4 : tensor<4x2xi32>
  %whole_to_cut_want0_5 = stablehlo.slice %whole_to_cut_want#0 [4:8, 2:4] : (tensor<8x8xi32>) -> tensor<4x2xi32>
  check.expect_eq %whole_to_cut#5, %whole_to_cut_want0_5 : tensor<4x2xi32>
  %whole_to_cut_want0_6 = stablehlo.slice %whole_to_cut_want#0 [4:8, 4:6] : (tensor<8x8xi32>) -> tensor<4x2xi32>
  check.expect_eq %whole_to_cut#6, %whole_to_cut_want0_6 : tensor<4x2xi32>
  %whole_to_cut_want0_7 = stablehlo.slice %whole_to_cut_want#0 [4:8, 6:8] : (tensor<8x8xi32>) -> tensor<4x2xi32>
  check.expect_eq %whole_to_cut#7, %whole_to_cut_want0_7 : tensor<4x2xi32>
  %cut_to_whole_want:1 = func.call @sequential_cut_to_whole(%a_all) : (tensor<8x8xi32>) -> tensor<8x8xi32>
  %cut_to_whole_in0_0 = stablehlo.slice %a_all [0:2, 0:4] : (tensor<8x8xi32>) -> tensor<2x4xi32>
  %cut_to_whole_in0_1 = stablehlo.slice %a_all [0:2, 4:8] : (tensor<8x8xi32>) -> tensor<2x4xi32>
  %cut_to_whole_in0_2 = stablehlo.slice %a_all [2:4, 0:4] : (tensor<8x8xi32>) -> tensor<2x4xi32>
  %cut_to_whole_in0_3 = stablehlo.slice %a_all [2:4, 4:8] : (tensor<8x8xi32>) -> tensor<2x4xi32>
  %cut_to_whole_in0_4 = stablehlo.slice %a_all [4:6, 0:4] : (tensor<8x8xi32>) -> tensor<2x4xi32>
  %cut_to_whole_in0_5 = stablehlo.slice %a_all [4:6, 4:8] : (tensor<8x8xi32>) -> tensor<2x4xi32>
  %cut_to_whole_in0_6 = stablehlo.slice %a_all [6:8, 0:4] : (tensor<8x8xi32>) -> tensor<2x4xi32>
  %cut_to_whole_in0_7 = stablehlo.slice %a_all [6:8, 4:8] : (tensor<8x8xi32>) -> tensor<2x4xi32>
  %cut_to_whole:8 = "interpreter.run_parallel"(%cut_to_whole_in0_0, %cut_to_whole_in0_1, %cut_to_whole_in0_2, %cut_to_whole_in0_3, %cut_to_whole_in0_4, %cut_to_whole_in0_5, %cut_to_whole_in0_6, %cut_to_whole_in0_7) {
    programs = [[@parallel_cut_to_whole, @parallel_cut_to_whole, @parallel_cut_to_whole, @parallel_cut_to_whole, @parallel_cut_to_whole, @parallel_cut_to_whole, @parallel_cut_to_whole, @parallel_cut_to_whole]]
  } : (tensor<2x4xi32>, tensor<2x4xi32>, tensor<2x4xi32>, tensor<2x4xi32>, tensor<2x4xi32>, tensor<2x4xi32>, tensor<2x4xi32>, tensor<2x4xi32>)
    -> (tensor<8x8xi32>, tensor<8x8xi32>, tensor<8x8xi32>, tensor<8x8xi32>, tensor<8x8xi32>, tensor<8x8xi32>, tensor<8x8xi32>, tensor<8x8xi32>)
  check.expect_eq %cut_to_whole#0, %cut_to_whole_want#0 : tensor<8x8xi32>
  check.expect_eq %cut_to_whole#1, %cut_to_whole_want#0 : tensor<8x8xi32>
  check.expect_eq %cut_to_whole#2, %cut_to_whole_want#0 : tensor<8x8xi32>
  check.expect_eq %cut_to_whole#3, %cut_to_whole_want#0 : tensor<8x8xi32>
  check.expect_eq %cut_to_whole#4, %cut_to_whole_want#0 : tensor<8x8xi32>
  check.expect_eq %cut_to_whole#5, %cut_to_whole_want#0 : tensor<8x8xi32>
  check.expect_eq %cut_to_whole#6, %cut_to_whole_want#0 : tensor<8x8xi32>
  check.expect_eq %cut_to_whole#7, %cut_to_whole_want#0 : tensor<8x8xi32>
  %other_dim_want:1 = func.call @sequential_other_dim(%a_all) : (tensor<8x8xi32>) -> tensor<8x8xi32>
  %other_dim_in0_0 = stablehlo.slice %a_all [0:4, 0:8] : (tensor<8x8xi32>) -> tensor<4x8xi32>
  %other_dim_in0_1 = stablehlo.slice %a_all [0:4, 0:8] : (tensor<8x8xi32>) -> tensor<4x8xi32>
  %other_dim_in0_2 = stablehlo.slice %a_all [0:4, 0:8] : (tensor<8x8xi32>) -> tensor<4x8xi32>
  %other_dim_in0_3 = stablehlo.slice %a_all [0:4, 0:8] : (tensor<8x8xi32>) -> tensor<4x8xi32>
  %other_dim_in0_4 = stablehlo.slice %a_all [4:8, 0:8] : (tensor<8x8xi32>) -> tensor<4x8xi32>
  %other_dim_in0_5 = stablehlo.slice %a_all [4:8, 0:8] : (tensor<8x8xi32>) -> tensor<4x8xi32>
  %other_dim_in0_6 = stablehlo.slice %a_all [4:8, 0:8] : (tensor<8x8xi32>) -> tensor<4x8xi32>
  %other_dim_in0_7 = stablehlo.slice %a_all [4:8, 0:8] : (tensor<8x8xi32>) -> tensor<4x8xi32>
  %other_dim:8 = "interpreter.run_parallel"(%other_dim_in0_0, %other_dim_in0_1, %other_dim_in0_2, %other_dim_in0_3, %other_dim_in0_4, %other_dim_in0_5, %other_dim_in0_6, %other_dim_in0_7) {
    programs = [[@parallel_other_dim, @parallel_other_dim, @parallel_other_dim, @parallel_other_dim, @parallel_other_dim, @parallel_other_dim, @parallel_other_dim, @parallel_other_dim]]
  } : (tensor<4x8xi32>, tensor<4x8xi32>, tensor<4x8xi32>, tensor<4x8xi32>, tensor<4x8xi32>, tensor<4x8xi32>, tensor<4x8xi32>, tensor<4x8xi32>)
    -> (tensor<8x4xi32>, tensor<8x4xi32>, tensor<8x4xi32>, tensor<8x4xi32>, tensor<8x4xi32>, tensor<8x4xi32>, tensor<8x4xi32>, tensor<8x4xi32>)
  %other_dim_want0_0 = stablehlo.slice %other_dim_want#0 [0:8, 0:4] : (tensor<8x8xi32>) -> tensor<8x4xi32>
  check.expect_eq %other_dim#0, %other_dim_want0_0 : tensor<8x4xi32>
  %other_dim_want0_1 = stablehlo.slice %other_dim_want#0 [0:8, 0:4] : (tensor<8x8xi32>) -> tensor<8x4xi32>
  check.expect_eq %other_dim#1, %other_dim_want0_1 : tensor<8x4xi32>
  %other_dim_want0_2 = stablehlo.slice %other_dim_want#0 [0:8, 0:4] : (tensor<8x8xi32>) -> tensor<8x4xi32>
  check.expect_eq %other_dim#2, %other_dim_want0_2 : tensor<8x4xi32>
  %other_dim_want0_3 = stablehlo.slice %other_dim_want#0 [0:8, 0:4] : (tensor<8x8xi32>) -> tensor<8x4xi32>
  check.expect_eq %other_dim#3, %other_dim_want0_3 : tensor<8x4xi32>
  %other_dim_want0_4 = stablehlo.slice %other_dim_want#0 [0:8, 4:8] : (tensor<8x8xi32>) -> tensor<8x4xi32>
  check.expect_eq %other_dim#4, %other_dim_want0_4 : tensor<8x4xi32>
  %other_dim_want0_5 = stablehlo.slice %other_dim_want#0 [0:8, 4:8] : (tensor<8x8xi32>) -> tensor<8x4xi32>
  check.expect_eq %other_dim#5, %other_dim_want0_5 : tensor<8x4xi32>
  %other_dim_want0_6 = stablehlo.slice %other_dim_want#0 [0:8, 4:8] : (tensor<8x8xi32>) -> tensor<8x4xi32>
  check.expect_eq %other_dim#6, %other_dim_want0_6 : tensor<8x4xi32>
  %other_dim_want0_7 = stablehlo.slice %other_dim_want#0 [0:8, 4:8] : (tensor<8x8xi32>) -> tensor<8x4xi32>
  check.expect_eq %other_dim#7, %other_dim_want0_7 : tensor<8x4xi32>
  %both_ways_want:1 = func.call @sequential_both_ways(%a_all) : (tensor<8x8xi32>) -> tensor<8x8xi32>
  %both_ways_in0_0 = stablehlo.slice %a_all [0:4, 0:4] : (tensor<8x8xi32>) -> tensor<4x4xi32>
  %both_ways_in0_1 = stablehlo.slice %a_all [0:4, 0:4] : (tensor<8x8xi32>) -> tensor<4x4xi32>
  %both_ways_in0_2 = stablehlo.slice %a_all [0:4, 4:8] : (tensor<8x8xi32>) -> tensor<4x4xi32>
  %both_ways_in0_3 = stablehlo.slice %a_all [0:4, 4:8] : (tensor<8x8xi32>) -> tensor<4x4xi32>
  %both_ways_in0_4 = stablehlo.slice %a_all [4:8, 0:4] : (tensor<8x8xi32>) -> tensor<4x4xi32>
  %both_ways_in0_5 = stablehlo.slice %a_all [4:8, 0:4] : (tensor<8x8xi32>) -> tensor<4x4xi32>
  %both_ways_in0_6 = stablehlo.slice %a_all [4:8, 4:8] : (tensor<8x8xi32>) -> tensor<4x4xi32>
  %both_ways_in0_7 = stablehlo.slice %a_all [4:8, 4:8] : (tensor<8x8xi32>) -> tensor<4x4xi32>
  %both_ways:8 = "interpreter.run_parallel"(%both_ways_in0_0, %both_ways_in0_1, %both_ways_in0_2, %both_ways_in0_3, %both_ways_in0_4, %both_ways_in0_5, %both_ways_in0_6, %both_ways_in0_7) {
    programs = [[@parallel_both_ways, @parallel_both_ways, @parallel_both_ways, @parallel_both_ways, @parallel_both_ways, @parallel_both_ways, @parallel_both_ways, @parallel_both_ways]]
  } : (tensor<4x4xi32>, tensor<4x4xi32>, tensor<4x4xi32>, tensor<4x4xi32>, tensor<4x4xi32>, tensor<4x4xi32>, tensor<4x4xi32>, tensor<4x4xi32>)
    -> (tensor<4x4xi32>, tensor<4x4xi32>, tensor<4x4xi32>, tensor<4x4xi32>, tensor<4x4xi32>, tensor<4x4xi32>, tensor<4x4xi32>, tensor<4x4xi32>)
  %both_ways_want0_0 = stablehlo.slice %both_ways_want#0 [0:4, 0:4] : (tensor<8x8xi32>) -> tensor<4x4xi32>
  check.expect_eq %both_ways#0, %both_ways_want0_0 : tensor<4x4xi32>
  %both_ways_want0_1 = stablehlo.slice %both_ways_want#0 [0:4, 0:4] : (tensor<8x8xi32>) -> tensor<4x4xi32>
  check.expect_eq %both_ways#1, %both_ways_want0_1 : tensor<4x4xi32>
  %both_ways_want0_2 = stablehlo.slice %both_ways_want#0 [4:8, 0:4] : (tensor<8x8xi32>) -> tensor<4x4xi32>
  check.expect_eq %both_ways#2, %both_ways_want0_2 : tensor<4x4xi32>
  %both_ways_want0_3 = stablehlo.slice %both_ways_want#0 [4:8, 0:4] : (tensor<8x8xi32>) -> tensor<4x4xi32>
  check.expect_eq %both_ways#3, %both_ways_want0_3 : tensor<4x4xi32>
  %both_ways_want0_4 = stablehlo.slice %both_ways_want#0 [0:4, 4:8] : (tensor<8x8xi32>) -> tensor<4x4xi32>
  check.expect_eq %both_ways#4, %both_ways_want0_4 : tensor<4x4xi32>
  %both_ways_want0_5 = stablehlo.slice %both_ways_want#0 [0:4, 4:8] : (tensor<8x8xi32>) -> tensor<4x4xi32>
  check.expect_eq %both_ways#5, %both_ways_want0_5 : tensor<4x4xi32>
  %both_ways_want0_6 = stablehlo.slice %both_ways_want#0 [4:8, 4:8] : (tensor<8x8xi32>) -> tensor<4x4xi32>
  check.expect_eq %both_ways#6, %both_ways_want0_6 : tensor<4x4xi32>
  %both_ways_want0_7 = stablehlo.slice %both_ways_want#0 [4:8, 4:8] : (tensor<8x8xi32>) -> tensor<4x4xi32>
  check.expect_eq %both_ways#7, %both_ways_want0_7 : tensor<4x4xi32>
  %order_want:1 = func.call @sequential_order(%a_all) : (tensor<8x8xi32>) -> tensor<8x8xi32>
  %order_in0_0 = stablehlo.slice %a_all [0:1, 0:8] : (tensor<8x8xi32>) -> tensor<1x8xi32>
  %order_in0_1 = stablehlo.slice %a_all [1:2, 0:8] : (tensor<8x8xi32>) -> tensor<1x8xi32>
  %order_in0_2 = stablehlo.slice %a_all [2:3, 0:8] : (tensor<8x8xi32>) -> tensor<1x8xi32>
  %order_in0_3 = stablehlo.slice %a_all [3:4, 0:8] : (tensor<8x8xi32>) -> tensor<1x8xi32>
  %order_in0_4 = stablehlo.slice %a_all [4:5, 0:8] : (tensor<8x8xi32>) -> tensor<1x8xi32>
  %order_in0_5 = stablehlo.slice %a_all [5:6, 0:8] : (tensor<8x8xi32>) -> tensor<1x8xi32>
  %order_in0_6 = stablehlo.slice %a_all [6:7, 0:8] : (tensor<8x8xi32>) -> tensor<1x8xi32>
  %order_in0_7 = stablehlo.slice %a_all [7:8, 0:8] : (tensor<8x8xi32>) -> tensor<1x8xi32>
  %order:8 = "interpreter.run_parallel"(%order_in0_0, %order_in0_1, %order_in0_2, %order_in0_3, %order_in0_4, %order_in0_5, %order_in0_6, %order_in0_7) {
    programs = [[@parallel_order, @parallel_order, @parallel_order, @parallel_order, @parallel_order, @parallel_order, @parallel_order, @parallel_order]]
  } : (tensor<1x8xi32>, tensor<1x8xi32>, tensor<1x8xi32>, tensor<1x8xi32>, tensor<1x8xi32>, tensor<1x8xi32>, tensor<1x8xi32>, tensor<1x8xi32>)
    -> (tensor<1x8xi32>, tensor<1x8xi32>, tensor<1x8xi32>, tensor<1x8xi32>, tensor<1x8xi32>, tensor<1x8xi32>, tensor<1x8xi32>, tensor<1x8xi32>)
  %order_want0_0 = stablehlo.slice %order_want#0 [0:1, 0:8] : (tensor<8x8xi32>) -> tensor<1x8xi32>
  check.expect_eq %order#0, %order_want0_0 : tensor<1x8xi32>
  %order_want0_1 = stablehlo.slice %order_want#0 [4:5, 0:8] : (tensor<8x8xi32>) -> tensor<1x8xi32>
  check.expect_eq %order#1, %order_want0_1 : tensor<1x8xi32>
  %order_want0_2 = stablehlo.slice %order_want#0 [1:2, 0:8] : (tensor<8x8xi32>) -> tensor<1x8xi32>
  check.expect_eq %order#2, %order_want0_2 : tensor<1x8xi32>
  %order_want0_3 = stablehlo.slice %order_want#0 [5:6, 0:8] : (tensor<8x8xi32>) -> tensor<1x8xi32>
  check.expect_eq %order#3, %order_want0_3 : tensor<1x8xi32>
  %order_want0_4 = stablehlo.slice %order_want#0 [2:3, 0:8] : (tensor<8x8xi32>) -> tensor<1x8xi32>
  check.expect_eq %order#4, %order_want0_4 : tensor<1x8xi32>
  %order_want0_5 = stablehlo.slice %order_want#0 [6:7, 0:8] : (tensor<8x8xi32>) -> tensor<1x8xi32>
  check.expect_eq %order#5, %order_want0_5 : tensor<1x8xi32>
  %order_want0_6 = stablehlo.slice %order_want#0 [3:4, 0:8] : (tensor<8x8xi32>) -> tensor<1x8xi32>
  check.expect_eq %order#6, %order_want0_6 : tensor<1x8xi32>
  %order_want0_7 = stablehlo.slice %order_want#0 [7:8, 0:8] : (tensor<8x8xi32>) -> tensor<1x8xi32>
  check.expect_eq %order#7, %order_want0_7 : tensor<1x8xi32>
  %part_stays_want:1 = func.call @sequential_part_stays(%a_all) : (tensor<8x8xi32>) -> tensor<8x8xi32>
  %part_stays_in0_0 = stablehlo.slice %a_all [0:2, 0:8] : (tensor<8x8xi32>) -> tensor<2x8xi32>
  %part_stays_in0_1 = stablehlo.slice %a_all [0:2, 0:8] : (tensor<8x8xi32>) -> tensor<2x8xi32>
  %part_stays_in0_2 = stablehlo.slice %a_all [2:4, 0:8] : (tensor<8x8xi32>) -> tensor<2x8xi32>
  %part_stays_in0_3 = stablehlo.slice %a_all [2:4, 0:8] : (tensor<8x8xi32>) -> tensor<2x8xi32>
  %part_stays_in0_4 = stablehlo.slice %a_all [4:6, 0:8] : (tensor<8x8xi32>) -> tensor<2x8xi32>
  %part_stays_in0_5 = stablehlo.slice %a_all [4:6, 0:8] : (tensor<8x8xi32>) -> tensor<2x8xi32>
  %part_stays_in0_6 = stablehlo.slice %a_all [6:8, 0:8] : (tensor<8x8xi32>) -> tensor<2x8xi32>
  %part_stays_in0_7 = stablehlo.slice %a_all [6:8, 0:8] : (tensor<8x8xi32>) -> tensor<2x8xi32>
  %part_stays:8 = "interpreter.run_parallel"(%part_stays_in0_0, %part_stays_in0_1, %part_stays_in0_2, %part_stays_in0_3, %part_stays_in0_4, %part_stays_in0_5, %part_stays_in0_6, %part_stays_in0_7) {
    programs = [[@parallel_part_stays, @parallel_part_stays, @parallel_part_stays, @parallel_part_stays, @parallel_part_stays, @parallel_part_stays, @parallel_part_stays, @parallel_part_stays]]
  } : (tensor<2x8xi32>, tensor<2x8xi32>, tensor<2x8xi32>, tensor<2x8xi32>, tensor<2x8xi32>, tensor<2x8xi32>, tensor<2x8xi32>, tensor<2x8xi32>)
    -> (tensor<4x4xi32>, tensor<4x4xi32>, tensor<4x4xi32>, tensor<4x4xi32>, tensor<4x4xi32>, tensor<4x4xi32>, tensor<4x4xi32>, tensor<4x4xi32>)
  %part_stays_want0_0 = stablehlo.slice %part_stays_want#0 [0:4, 0:4] : (tensor<8x8xi32>) -> tensor<4x4xi32>
  check.expect_eq %part_stays#0, %part_stays_want0_0 : tensor<4x4xi32>
  %part_stays_want0_1 = stablehlo.slice %part_stays_want#0 [0:4, 0:4] : (tensor<8x8xi32>) -> tensor<4x4xi32>
  check.expect_eq %part_stays#1, %part_stays_want0_1 : tensor<4x4xi32>
  %part_stays_want0_2 = stablehlo.slice %part_stays_want#0 [0:4, 4:8] : (tensor<8x8xi32>) -> tensor<4x4xi32>
  check.expect_eq %part_stays#2, %part_stays_want0_2 : tensor<4x4xi32>
  %part_stays_want0_3 = stablehlo.slice %part_stays_want#0 [0:4, 4:8] : (tensor<8x8xi32>) -> tensor<4x4xi32>
  check.expect_eq %part_stays#3, %part_stays_want0_3 : tensor<4x4xi32>
  %part_stays_want0_4 = stablehlo.slice %part_stays_want#0 [4:8, 0:4] : (tensor<8x8xi32>) -> tensor<4x4xi32>
  check.expect_eq %part_stays#4, %part_stays_want0_4 : tensor<4x4xi32>
  %part_stays_want0_5 = stablehlo.slice %part_stays_want#0 [4:8, 0:4] : (tensor<8x8xi32>) -> tensor<4x4xi32>
  check.expect_eq %part_stays#5, %part_stays_want0_5 : tensor<4x4xi32>
  %part_stays_want0_6 = stablehlo.slice %part_stays_want#0 [4:8, 4:8] : (tensor<8x8xi32>) -> tensor<4x4xi32>
  check.expect_eq %part_stays#6, %part_stays_want0_6 : tensor<4x4xi32>
  %part_stays_want0_7 = stablehlo.slice %part_stays_want#0 [4:8, 4:8] : (tensor<8x8xi32>) -> tensor<4x4xi32>
  check.expect_eq %part_stays#7, %part_stays_want0_7 : tensor<4x4xi32>
  %exchange_and_gather_want:1 = func.call @sequential_exchange_and_gather(%a_all) : (tensor<8x8xi32>) -> tensor<8x8xi32>
  %exchange_and_gather_in0_0 = stablehlo.slice %a_all [0:2, 0:4] : (tensor<8x8xi32>) -> tensor<2x4xi32>
  %exchange_and_gather_in0_1 = stablehlo.slice %a_all [0:2, 4:8] : (tensor<8x8xi32>) -> tensor<2x4xi32>
  %exchange_and_gather_in0_2 = stablehlo.slice %a_all [2:4, 0:4] : (tensor<8x8xi32>) -> tensor<2x4xi32>
  %exchange_and_gather_in0_3 = stablehlo.slice %a_all [2:4, 4:8] : (tensor<8x8xi32>) -> tensor<2x4xi32>
  %exchange_and_gather_in0_4 = stablehlo.slice %a_all [4:6, 0:4] : (tensor<8x8xi32>) -> tensor<2x4xi32>
  %exchange_and_gather_in0_5 = stablehlo.slice %a_all [4:6, 4:8] : (tensor<8x8xi32>) -> tensor<2x4xi32>
  %exchange_and_gather_in0_6 = stablehlo.slice %a_all [6:8, 0:4] : (tensor<8x8xi32>) -> tensor<2x4xi32>
  %exchange_and_gather_in0_7 = stablehlo.slice %a_all [6:8, 4:8] : (tensor<8x8xi32>) -> tensor<2x4xi32>
  %exchange_and_gather:8 = "interpreter.run_parallel"(%exchange_and_gather_in0_0, %exchange_and_gather_in0_1, %exchange_and_gather_in0_2, %exchange_and_gather_in0_3, %exchange_and_gather_in0_4, %exchange_and_gather_in0_5, %exchange_and_gather_in0_6, %exchange_and_gather_in0_7) {
    programs = [[@parallel_exchange_and_gather, @parallel_exchange_and_gather, @parallel_exchange_and_gather, @parallel_exchange_and_gather, @parallel_exchange_and_gather, @parallel_exchange_and_gather, @parallel_exchange_and_gather, @parallel_exchange_and_gather]]
  } : (tensor<2x4xi32>, tensor<2x4xi32>, tensor<2x4xi32>, tensor<2x4xi32>, tensor<2x4xi32>, tensor<2x4xi32>, tensor<2x4xi32>, tensor<2x4xi32>)
    -> (tensor<8x2xi32>, tensor<8x2xi32>, tensor<8x2xi32>, tensor<8x2xi32>, tensor<8x2xi32>, tensor<8x2xi32>, tensor<8x2xi32>, tensor<8x2xi32>)
  %exchange_and_gather_want0_0 = stablehlo.slice %exchange_and_gather_want#0 [0:8, 0:2] : (tensor<8x8xi32>) -> tensor<8x2xi32>
  check.expect_eq %exchange_and_gather#0, %exchange_and_gather_want0_0 : tensor<8x2xi32>
  %exchange_and_gather_want0_1 = stablehlo.slice %exchange_and_gather_want#0 [0:8, 4:6] : (tensor<8x8xi32>) -> tensor<8x2xi32>
  check.expect_eq %exchange_and_gather#1, %exchange_and_gather_want0_1 : tensor<8x2xi32>
  %exchange_and_gather_want0_2 = stablehlo.slice %exchange_and_gather_want#0 [0:8, 0:2] : (tensor<8x8xi32>) -> tensor<8x2xi32>
  check.expect_eq %exchange_and_gather#2, %exchange_and_gather_want0_2 : tensor<8x2xi32>
  %exchange_and_gather_want0_3 = stablehlo.slice %exchange_and_gather_want#0 [0:8, 4:6] : (tensor<8x8xi32>) -> tensor<8x2xi32>
  check.expect_eq %exchange_and_gather#3, %exchange_and_gather_want0_3 : tensor<8x2xi32>
  %exchange_and_gather_want0_4 = stablehlo.slice %exchange_and_gather_want#0 [0:8, 2:4] : (tensor<8x8xi32>) -> tensor<8x2xi32>
  check.expect_eq %exchange_and_gather#4, %exchange_and_gather_want0_4 : tensor<8x2xi32>
  %exchange_and_gather_want0_5 = stablehlo.slice %exchange_and_gather_want#0 [0:8, 6:8] : (tensor<8x8xi32>) -> tensor<8x2xi32>
  check.expect_eq %exchange_and_gather#5, %exchange_and_gather_want0_5 : tensor<8x2xi32>
  %exchange_and_gather_want0_6 = stablehlo.slice %exchange_and_gather_want#0 [0:8, 2:4] : (tensor<8x8xi32>) -> tensor<8x2xi32>
  check.expect_eq %exchange_and_gather#6, %exchange_and_gather_want0_6 : tensor<8x2xi32>
  %exchange_and_gather_want0_7 = stablehlo.slice %exchange_and_gather_want#0 [0:8, 6:8] : (tensor<8x8xi32>) -> tensor<8x2xi32>
  check.expect_eq %exchange_and_gather#7, %exchange_and_gather_want0_7 : tensor<8x2xi32>
  %replace_want:1 = func.call @sequential_replace(%a_all) : (tensor<8x8xi32>) -> tensor<8x8xi32>
  %replace_in0_0 = stablehlo.slice %a_all [0:4, 0:8] : (tensor<8x8xi32>) -> tensor<4x8xi32>
  %replace_in0_1 = stablehlo.slice %a_all [0:4, 0:8] : (tensor<8x8xi32>) -> tensor<4x8xi32>
  %replace_in0_2 = stablehlo.slice %a_all [0:4, 0:8] : (tensor<8x8xi32>) -> tensor<4x8xi32>
  %replace_in0_3 = stablehlo.slice %a_all [0:4, 0:8] : (tensor<8x8xi32>) -> tensor<4x8xi32>
  %replace_in0_4 = stablehlo.slice %a_all [4:8, 0:8] : (tensor<8x8xi32>) -> tensor<4x8xi32>
  %replace_in0_5 = stablehlo.slice %a_all [4:8, 0:8] : (tensor<8x8xi32>) -> tensor<4x8xi32>
  %replace_in0_6 = stablehlo.slice %a_all [4:8, 0:8] : (tensor<8x8xi32>) -> tensor<4x8xi32>
  %replace_in0_7 = stablehlo.slice %a_all [4:8, 0:8] : (tensor<8x8xi32>) -> tensor<4x8xi32>
  %replace:8 = "interpreter.run_parallel"(%replace_in0_0, %replace_in0_1, %replace_in0_2, %replace_in0_3, %replace_in0_4, %replace_in0_5, %replace_in0_6, %replace_in0_7) {
    programs = [[@parallel_replace, @parallel_replace, @parallel_replace, @parallel_replace, @parallel_replace, @parallel_replace, @parallel_replace, @parallel_replace]]
  } : (tensor<4x8xi32>, tensor<4x8xi32>, tensor<4x8xi32>, tensor<4x8xi32>, tensor<4x8xi32>, tensor<4x8xi32>, tensor<4x8xi32>, tensor<4x8xi32>)
    -> (tensor<4x8xi32>, tensor<4x8xi32>, tensor<4x8xi32>, tensor<4x8xi32>, tensor<4x8xi32>, tensor<4x8xi32>, tensor<4x8xi32>, tensor<4x8xi32>)
  %replace_want0_0 = stablehlo.slice %replace_want#0 [0:4, 0:8] : (tensor<8x8xi32>) -> tensor<4x8xi32>
  check.expect_eq %replace#0, %replace_want0_0 : tensor<4x8xi32>
  %replace_want0_1 = stablehlo.slice %replace_want#0 [4:8, 0:8] : (tensor<8x8xi32>) -> tensor<4x8xi32>
  check.expect_eq %replace#1, %replace_want0_1 : tensor<4x8xi32>
  %replace_want0_2 = stablehlo.slice %replace_want#0 [0:4, 0:8] : (tensor<8x8xi32>) -> tensor<4x8xi32>
  check.expect_eq %replace#2, %replace_want0_2 : tensor<4x8xi32>
  %replace_want0_3 = stablehlo.slice %replace_want#0 [4:8, 0:8] : (tensor<8x8xi32>) -> tensor<4x8xi32>
  check.expect_eq %replace#3, %replace_want0_3 : tensor<4x8xi32>
  %replace_want0_4 = stablehlo.slice %replace_want#0 [0:4, 0:8] : (tensor<8x8xi32>) -> tensor<4x8xi32>
  check.expect_eq %replace#4, %replace_want0_4 : tensor<4x8xi32>
  %replace_want0_5 = stablehlo.slice %replace_want#0 [4:8, 0:8] : (tensor<8x8xi32>) -> tensor<4x8xi32>
  check.expect_eq %replace#5, %replace_want0_5 : tensor<4x8xi32>
  %replace_want0_6 = stablehlo.slice %replace_want#0 [0:4, 0:8] : (tensor<8x8xi32>) -> tensor<4x8xi32>
  check.expect_eq %replace#6, %replace_want0_6 : tensor<4x8xi32>
  %replace_want0_7 = stablehlo.slice %replace_want#0 [4:8, 0:8] : (tensor<8x8xi32>) -> tensor<4x8xi32>
  check.expect_eq %replace#7, %replace_want0_7 : tensor<4x8xi32>
  %all_want:1 = func.call @sequential_all(%a_all) : (tensor<8x8xi32>) -> tensor<8x8xi32>
  %all_in0_0 = stablehlo.slice %a_all [0:2, 0:4] : (tensor<8x8xi32>) -> tensor<2x4xi32>
  %all_in0_1 = stablehlo.slice %a_all [0:2, 4:8] : (tensor<8x8xi32>) -> tensor<2x4xi32>
  %all_in0_2 = stablehlo.slice %a_all [4:6, 0:4] : (tensor<8x8xi32>) -> tensor<2x4xi32>
  %all_in0_3 = stablehlo.slice %a_all [4:6, 4:8] : (tensor<8x8xi32>) -> tensor<2x4xi32>
  %all_in0_4 = stablehlo.slice %a_all [2:4, 0:4] : (tensor<8x8xi32>) -> tensor<2x4xi32>
  %all_in0_5 = stablehlo.slice %a_all [2:4, 4:8] : (tensor<8x8xi32>) -> tensor<2x4xi32>
  %all_in0_6 = stablehlo.slice %a_all [6:8, 0:4] : (tensor<8x8xi32>) -> tensor<2x4xi32>
  %all_in0_7 = stablehlo.slice %a_all [6:8, 4:8] : (tensor<8x8xi32>) -> tensor<2x4xi32>
  %all:8 = "interpreter.run_parallel"(%all_in0_0, %all_in0_1, %all_in0_2, %all_in0_3, %all_in0_4, %all_in0_5, %all_in0_6, %all_in0_7) {
    programs = [[@parallel_all, @parallel_all, @parallel_all, @parallel_all, @parallel_all, @parallel_all, @parallel_all, @parallel_all]]
  } : (tensor<2x4xi32>, tensor<2x4xi32>, tensor<2x4xi32>, tensor<2x4xi32>, tensor<2x4xi32>, tensor<2x4xi32>, tensor<2x4xi32>, tensor<2x4xi32>)
    -> (tensor<4x2xi32>, tensor<4x2xi32>, tensor<4x2xi32>, tensor<4x2xi32>, tensor<4x2xi32>, tensor<4x2xi32>, tensor<4x2xi32>, tensor<4x2xi32>)
  %all_want0_0 = stablehlo.slice %all_want#0 [0:4, 0:2] : (tensor<8x8xi32>) -> tensor<4x2xi32>
  check.expect_eq %all#0, %all_want0_0 : tensor<4x2xi32>
  %all_want0_1 = stablehlo.slice %all_want#0 [4:8, 0:2] : (tensor<8x8xi32>) -> tensor<4x2xi32>
  check.expect_eq %all#1, %all_want0_1 : tensor<4x2xi32>
  %all_want0_2 = stablehlo.slice %all_want#0 [0:4, 2:4] : (tensor<8x8xi32>) -> tensor<4x2xi32>
  check.expect_eq %all#2, %all_want0_2 : tensor<4x2xi32>
  %all_want0_3 = stablehlo.slice %all_want#0 [4:8, 2:4] : (tensor<8x8xi32>) -> tensor<4x2xi32>
  check.expect_eq %all#3, %all_want0_3 : tensor<4x2xi32>
  %all_want0_4 = stablehlo.slice %all_want#0 [0:4, 4:6] : (tensor<8x8xi32>) -> tensor<4x2xi32>
  check.expect_eq %all#4, %all_want0_4 : tensor<4x2xi32>
  %all_want0_5 = stablehlo.slice %all_want#0 [4:8, 4:6] : (tensor<8x8xi32>) -> tensor<4x2xi32>
  check.expect_eq %all#5, %all_want0_5 : tensor<4x2xi32>
  %all_want0_6 = stablehlo.slice %all_want#0 [0:4, 6:8] : (tensor<8x8xi32>) -> tensor<4x2xi32>
  check.expect_eq %all#6, %all_want0_6 : tensor<4x2xi32>
  %all_want0_7 = stablehlo.slice %all_want#0 [4:8, 6:8] : (tensor<8x8xi32>) -> tensor<4x2xi32>
  check.expect_eq %all#7, %all_want0_7 : tensor<4x2xi32>
  %sum_want:1 = func.call @sequential_sum(%a_all) : (tensor<8x8xi32>) -> tensor<8xi32>
  %sum_in0_0 = stablehlo.slice %a_all [0:4, 0:4] : (tensor<8x8xi32>) -> tensor<4x4xi32>
  %sum_in0_1 = stablehlo.slice %a_all [0:4, 0:4] : (tensor<8x8xi32>) -> tensor<4x4xi32>
  %sum_in0_2 = stablehlo.slice %a_all [0:4, 4:8] : (tensor<8x8xi32>) -> tensor<4x4xi32>
  %sum_in0_3 = stablehlo.slice %a_all [0:4, 4:8] : (tensor<8x8xi32>) -> tensor<4x4xi32>
  %sum_in0_4 = stablehlo.slice %a_all [4:8, 0:4] : (tensor<8x8xi32>) -> tensor<4x4xi32>
  %sum_in0_5 = stablehlo.slice %a_all [4:8, 0:4] : (tensor<8x8xi32>) -> tensor<4x4xi32>
  %sum_in0_6 = stablehlo.slice %a_all [4:8, 4:8] : (tensor<8x8xi32>) -> tensor<4x4xi32>
  %sum_in0_7 = stablehlo.slice %a_all [4:8, 4:8] : (tensor<8x8xi32>) -> tensor<4x4xi32>
  %sum:8 = "interpreter.run_parallel"(%sum_in0_0, %sum_in0_1, %sum_in0_2, %sum_in0_3, %sum_in0_4, %sum_in0_5, %sum_in0_6, %sum_in0_7) {
    programs = [[@parallel_sum, @parallel_sum, @parallel_sum, @parallel_sum, @parallel_sum, @parallel_sum, @parallel_sum, @parallel_sum]]
  } : (tensor<4x4xi32>, tensor<4x4xi32>, tensor<4x4xi32>, tensor<4x4xi32>, tensor<4x4xi32>, tensor<4x4xi32>, tensor<4x4xi32>, tensor<4x4xi32>)
    -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>)
  %sum_want0_0 = stablehlo.slice %sum_want#0 [0:4] : (tensor<8xi32>) -> tensor<4xi32>
  check.expect_eq %sum#0, %sum_want0_0 : tensor<4xi32>
  %sum_want0_1 = stablehlo.slice %sum_want#0 [0:4] : (tensor<8xi32>) -> tensor<4xi32>
  check.expect_eq %sum#1, %sum_want0_1 : tensor<4xi32>
  %sum_want0_2 = stablehlo.slice %sum_want#0 [4:8] : (tensor<8xi32>) -> tensor<4xi32>
  check.expect_eq %sum#2, %sum_want0_2 : tensor<4xi32>
  %sum_want0_3 = stablehlo.slice %sum_want#0 [4:8] : (tensor<8xi32>) -> tensor<4xi32>
  check.expect_eq %sum#3, %sum_want0_3 : tensor<4xi32>
  %sum_want0_4 = stablehlo.slice %sum_want#0 [0:4] : (tensor<8xi32>) -> tensor<4xi32>
  check.expect_eq %sum#4, %sum_want0_4 : tensor<4xi32>
  %sum_want0_5 = stablehlo.slice %sum_want#0 [0:4] : (tensor<8xi32>) -> tensor<4xi32>
  check.expect_eq %sum#5, %sum_want0_5 : tensor<4xi32>
  %sum_want0_6 = stablehlo.slice %sum_want#0 [4:8] : (tensor<8xi32>) -> tensor<4xi32>
  check.expect_eq %sum#6, %sum_want0_6 : tensor<4xi32>
  %sum_want0_7 = stablehlo.slice %sum_want#0 [4:8] : (tensor<8xi32>) -> tensor<4xi32>
  check.expect_eq %sum#7, %sum_want0_7 : tensor<4xi32>
  return
}
