// sdy's other words: constraints, bodies, groups, parts of axes, one device, meshes inside shardings.
// RUN: env SDY_OPT=%out/tools/sdy_opt TESSERA=%out/tessera %root/tools/run_sdy_interpreter_test.sh %s %t
// RUN: env SDY_OPT=%out/tools/sdy_opt TESSERA=%out/tessera PARTITION='%out/tessera partition' %root/tools/run_sdy_interpreter_test.sh %s %t

//--- part1.mlir
sdy.mesh @m = <["x"=2, "y"=4]>
sdy.mesh @one = <[], device_ids=[5]>

func.func @parallel_constraint(%a: tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}) -> (tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@m, [{"y", "x"}, {}]>}) {
  %0 = stablehlo.add %a, %a : tensor<8x8xi32>
  %1 = sdy.sharding_constraint %0 <@m, [{"y"}, {"x"}]> : tensor<8x8xi32>
  sdy.sharding_group %1 group_id=0 : tensor<8x8xi32>
  %2 = stablehlo.negate %1 : tensor<8x8xi32>
  sdy.sharding_group %2 group_id=0 : tensor<8x8xi32>
  %3 = sdy.propagation_barrier %2 allowed_direction=NONE : tensor<8x8xi32>
  %4 = sdy.reshard %3 <@m, [{"y", "x"}, {}]> : tensor<8x8xi32>
  return %4 : tensor<8x8xi32>
}

func.func @parallel_parts_of_axes(%a: tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@m, [{"y":(1)2}, {"x"}]>}) -> (tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y":(2)2}]>}) {
  %0 = sdy.reshard %a <@m, [{"x", "y":(1)2}, {"y":(2)2}]> : tensor<8x8xi32>
  %1 = stablehlo.multiply %0, %0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x", "y":(1)2}, {"y":(2)2}], replicated={}>]>} : tensor<8x8xi32>
  return %1 : tensor<8x8xi32>
}

