// Ops on one device each, in both ways: partition_id is the id of the device that computes them, also by way of an op that says nothing.
// RUN: env SDY_OPT=%out/tools/sdy_opt TESSERA=%out/tessera %root/tools/run_sdy_interpreter_test.sh %s %t --sdy-partitioner-pipeline
// RUN: env SDY_OPT=%out/tools/sdy_opt TESSERA=%out/tessera %root/tools/run_sdy_interpreter_test.sh %s %t --sdy-convert-global-to-local
// RUN: env SDY_OPT=%out/tools/sdy_opt TESSERA=%out/tessera PARTITION='%out/tessera partition' %root/tools/run_sdy_interpreter_test.sh %s %t

//--- part1.mlir

sdy.mesh @mesh = <["x"=4]>
sdy.mesh @maximal_mesh_1 = <[], device_ids=[1]>
sdy.mesh @maximal_mesh_2 = <[], device_ids=[2]>

func.func @adds(%a: tensor<4xui32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<4xui32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
  %ten = stablehlo.constant dense<10> : tensor<ui32>
  %id = stablehlo.partition_id : tensor<ui32>
  %tens = stablehlo.multiply %id, %ten : tensor<ui32>
  %b = stablehlo.broadcast_in_dim %tens, dims = [] : (tensor<ui32>) -> tensor<4xui32>
  %0 = stablehlo.add %a, %b {sdy.sharding = #sdy.sharding_per_value<[<@maximal_mesh_2, []>]>} : tensor<4xui32>
  %1 = stablehlo.add %0, %b {sdy.sharding = #sdy.sharding_per_value<[<@maximal_mesh_1, []>]>} : tensor<4xui32>
  return %1 : tensor<4xui32>
}

func.func @id(%a: tensor<4xui32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<ui32>, tensor<ui32>) {
  %0 = stablehlo.partition_id {sdy.sharding = #sdy.sharding_per_value<[<@maximal_mesh_1, []>]>} : tensor<ui32>
  %1 = stablehlo.partition_id {sdy.sharding = #sdy.sharding_per_value<[<@maximal_mesh_2, []>]>} : tensor<ui32>
  return %0, %1 : tensor<ui32>, tensor<ui32>
}

//--- part2.mlir

func.func @main() {
  %a = stablehlo.constant dense<1> : tensor<1xui32>
  %b = stablehlo.constant dense<2> : tensor<1xui32>
  %c = stablehlo.constant dense<3> : tensor<1xui32>
  %d = stablehlo.constant dense<4> : tensor<1xui32>
  %0:4 = "interpreter.run_parallel"(%a, %b, %c, %d) {programs = [[@adds, @adds, @adds, @adds]]} : (tensor<1xui32>, tensor<1xui32>, tensor<1xui32>, tensor<1xui32>) -> (tensor<4xui32>, tensor<4xui32>, tensor<4xui32>, tensor<4xui32>)
  check.expect_eq_const %0#0, dense<[31, 32, 33, 34]> : tensor<4xui32>
  check.expect_eq_const %0#1, dense<[31, 32, 33, 34]> : tensor<4xui32>
  check.expect_eq_const %0#3, dense<[31, 32, 33, 34]> : tensor<4xui32>
  %1:8 = "interpreter.run_parallel"(%a, %b, %c, %d) {programs = [[@id, @id, @id, @id]]} : (tensor<1xui32>, tensor<1xui32>, tensor<1xui32>, tensor<1xui32>) -> (tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>)
  check.expect_eq_const %1#0, dense<1> : tensor<ui32>
  check.expect_eq_const %1#1, dense<2> : tensor<ui32>
  check.expect_eq_const %1#6, dense<1> : tensor<ui32>
  check.expect_eq_const %1#7, dense<2> : tensor<ui32>
  return
}
