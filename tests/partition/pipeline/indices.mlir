// Places that are known only when it runs, in dimensions that are cut; some of them lie outside.
// RUN: env SDY_OPT=%out/tools/sdy_opt TESSERA=%out/tessera %root/tools/run_sdy_interpreter_test.sh %s %t
// RUN: env SDY_OPT=%out/tools/sdy_opt TESSERA=%out/tessera PARTITION='%out/tessera partition' %root/tools/run_sdy_interpreter_test.sh %s %t

//--- part1.mlir
sdy.mesh @m = <["x"=2, "y"=2]>

func.func @parallel_gather(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}, %i: tensor<4x1xi32> {sdy.sharding = #sdy.sharding<@m, [{}, {}]>}) -> (tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"y"}]>}) {
  %0 = "stablehlo.gather"(%a, %i) <{
    dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>,
    slice_sizes = array<i64: 1, 4>
  }> {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {"y"}]>]>} : (tensor<8x4xf32>, tensor<4x1xi32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

func.func @parallel_gather_by_index(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}]>}, %i: tensor<4x1xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> (tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
  %0 = "stablehlo.gather"(%a, %i) <{
    dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>,
    slice_sizes = array<i64: 1, 4>
  }> {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<8x4xf32>, tensor<4x1xi32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

func.func @parallel_scatter(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}, %i: tensor<4x1xi32> {sdy.sharding = #sdy.sharding<@m, [{}, {}]>}, %u: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"y"}]>})
    -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{
    scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>
  }> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {"y"}]>]>} : (tensor<8x4xf32>, tensor<4x1xi32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

func.func @parallel_window(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}, %i: tensor<i32>, %j: tensor<i32>) -> (tensor<2x4xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"y"}]>}) {
  %0 = stablehlo.dynamic_slice %a, %i, %j, sizes = [2, 4] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {"y"}]>]>} : (tensor<8x4xf32>, tensor<i32>, tensor<i32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

func.func @parallel_update(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}, %u: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"y"}]>}, %i: tensor<i32>, %j: tensor<i32>) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}) {
  %0 = stablehlo.dynamic_update_slice %a, %u, %i, %j {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {"y"}]>]>} : (tensor<8x4xf32>, tensor<4x4xf32>, tensor<i32>, tensor<i32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

//--- part2.mlir
func.func @main() {
  %a_flat = stablehlo.iota dim = 0 : tensor<32xf32>
  %a_all = stablehlo.reshape %a_flat : (tensor<32xf32>) -> tensor<8x4xf32>
  %i = stablehlo.constant dense<[[7], [-3], [2], [11]]> : tensor<4x1xi32>
  %u = stablehlo.constant dense<100.0> : tensor<4x4xf32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %far = stablehlo.constant dense<99> : tensor<i32>
  %gather_want:1 = func.call @sequential_gather(%a_all, %i) : (tensor<8x4xf32>, tensor<4x1xi32>) -> tensor<4x4xf32>
  %gather_in0_0 = stablehlo.slice %a_all [0:4, 0:2] : (tensor<8x4xf32>) -> tensor<4x2xf32>
  %gather_in0_1 = stablehlo.slice %a_all [0:4, 2:4] : (tensor<8x4xf32>) -> tensor<4x2xf32>
  %gather_in0_2 = stablehlo.slice %a_all [4:8, 0:2] : (tensor<8x4xf32>) -> tensor<4x2xf32>
  %gather_in0_3 = stablehlo.slice %a_all [4:8, 2:4] : (tensor<8x4xf32>) -> tensor<4x2xf32>
  %gather:4 = "interpreter.run_parallel"(%gather_in0_0, %i, %gather_in0_1, %i, %gather_in0_2, %i, %gather_in0_3, %i) {
    programs = [[@parallel_gather, @parallel_gather, @parallel_gather, @parallel_gather]]
  } : (tensor<4x2xf32>, tensor<4x1xi32>, tensor<4x2xf32>, tensor<4x1xi32>, tensor<4x2xf32>, tensor<4x1xi32>, tensor<4x2xf32>, tensor<4x1xi32>)
    -> (tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>)
  %gather_want0_0 = stablehlo.slice %gather_want#0 [0:4, 0:2] : (tensor<4x4xf32>) -> tensor<4x2xf32>
  check.expect_eq %gather#0, %gather_want0_0 : tensor<4x2xf32>
  %gather_want0_1 = stablehlo.slice %gather_want#0 [0:4, 2:4] : (tensor<4x4xf32>) -> tensor<4x2xf32>
  check.expect_eq %gather#1, %gather_want0_1 : tensor<4x2xf32>
  %gather_want0_2 = stablehlo.slice %gather_want#0 [0:4, 0:2] : (tensor<4x4xf32>) -> tensor<4x2xf32>
  check.expect_eq %gather#2, %gather_want0_2 : tensor<4x2xf32>
  %gather_want0_3 = stablehlo.slice %gather_want#0 [0:4, 2:4] : (tensor<4x4xf32>) -> tensor<4x2xf32>
  check.expect_eq %gather#3, %gather_want0_3 : tensor<4x2xf32>
  %gather_by_index_want:1 = func.call @sequential_gather_by_index(%a_all, %i) : (tensor<8x4xf32>, tensor<4x1xi32>) -> tensor<4x4xf32>
  %gather_by_index_in1_0 = stablehlo.slice %i [0:2, 0:1] : (tensor<4x1xi32>) -> tensor<2x1xi32>
  %gather_by_index_in1_1 = stablehlo.slice %i [0:2, 0:1] : (tensor<4x1xi32>) -> tensor<2x1xi32>
  %gather_by_index_in1_2 = stablehlo.slice %i [2:4, 0:1] : (tensor<4x1xi32>) -> tensor<2x1xi32>
  %gather_by_index_in1_3 = stablehlo.slice %i [2:4, 0:1] : (tensor<4x1xi32>) -> tensor<2x1xi32>
  %gather_by_index:4 = "interpreter.run_parallel"(%a_all, %gather_by_index_in1_0, %a_all, %gather_by_index_in1_1, %a_all, %gather_by_index_in1_2, %a_all, %gather_by_index_in1_3) {
    programs = [[@parallel_gather_by_index, @parallel_gather_by_index, @parallel_gather_by_index, @parallel_gather_by_index]]
  } : (tensor<8x4xf32>, tensor<2x1xi32>, tensor<8x4xf32>, tensor<2x1xi32>, tensor<8x4xf32>, tensor<2x1xi32>, tensor<8x4xf32>, tensor<2x1xi32>)
    -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>)
  %gather_by_index_want0_0 = stablehlo.slice %gather_by_index_want#0 [0:2, 0:4] : (tensor<4x4xf32>) -> tensor<2x4xf32>
  check.expect_eq %gather_by_index#0, %gather_by_index_want0_0 : tensor<2x4xf32>
  %gather_by_index_want0_1 = stablehlo.slice %gather_by_index_want#0 [0:2, 0:4] : (tensor<4x4xf32>) -> tensor<2x4xf32>
  check.expect_eq %gather_by_index#1, %gather_by_index_want0_1 : tensor<2x4xf32>
  %gather_by_index_want0_2 = stablehlo.slice %gather_by_index_want#0 [2:4, 0:4] : (tensor<4x4xf32>) -> tensor<2x4xf32>
  check.expect_eq %gather_by_index#2, %gather_by_index_want0_2 : tensor<2x4xf32>
  %gather_by_index_want0_3 = stablehlo.slice %gather_by_index_want#0 [2:4, 0:4] : (tensor<4x4xf32>) -> tensor<2x4xf32>
  check.expect_eq %gather_by_index#3, %gather_by_index_want0_3 : tensor<2x4xf32>
  %scatter_want:1 = func.call @sequential_scatter(%a_all, %i, %u) : (tensor<8x4xf32>, tensor<4x1xi32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %scatter_in0_0 = stablehlo.slice %a_all [0:4, 0:2] : (tensor<8x4xf32>) -> tensor<4x2xf32>
  %scatter_in2_0 = stablehlo.slice %u [0:4, 0:2] : (tensor<4x4xf32>) -> tensor<4x2xf32>
  %scatter_in0_1 = stablehlo.slice %a_all [0:4, 2:4] : (tensor<8x4xf32>) -> tensor<4x2xf32>
  %scatter_in2_1 = stablehlo.slice %u [0:4, 2:4] : (tensor<4x4xf32>) -> tensor<4x2xf32>
  %scatter_in0_2 = stablehlo.slice %a_all [4:8, 0:2] : (tensor<8x4xf32>) -> tensor<4x2xf32>
  %scatter_in2_2 = stablehlo.slice %u [0:4, 0:2] : (tensor<4x4xf32>) -> tensor<4x2xf32>
  %scatter_in0_3 = stablehlo.slice %a_all [4:8, 2:4] : (tensor<8x4xf32>) -> tensor<4x2xf32>
  %scatter_in2_3 = stablehlo.slice %u [0:4, 2:4] : (tensor<4x4xf32>) -> tensor<4x2xf32>
  %scatter:4 = "interpreter.run_parallel"(%scatter_in0_0, %i, %scatter_in2_0, %scatter_in0_1, %i, %scatter_in2_1, %scatter_in0_2, %i, %scatter_in2_2, %scatter_in0_3, %i, %scatter_in2_3) {
    programs = [[@parallel_scatter, @parallel_scatter, @parallel_scatter, @parallel_scatter]]
  } : (tensor<4x2xf32>, tensor<4x1xi32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x1xi32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x1xi32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x1xi32>, tensor<4x2xf32>)
    -> (tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>)
  %scatter_want0_0 = stablehlo.slice %scatter_want#0 [0:4, 0:2] : (tensor<8x4xf32>) -> tensor<4x2xf32>
  check.expect_eq %scatter#0, %scatter_want0_0 : tensor<4x2xf32>
  %scatter_want0_1 = stablehlo.slice %scatter_want#0 [0:4, 2:4] : (tensor<8x4xf32>) -> tensor<4x2xf32>
  check.expect_eq %scatter#1, %scatter_want0_1 : tensor<4x2xf32>
  %scatter_want0_2 = stablehlo.slice %scatter_want#0 [4:8, 0:2] : (tensor<8x4xf32>) -> tensor<4x2xf32>
  check.expect_eq %scatter#2, %scatter_want0_2 : tensor<4x2xf32>
  %scatter_want0_3 = stablehlo.slice %scatter_want#0 [4:8, 2:4] : (tensor<8x4xf32>) -> tensor<4x2xf32>
  check.expect_eq %scatter#3, %scatter_want0_3 : tensor<4x2xf32>
  %window_want:1 = func.call @sequential_window(%a_all, %three, %three) : (tensor<8x4xf32>, tensor<i32>, tensor<i32>) -> tensor<2x4xf32>
  %window_in0_0 = stablehlo.slice %a_all [0:4, 0:2] : (tensor<8x4xf32>) -> tensor<4x2xf32>
  %window_in0_1 = stablehlo.slice %a_all [0:4, 2:4] : (tensor<8x4xf32>) -> tensor<4x2xf32>
  %window_in0_2 = stablehlo.slice %a_all [4:8, 0:2] : (tensor<8x4xf32>) -> tensor<4x2xf32>
  %window_in0_3 = stablehlo.slice %a_all [4:8, 2:4] : (tensor<8x4xf32>) -> tensor<4x2xf32>
  %window:4 = "interpreter.run_parallel"(%window_in0_0, %three, %three, %window_in0_1, %three, %three, %window_in0_2, %three, %three, %window_in0_3, %three, %three) {
    programs = [[@parallel_window, @parallel_window, @parallel_window, @parallel_window]]
  } : (tensor<4x2xf32>, tensor<i32>, tensor<i32>, tensor<4x2xf32>, tensor<i32>, tensor<i32>, tensor<4x2xf32>, tensor<i32>, tensor<i32>, tensor<4x2xf32>, tensor<i32>, tensor<i32>)
    -> (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>)
  %window_want0_0 = stablehlo.slice %window_want#0 [0:2, 0:2] : (tensor<2x4xf32>) -> tensor<2x2xf32>
  check.expect_eq %window#0, %window_want0_0 : tensor<2x2xf32>
  %window_want0_1 = stablehlo.slice %window_want#0 [0:2, 2:4] : (tensor<2x4xf32>) -> tensor<2x2xf32>
  check.expect_eq %window#1, %window_want0_1 : tensor<2x2xf32>
  %window_want0_2 = stablehlo.slice %window_want#0 [0:2, 0:2] : (tensor<2x4xf32>) -> tensor<2x2xf32>
  check.expect_eq %window#2, %window_want0_2 : tensor<2x2xf32>
  %window_want0_3 = stablehlo.slice %window_want#0 [0:2, 2:4] : (tensor<2x4xf32>) -> tensor<2x2xf32>
  check.expect_eq %window#3, %window_want0_3 : tensor<2x2xf32>
  %window_at_end_want:1 = func.call @sequential_window(%a_all, %far, %three) : (tensor<8x4xf32>, tensor<i32>, tensor<i32>) -> tensor<2x4xf32>
  %window_at_end_in0_0 = stablehlo.slice %a_all [0:4, 0:2] : (tensor<8x4xf32>) -> tensor<4x2xf32>
  %window_at_end_in0_1 = stablehlo.slice %a_all [0:4, 2:4] : (tensor<8x4xf32>) -> tensor<4x2xf32>
  %window_at_end_in0_2 = stablehlo.slice %a_all [4:8, 0:2] : (tensor<8x4xf32>) -> tensor<4x2xf32>
  %window_at_end_in0_3 = stablehlo.slice %a_all [4:8, 2:4] : (tensor<8x4xf32>) -> tensor<4x2xf32>
  %window_at_end:4 = "interpreter.run_parallel"(%window_at_end_in0_0, %far, %three, %window_at_end_in0_1, %far, %three, %window_at_end_in0_2, %far, %three, %window_at_end_in0_3, %far, %three) {
    programs = [[@parallel_window, @parallel_window, @parallel_window, @parallel_window]]
  } : (tensor<4x2xf32>, tensor<i32>, tensor<i32>, tensor<4x2xf32>, tensor<i32>, tensor<i32>, tensor<4x2xf32>, tensor<i32>, tensor<i32>, tensor<4x2xf32>, tensor<i32>, tensor<i32>)
    -> (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>)
  %window_at_end_want0_0 = stablehlo.slice %window_at_end_want#0 [0:2, 0:2] : (tensor<2x4xf32>) -> tensor<2x2xf32>
  check.expect_eq %window_at_end#0, %window_at_end_want0_0 : tensor<2x2xf32>
  %window_at_end_want0_1 = stablehlo.slice %window_at_end_want#0 [0:2, 2:4] : (tensor<2x4xf32>) -> tensor<2x2xf32>
  check.expect_eq %window_at_end#1, %window_at_end_want0_1 : tensor<2x2xf32>
  %window_at_end_want0_2 = stablehlo.slice %window_at_end_want#0 [0:2, 0:2] : (tensor<2x4xf32>) -> tensor<2x2xf32>
  check.expect_eq %window_at_end#2, %window_at_end_want0_2 : tensor<2x2xf32>
  %window_at_end_want0_3 = stablehlo.slice %window_at_end_want#0 [0:2, 2:4] : (tensor<2x4xf32>) -> tensor<2x2xf32>
  check.expect_eq %window_at_end#3, %window_at_end_want0_3 : tensor<2x2xf32>
  %update_want:1 = func.call @sequential_update(%a_all, %u, %three, %far) : (tensor<8x4xf32>, tensor<4x4xf32>, tensor<i32>, tensor<i32>) -> tensor<8x4xf32>
  %update_in0_0 = stablehlo.slice %a_all [0:4, 0:2] : (tensor<8x4xf32>) -> tensor<4x2xf32>
  %update_in1_0 = stablehlo.slice %u [0:4, 0:2] : (tensor<4x4xf32>) -> tensor<4x2xf32>
  %update_in0_1 = stablehlo.slice %a_all [0:4, 2:4] : (tensor<8x4xf32>) -> tensor<4x2xf32>
  %update_in1_1 = stablehlo.slice %u [0:4, 2:4] : (tensor<4x4xf32>) -> tensor<4x2xf32>
  %update_in0_2 = stablehlo.slice %a_all [4:8, 0:2] : (tensor<8x4xf32>) -> tensor<4x2xf32>
  %update_in1_2 = stablehlo.slice %u [0:4, 0:2] : (tensor<4x4xf32>) -> tensor<4x2xf32>
  %update_in0_3 = stablehlo.slice %a_all [4:8, 2:4] : (tensor<8x4xf32>) -> tensor<4x2xf32>
  %update_in1_3 = stablehlo.slice %u [0:4, 2:4] : (tensor<4x4xf32>) -> tensor<4x2xf32>
  %update:4 = "interpreter.run_parallel"(%update_in0_0, %update_in1_0, %three, %far, %update_in0_1, %update_in1_1, %three, %far, %update_in0_2, %update_in1_2, %three, %far, %update_in0_3, %update_in1_3, %three, %far) {
    programs = [[@parallel_update, @parallel_update, @parallel_update, @parallel_update]]
  } : (tensor<4x2xf32>, tensor<4x2xf32>, tensor<i32>, tensor<i32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<i32>, tensor<i32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<i32>, tensor<i32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<i32>, tensor<i32>)
    -> (tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>)
  %update_want0_0 = stablehlo.slice %update_want#0 [0:4, 0:2] : (tensor<8x4xf32>) -> tensor<4x2xf32>
  check.expect_eq %update#0, %update_want0_0 : tensor<4x2xf32>
  %update_want0_1 = stablehlo.slice %update_want#0 [0:4, 2:4] : (tensor<8x4xf32>) -> tensor<4x2xf32>
  check.expect_eq %update#1, %update_want0_1 : tensor<4x2xf32>
  %update_want0_2 = stablehlo.slice %update_want#0 [4:8, 0:2] : (tensor<8x4xf32>) -> tensor<4x2xf32>
  check.expect_eq %update#2, %update_want0_2 : tensor<4x2xf32>
  %update_want0_3 = stablehlo.slice %update_want#0 [4:8, 2:4] : (tensor<8x4xf32>) -> tensor<4x2xf32>
  check.expect_eq %update#3, %update_want0_3 : tensor<4x2xf32>
  %update_at_end_want:1 = func.call @sequential_update(%a_all, %u, %far, %far) : (tensor<8x4xf32>, tensor<4x4xf32>, tensor<i32>, tensor<i32>) -> tensor<8x4xf32>
  %update_at_end_in0_0 = stablehlo.slice %a_all [0:4, 0:2] : (tensor<8x4xf32>) -> tensor<4x2xf32>
  %update_at_end_in1_0 = stablehlo.slice %u [0:4, 0:2] : (tensor<4x4xf32>) -> tensor<4x2xf32>
  %update_at_end_in0_1 = stablehlo.slice %a_all [0:4, 2:4] : (tensor<8x4xf32>) -> tensor<4x2xf32>
  %update_at_end_in1_1 = stablehlo.slice %u [0:4, 2:4] : (tensor<4x4xf32>) -> tensor<4x2xf32>
  %update_at_end_in0_2 = stablehlo.slice %a_all [4:8, 0:2] : (tensor<8x4xf32>) -> tensor<4x2xf32>
  %update_at_end_in1_2 = stablehlo.slice %u [0:4, 0:2] : (tensor<4x4xf32>) -> tensor<4x2xf32>
  %update_at_end_in0_3 = stablehlo.slice %a_all [4:8, 2:4] : (tensor<8x4xf32>) -> tensor<4x2xf32>
  %update_at_end_in1_3 = stablehlo.slice %u [0:4, 2:4] : (tensor<4x4xf32>) -> tensor<4x2xf32>
  %update_at_end:4 = "interpreter.run_parallel"(%update_at_end_in0_0, %update_at_end_in1_0, %far, %far, %update_at_end_in0_1, %update_at_end_in1_1, %far, %far, %update_at_end_in0_2, %update_at_end_in1_2, %far, %far, %update_at_end_in0_3, %update_at_end_in1_3, %far, %far) {
    programs = [[@parallel_update, @parallel_update, @parallel_update, @parallel_update]]
  } : (tensor<4x2xf32>, tensor<4x2xf32>, tensor<i32>, tensor<i32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<i32>, tensor<i32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<i32>, tensor<i32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<i32>, tensor<i32>)
    -> (tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>)
  %update_at_end_want0_0 = stablehlo.slice %update_at_end_want#0 [0:4, 0:2] : (tensor<8x4xf32>) -> tensor<4x2xf32>
  check.expect_eq %update_at_end#0, %update_at_end_want0_0 : tensor<4x2xf32>
  %update_at_end_want0_1 = stablehlo.slice %update_at_end_want#0 [0:4, 2:4] : (tensor<8x4xf32>) -> tensor<4x2xf32>
  check.expect_eq %update_at_end#1, %update_at_end_want0_1 : tensor<4x2xf32>
  %update_at_end_want0_2 = stablehlo.slice %update_at_end_want#0 [4:8, 0:2] : (tensor<8x4xf32>) -> tensor<4x2xf32>
  check.expect_eq %update_at_end#2, %update_at_end_want0_2 : tensor<4x2xf32>
  %update_at_end_want0_3 = stablehlo.slice %update_at_end_want#0 [4:8, 2:4] : (tensor<8x4xf32>) -> tensor<4x2xf32>
  check.expect_eq %update_at_end#3, %update_at_end_want0_3 : tensor<4x2xf32>
  return
}