func.func @parallel_body(%a: tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}, %b: tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> (tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
  %0 = sdy.named_computation<"f">(%a, %b) in_shardings=[<@m, [{"x"}, {}]>, <@m, [{"x"}, {"y"}]>] out_shardings=[<@m, [{"x"}, {"y"}]>] (%c: tensor<8x8xi32>, %d: tensor<8x8xi32>) {
    %1 = stablehlo.subtract %c, %d {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : tensor<8x8xi32>
    sdy.return %1 : tensor<8x8xi32>
  } : (tensor<8x8xi32>, tensor<8x8xi32>) -> tensor<8x8xi32>
  return %0 : tensor<8x8xi32>
}

func.func @parallel_one_device(%a: tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}, %b: tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@one, []>}) -> (tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@m, [{}, {"y"}]>}) {
  %0 = sdy.reshard %a <@one, []> : tensor<8x8xi32>
  %1 = stablehlo.add %0, %b {sdy.sharding = #sdy.sharding_per_value<[<@one, []>]>} : tensor<8x8xi32>
  %2 = sdy.reshard %1 <@m, [{}, {"y"}]> : tensor<8x8xi32>
  return %2 : tensor<8x8xi32>
}

func.func @parallel_inline(%a: tensor<8x8xi32> {sdy.sharding = #sdy.sharding<mesh<["p"=8]>, [{"p"}, {}]>}) -> (tensor<8x8xi32> {sdy.sharding = #sdy.sharding<mesh<["p"=8]>, [{}, {"p"}]>}) {
  %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<8x8xi32>) -> tensor<8x8xi32>
  return %0 : tensor<8x8xi32>
}

//--- part2.mlir
func.func @main() {
  %a_flat = stablehlo.iota dim = 0 : tensor<64xi32>
  %a_all = stablehlo.reshape %a_flat : (tensor<64xi32>) -> tensor<8x8xi32>
  %b_flat = stablehlo.iota dim = 0 : tensor<64xi32>
  %b_all = stablehlo.reshape %b_flat : (tensor<64xi32>) -> tensor<8x8xi32>
  %b_mc = stablehlo.constant dense<3> : tensor<8x8xi32>
  %b_m = stablehlo.multiply %b_all, %b_mc : tensor<8x8xi32>
  %b_sc = stablehlo.constant dense<11> : tensor<8x8xi32>
  %b_s = stablehlo.subtract %b_m, %b_sc : tensor<8x8xi32>
  %constraint_want:1 = func.call @sequential_constraint(%a_all) : (tensor<8x8xi32>) -> tensor<8x8xi32>
  %constraint_in0_0 = stablehlo.slice %a_all [0:4, 0:2] : (tensor<8x8xi32>) -> tensor<4x2xi32>
  %constraint_in0_1 = stablehlo.slice %a_all [0:4, 2:4] : (tensor<8x8xi32>) -> tensor<4x2xi32>
  %constraint_in0_2 = stablehlo.slice %a_all [0:4, 4:6] : (tensor<8x8xi32>) -> tensor<4x2xi32>
  %constraint_in0_3 = stablehlo.slice %a_all [0:4, 6:8] : (tensor<8x8xi32>) -> tensor<4x2xi32>
  %constraint_in0_4 = stablehlo.slice %a_all [4:8, 0:2] : (tensor<8x8xi32>) -> tensor<4x2xi32>
  %constraint_in0_5 = stablehlo.slice %a_all [4:8, 2:4] : (tensor<8x8xi32>) -> tensor<4x2xi32>
  %constraint_in0_6 = stablehlo.slice %a_all [4:8, 4:6] : (tensor<8x8xi32>) -> tensor<4x2xi32>
  %constraint_in0_7 = stablehlo.slice %a_all [4:8, 6:8] : (tensor<8x8xi32>) -> tensor<4x2xi32>
  %constraint:8 = "interpreter.run_parallel"(%constraint_in0_0, %constraint_in0_1, %constraint_in0_2, %constraint_in0_3, %constraint_in0_4, %constraint_in0_5, %constraint_in0_6, %constraint_in0_7) {
    programs = [[@parallel_constraint, @parallel_constraint, @parallel_constraint, @parallel_constraint, @parallel_constraint, @parallel_constraint, @parallel_constraint, @parallel_constraint]]
  } : (tensor<4x2xi32>, tensor<4x2xi32>, tensor<4x2xi32>, tensor<4x2xi32>, tensor<4x2xi32>, tensor<4x2xi32>, tensor<4x2xi32>, tensor<4x2xi32>)
    -> (tensor<1x8xi32>, tensor<1x8xi32>, tensor<1x8xi32>, tensor<1x8xi32>, tensor<1x8xi32>, tensor<1x8xi32>, tensor<1x8xi32>, tensor<1x8xi32>)
  %constraint_want0_0 = stablehlo.slice %constraint_want#0 [0:1, 0:8] : (tensor<8x8xi32>) -> tensor<1x8xi32>
  check.expect_eq %constraint#0, %constraint_want0_0 : tensor<1x8xi32>
  %constraint_want0_1 = stablehlo.slice %constraint_want#0 [2:3, 0:8] : (tensor<8x8xi32>) -> tensor<1x8xi32>
  check.expect_eq %constraint#1, %constraint_want0_1 : tensor<1x8xi32>
  %constraint_want0_2 = stablehlo.slice %constraint_want#0 [4:5, 0:8] : (tensor<8x8xi32>) -> tensor<1x8xi32>
  check.expect_eq %constraint#2, %constraint_want0_2 : tensor<1x8xi32>
  %constraint_want0_3 = stablehlo.slice %constraint_want#0 [6:7, 0:8] : (tensor<8x8xi32>) -> tensor<1x8xi32>
  check.expect_eq %constraint#3, %constraint_want0_3 : tensor<1x8xi32>
  %constraint_want0_4 = stablehlo.slice %constraint_want#0 [1:2, 0:8] : (tensor<8x8xi32>) -> tensor<1x8xi32>
  check.expect_eq %constraint#4, %constraint_want0_4 : tensor<1x8xi32>
  %constraint_want0_5 = stablehlo.slice %constraint_want#0 [3:4, 0:8] : (tensor<8x8xi32>) -> tensor<1x8xi32>
  check.expect_eq %constraint#5, %constraint_want0_5 : tensor<1x8xi32>
  %constraint_want0_6 = stablehlo.slice %constraint_want#0 [5:6, 0:8] : (tensor<8x8xi32>) -> tensor<1x8xi32>
  check.expect_eq %constraint#6, %constraint_want0_6 : tensor<1x8xi32>
  %constraint_want0_7 = stablehlo.slice %constraint_want#0 [7:8, 0:8] : (tensor<8x8xi32>) -> tensor<1x8xi32>
  check.expect_eq %constraint#7, %constraint_want0_7 : tensor<1x8xi32>
  %parts_of_axes_want:1 = func.call @sequential_parts_of_axes(%a_all) : (tensor<8x8xi32>) -> tensor<8x8xi32>
  %parts_of_axes_in0_0 = stablehlo.slice %a_all [0:4, 0:4] : (tensor<8x8xi32>) -> tensor<4x4xi32>
  %parts_of_axes_in0_1 = stablehlo.slice %a_all [0:4, 0:4] : (tensor<8x8xi32>) -> tensor<4x4xi32>
  %parts_of_axes_in0_2 = stablehlo.slice %a_all [4:8, 0:4] : (tensor<8x8xi32>) -> tensor<4x4xi32>
  %parts_of_axes_in0_3 = stablehlo.slice %a_all [4:8, 0:4] : (tensor<8x8xi32>) -> tensor<4x4xi32>
  %parts_of_axes_in0_4 = stablehlo.slice %a_all [0:4, 4:8] : (tensor<8x8xi32>) -> tensor<4x4xi32>
  %parts_of_axes_in0_5 = stablehlo.slice %a_all [0:4, 4:8] : (tensor<8x8xi32>) -> tensor<4x4xi32>
  %parts_of_axes_in0_6 = stablehlo.slice %a_all [4:8, 4:8] : (tensor<8x8xi32>) -> tensor<4x4xi32>
  %parts_of_axes_in0_7 = stablehlo.slice %a_all [4:8, 4:8] : (tensor<8x8xi32>) -> tensor<4x4xi32>
  %parts_of_axes:8 = "interpreter.run_parallel"(%parts_of_axes_in0_0, %parts_of_axes_in0_1, %parts_of_axes_in0_2, %parts_of_axes_in0_3, %parts_of_axes_in0_4, %parts_of_axes_in0_5, %parts_of_axes_in0_6, %parts_of_axes_in0_7) {
    programs = [[@parallel_parts_of_axes, @parallel_parts_of_axes, @parallel_parts_of_axes, @parallel_parts_of_axes, @parallel_parts_of_axes, @parallel_parts_of_axes, @parallel_parts_of_axes, @parallel_parts_of_axes]]
  } : (tensor<4x4xi32>, tensor<4x4xi32>, tensor<4x4xi32>, tensor<4x4xi32>, tensor<4x4xi32>, tensor<4x4xi32>, tensor<4x4xi32>, tensor<4x4xi32>)
    -> (tensor<4x4xi32>, tensor<4x4xi32>, tensor<4x4xi32>, tensor<4x4xi32>, tensor<4x4xi32>, tensor<4x4xi32>, tensor<4x4xi32>, tensor<4x4xi32>)
  %parts_of_axes_want0_0 = stablehlo.slice %parts_of_axes_want#0 [0:4, 0:4] : (tensor<8x8xi32>) -> tensor<4x4xi32>
  check.expect_eq %parts_of_axes#0, %parts_of_axes_want0_0 : tensor<4x4xi32>
  %parts_of_axes_want0_1 = stablehlo.slice %parts_of_axes_want#0 [0:4, 4:8] : (tensor<8x8xi32>) -> tensor<4x4xi32>
  check.expect_eq %parts_of_axes#1, %parts_of_axes_want0_1 : tensor<4x4xi32>
  %parts_of_axes_want0_2 = stablehlo.slice %parts_of_axes_want#0 [0:4, 0:4] : (tensor<8x8xi32>) -> tensor<4x4xi32>
  check.expect_eq %parts_of_axes#2, %parts_of_axes_want0_2 : tensor<4x4xi32>
  %parts_of_axes_want0_3 = stablehlo.slice %parts_of_axes_want#0 [0:4, 4:8] : (tensor<8x8xi32>) -> tensor<4x4xi32>
  check.expect_eq %parts_of_axes#3, %parts_of_axes_want0_3 : tensor<4x4xi32>
  %parts_of_axes_want0_4 = stablehlo.slice %parts_of_axes_want#0 [4:8, 0:4] : (tensor<8x8xi32>) -> tensor<4x4xi32>
  check.expect_eq %parts_of_axes#4, %parts_of_axes_want0_4 : tensor<4x4xi32>
  %parts_of_axes_want0_5 = stablehlo.slice %parts_of_axes_want#0 [4:8, 4:8] : (tensor<8x8xi32>) -> tensor<4x4xi32>
  check.expect_eq %parts_of_axes#5, %parts_of_axes_want0_5 : tensor<4x4xi32>
  %parts_of_axes_want0_6 = stablehlo.slice %parts_of_axes_want#0 [4:8, 0:4] : (tensor<8x8xi32>) -> tensor<4x4xi32>
  check.expect_eq %parts_of_axes#6, %parts_of_axes_want0_6 : tensor<4x4xi32>
  %parts_of_axes_want0_7 = stablehlo.slice %parts_of_axes_want#0 [4:8, 4:8] : (tensor<8x8xi32>) -> tensor<4x4xi32>
  check.expect_eq %parts_of_axes#7, %parts_of_axes_want0_7 : tensor<4x4xi32>
  %body_want:1 = func.call @sequential_body(%a_all, %b_s) : (tensor<8x8xi32>, tensor<8x8xi32>) -> tensor<8x8xi32>
  %body_in0_0 = stablehlo.slice %a_all [0:4, 0:2] : (tensor<8x8xi32>) -> tensor<4x2xi32>
  %body_in1_0 = stablehlo.slice %b_s [0:4, 0:8] : (tensor<8x8xi32>) -> tensor<4x8xi32>
  %body_in0_1 = stablehlo.slice %a_all [0:4, 2:4] : (tensor<8x8xi32>) -> tensor<4x2xi32>
  %body_in1_1 = stablehlo.slice %b_s [0:4, 0:8] : (tensor<8x8xi32>) -> tensor<4x8xi32>
  %body_in0_2 = stablehlo.slice %a_all [0:4, 4:6] : (tensor<8x8xi32>) -> tensor<4x2xi32>
  %body_in1_2 = stablehlo.slice %b_s [0:4, 0:8] : (tensor<8x8xi32>) -> tensor<4x8xi32>
  %body_in0_3 = stablehlo.slice %a_all [0:4, 6:8] : (tensor<8x8xi32>) -> tensor<4x2xi32>
  %body_in1_3 = stablehlo.slice %b_s [0:4, 0:8] : (tensor<8x8xi32>) -> tensor<4x8xi32>
  %body_in0_4 = stablehlo.slice %a_all [4:8, 0:2] : (tensor<8x8xi32>) -> tensor<4x2xi32>
  %body_in1_4 = stablehlo.slice %b_s [4:8, 0:8] : (tensor<8x8xi32>) -> tensor<4x8xi32>
  %body_in0_5 = stablehlo.slice %a_all [4:8, 2:4] : (tensor<8x8xi32>) -> tensor<4x2xi32>
  %body_in1_5 = stablehlo.slice %b_s [4:8, 0:8] : (tensor<8x8xi32>) -> tensor<4x8xi32>
  %body_in0_6 = stablehlo.slice %a_all [4:8, 4:6] : (tensor<8x8xi32>) -> tensor<4x2xi32>
  %body_in1_6 = stablehlo.slice %b_s [4:8, 0:8] : (tensor<8x8xi32>) -> tensor<4x8xi32>
  %body_in0_7 = stablehlo.slice %a_all [4:8, 6:8] : (tensor<8x8xi32>) -> tensor<4x2xi32>
  %body_in1_7 = stablehlo.slice %b_s [4:8, 0:8] : (tensor<8x8xi32>) -> tensor<4x8xi32>
  %body:8 = "interpreter.run_parallel"(%body_in0_0, %body_in1_0, %body_in0_1, %body_in1_1, %body_in0_2, %body_in1_2, %body_in0_3, %body_in1_3, %body_in0_4, %body_in1_4, %body_in0_5, %body_in1_5, %body_in0_6, %body_in1_6, %body_in0_7, %body_in1_7) {
    programs = [[@parallel_body, @parallel_body, @parallel_body, @parallel_body, @parallel_body, @parallel_body, @parallel_body, @parallel_body]]
  } : (tensor<4x2xi32>, tensor<4x8xi32>, tensor<4x2xi32>, tensor<4x8xi32>, tensor<4x2xi32>, tensor<4x8xi32>, tensor<4x2xi32>, tensor<4x8xi32>, tensor<4x2xi32>, tensor<4x8xi32>, tensor<4x2xi32>, tensor<4x8xi32>, tensor<4x2xi32>, tensor<4x8xi32>, tensor<4x2xi32>, tensor<4x8xi32>)
    -> (tensor<4x8xi32>, tensor<4x8xi32>, tensor<4x8xi32>, tensor<4x8xi32>, tensor<4x8xi32>, tensor<4x8xi32>, tensor<4x8xi32>, tensor<4x8xi32>)
  %body_want0_0 = stablehlo.slice %body_want#0 [0:4, 0:8] : (tensor<8x8xi32>) -> tensor<4x8xi32>
  check.expect_eq %body#0, %body_want0_0 : tensor<4x8xi32>
  %body_want0_1 = stablehlo.slice %body_want#0 [0:4, 0:8] : (tensor<8x8xi32>) -> tensor<4x8xi32>
  check.expect_eq %body#1, %body_want0_1 : tensor<4x8xi32>
  %body_want0_2 = stablehlo.slice %body_want#0 [0:4, 0:8] : (tensor<8x8xi32>) -> tensor<4x8xi32>
  check.expect_eq %body#2, %body_want0_2 : tensor<4x8xi32>
  %body_want0_3 = stablehlo.slice %body_want#0 [0:4, 0:8] : (tensor<8x8xi32>) -> tensor<4x8xi32>
  check.expect_eq %body#3, %body_want0_3 : tensor<4x8xi32>
  %body_want0_4 = stablehlo.slice %body_want#0 [4:8, 0:8] : (tensor<8x8xi32>) -> tensor<4x8xi32>
  check.expect_eq %body#4, %body_want0_4 : tensor<4x8xi32>
  %body_want0_5 = stablehlo.slice %body_want#0 [4:8, 0:8] : (tensor<8x8xi32>) -> tensor<4x8xi32>
  check.expect_eq %body#5, %body_want0_5 : tensor<4x8xi32>
  %body_want0_6 = stablehlo.slice %body_want#0 [4:8, 0:8] : (tensor<8x8xi32>) -> tensor<4x8xi32>
  check.expect_eq %body#6, %body_want0_6 : tensor<4x8xi32>
  %body_want0_7 = stablehlo.slice %body_want#0 [4:8, 0:8] : (tensor<8x8xi32>) -> tensor<4x8xi32>
  check.expect_eq %body#7, %body_want0_7 : tensor<4x8xi32>
  %one_device_want:1 = func.call @sequential_one_device(%a_all, %b_s) : (tensor<8x8xi32>, tensor<8x8xi32>) -> tensor<8x8xi32>
  %one_device_in0_0 = stablehlo.slice %a_all [0:4, 0:2] : (tensor<8x8xi32>) -> tensor<4x2xi32>
  %one_device_in0_1 = stablehlo.slice %a_all [0:4, 2:4] : (tensor<8x8xi32>) -> tensor<4x2xi32>
  %one_device_in0_2 = stablehlo.slice %a_all [0:4, 4:6] : (tensor<8x8xi32>) -> tensor<4x2xi32>
  %one_device_in0_3 = stablehlo.slice %a_all [0:4, 6:8] : (tensor<8x8xi32>) -> tensor<4x2xi32>
  %one_device_in0_4 = stablehlo.slice %a_all [4:8, 0:2] : (tensor<8x8xi32>) -> tensor<4x2xi32>
  %one_device_in0_5 = stablehlo.slice %a_all [4:8, 2:4] : (tensor<8x8xi32>) -> tensor<4x2xi32>
  %one_device_in0_6 = stablehlo.slice %a_all [4:8, 4:6] : (tensor<8x8xi32>) -> tensor<4x2xi32>
  %one_device_in0_7 = stablehlo.slice %a_all [4:8, 6:8] : (tensor<8x8xi32>) -> tensor<4x2xi32>
  %one_device:8 = "interpreter.run_parallel"(%one_device_in0_0, %b_s, %one_device_in0_1, %b_s, %one_device_in0_2, %b_s, %one_device_in0_3, %b_s, %one_device_in0_4, %b_s, %one_device_in0_5, %b_s, %one_device_in0_6, %b_s, %one_device_in0_7, %b_s) {
    programs = [[@parallel_one_device, @parallel_one_device, @parallel_one_device, @parallel_one_device, @parallel_one_device, @parallel_one_device, @parallel_one_device, @parallel_one_device]]
  } : (tensor<4x2xi32>, tensor<8x8xi32>, tensor<4x2xi32>, tensor<8x8xi32>, tensor<4x2xi32>, tensor<8x8xi32>, tensor<4x2xi32>, tensor<8x8xi32>, tensor<4x2xi32>, tensor<8x8xi32>, tensor<4x2xi32>, tensor<8x8xi32>, tensor<4x2xi32>, tensor<8x8xi32>, tensor<4x2xi32>, tensor<8x8xi32>)
    -> (tensor<8x2xi32>, tensor<8x2xi32>, tensor<8x2xi32>, tensor<8x2xi32>, tensor<8x2xi32>, tensor<8x2xi32>, tensor<8x2xi32>, tensor<8x2xi32>)
  %one_device_want0_0 = stablehlo.slice %one_device_want#0 [0:8, 0:2] : (tensor<8x8xi32>) -> tensor<8x2xi32>
  check.expect_eq %one_device#0, %one_device_want0_0 : tensor<8x2xi32>
  %one_device_want0_1 = stablehlo.slice %one_device_want#0 [0:8, 2:4] : (tensor<8x8xi32>) -> tensor<8x2xi32>
  check.expect_eq %one_device#1, %one_device_want0_1 : tensor<8x2xi32>
  %one_device_want0_2 = stablehlo.slice %one_device_want#0 [0:8, 4:6] : (tensor<8x8xi32>) -> tensor<8x2xi32>
  check.expect_eq %one_device#2, %one_device_want0_2 : tensor<8x2xi32>
  %one_device_want0_3 = stablehlo.slice %one_device_want#0 [0:8, 6:8] : (tensor<8x8xi32>) -> tensor<8x2xi32>
  check.expect_eq %one_device#3, %one_device_want0_3 : tensor<8x2xi32>
  %one_device_want0_4 = stablehlo.slice %one_device_want#0 [0:8, 0:2] : (tensor<8x8xi32>) -> tensor<8x2xi32>
  check.expect_eq %one_device#4, %one_device_want0_4 : tensor<8x2xi32>
  %one_device_want0_5 = stablehlo.slice %one_device_want#0 [0:8, 2:4] : (tensor<8x8xi32>) -> tensor<8x2xi32>
  check.expect_eq %one_device#5, %one_device_want0_5 : tensor<8x2xi32>
  %one_device_want0_6 = stablehlo.slice %one_device_want#0 [0:8, 4:6] : (tensor<8x8xi32>) -> tensor<8x2xi32>
  check.expect_eq %one_device#6, %one_device_want0_6 : tensor<8x2xi32>
  %one_device_want0_7 = stablehlo.slice %one_device_want#0 [0:8, 6:8] : (tensor<8x8xi32>) -> tensor<8x2xi32>
  check.expect_eq %one_device#7, %one_device_want0_7 : tensor<8x2xi32>
  %inline_want:1 = func.call @sequential_inline(%a_all) : (tensor<8x8xi32>) -> tensor<8x8xi32>
  %inline_in0_0 = stablehlo.slice %a_all [0:1, 0:8] : (tensor<8x8xi32>) -> tensor<1x8xi32>
  %inline_in0_1 = stablehlo.slice %a_all [1:2, 0:8] : (tensor<8x8xi32>) -> tensor<1x8xi32>
  %inline_in0_2 = stablehlo.slice %a_all [2:3, 0:8] : (tensor<8x8xi32>) -> tensor<1x8xi32>
  %inline_in0_3 = stablehlo.slice %a_all [3:4, 0:8] : (tensor<8x8xi32>) -> tensor<1x8xi32>
  %inline_in0_4 = stablehlo.slice %a_all [4:5, 0:8] : (tensor<8x8xi32>) -> tensor<1x8xi32>
  %inline_in0_5 = stablehlo.slice %a_all [5:6, 0:8] : (tensor<8x8xi32>) -> tensor<1x8xi32>
  %inline_in0_6 = stablehlo.slice %a_all [6:7, 0:8] : (tensor<8x8xi32>) -> tensor<1x8xi32>
  %inline_in0_7 = stablehlo.slice %a_all [7:8, 0:8] : (tensor<8x8xi32>) -> tensor<1x8xi32>
  %inline:8 = "interpreter.run_parallel"(%inline_in0_0, %inline_in0_1, %inline_in0_2, %inline_in0_3, %inline_in0_4, %inline_in0_5, %inline_in0_6, %inline_in0_7) {
    programs = [[@parallel_inline, @parallel_inline, @parallel_inline, @parallel_inline, @parallel_inline, @parallel_inline, @parallel_inline, @parallel_inline]]
  } : (tensor<1x8xi32>, tensor<1x8xi32>, tensor<1x8xi32>, tensor<1x8xi32>, tensor<1x8xi32>, tensor<1x8xi32>, tensor<1x8xi32>, tensor<1x8xi32>)
    -> (tensor<8x1xi32>, tensor<8x1xi32>, tensor<8x1xi32>, tensor<8x1xi32>, tensor<8x1xi32>, tensor<8x1xi32>, tensor<8x1xi32>, tensor<8x1xi32>)
  %inline_want0_0 = stablehlo.slice %inline_want#0 [0:8, 0:1] : (tensor<8x8xi32>) -> tensor<8x1xi32>
  check.expect_eq %inline#0, %inline_want0_0 : tensor<8x1xi32>
  %inline_want0_1 = stablehlo.slice %inline_want#0 [0:8, 1:2] : (tensor<8x8xi32>) -> tensor<8x1xi32>
  check.expect_eq %inline#1, %inline_want0_1 : tensor<8x1xi32>
  %inline_want0_2 = stablehlo.slice %inline_want#0 [0:8, 2:3] : (tensor<8x8xi32>) -> tensor<8x1xi32>
  check.expect_eq %inline#2, %inline_want0_2 : tensor<8x1xi32>
  %inline_want0_3 = stablehlo.slice %inline_want#0 [0:8, 3:4] : (tensor<8x8xi32>) -> tensor<8x1xi32>
  check.expect_eq %inline#3, %inline_want0_3 : tensor<8x1xi32>
  %inline_want0_4 = stablehlo.slice %inline_want#0 [0:8, 4:5] : (tensor<8x8xi32>) -> tensor<8x1xi32>
  check.expect_eq %inline#4, %inline_want0_4 : tensor<8x1xi32>
  %inline_want0_5 = stablehlo.slice %inline_want#0 [0:8, 5:6] : (tensor<8x8xi32>) -> tensor<8x1xi32>
  check.expect_eq %inline#5, %inline_want0_5 : tensor<8x1xi32>
  %inline_want0_6 = stablehlo.slice %inline_want#0 [0:8, 6:7] : (tensor<8x8xi32>) -> tensor<8x1xi32>
  check.expect_eq %inline#6, %inline_want0_6 : tensor<8x1xi32>
  %inline_want0_7 = stablehlo.slice %inline_want#0 [0:8, 7:8] : (tensor<8x8xi32>) -> tensor<8x1xi32>
  check.expect_eq %inline#7, %inline_want0_7 : tensor<8x1xi32>
  return
}
