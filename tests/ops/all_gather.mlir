// RUN: tessera check %s

// Two groups across replicas, one partition each; group order is the order of the list.
func.func @g(%x: tensor<1x2xi32>) -> tensor<2x2xi32> {
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[2, 0], [1, 3]]> : tensor<2x2xi64>}> : (tensor<1x2xi32>) -> tensor<2x2xi32>
  return %0 : tensor<2x2xi32>
}
func.func @main() {
  %a = stablehlo.constant dense<[[0, 1]]> : tensor<1x2xi32>
  %b = stablehlo.constant dense<[[10, 11]]> : tensor<1x2xi32>
  %c = stablehlo.constant dense<[[20, 21]]> : tensor<1x2xi32>
  %d = stablehlo.constant dense<[[30, 31]]> : tensor<1x2xi32>
  %r:4 = "interpreter.run_parallel"(%a, %b, %c, %d) {programs = [[@g], [@g], [@g], [@g]]} : (tensor<1x2xi32>, tensor<1x2xi32>, tensor<1x2xi32>, tensor<1x2xi32>) -> (tensor<2x2xi32>, tensor<2x2xi32>, tensor<2x2xi32>, tensor<2x2xi32>)
  check.expect_eq_const %r#0, dense<[[20, 21], [0, 1]]> : tensor<2x2xi32>
  check.expect_eq_const %r#1, dense<[[10, 11], [30, 31]]> : tensor<2x2xi32>
  check.expect_eq_const %r#2, dense<[[20, 21], [0, 1]]> : tensor<2x2xi32>
  check.expect_eq_const %r#3, dense<[[10, 11], [30, 31]]> : tensor<2x2xi32>
  return
}

// -----

// Global ids on a 2 x 2 grid, several operands, an empty dimension, bf16.
func.func @g(%x: tensor<2xbf16>, %y: tensor<1x0xi1>) -> (tensor<4xbf16>, tensor<2x0xi1>) {
  %0:2 = "stablehlo.all_gather"(%x, %y) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 3], [1, 2]]> : tensor<2x2xi64>, use_global_device_ids}> : (tensor<2xbf16>, tensor<1x0xi1>) -> (tensor<4xbf16>, tensor<2x0xi1>)
  return %0#0, %0#1 : tensor<4xbf16>, tensor<2x0xi1>
}
func.func @main() {
  %e = stablehlo.constant dense<> : tensor<1x0xi1>
  %a = stablehlo.constant dense<[0.0, 0.5]> : tensor<2xbf16>
  %b = stablehlo.constant dense<[1.0, 1.5]> : tensor<2xbf16>
  %c = stablehlo.constant dense<[2.0, 2.5]> : tensor<2xbf16>
  %d = stablehlo.constant dense<[3.0, 3.5]> : tensor<2xbf16>
  %r:8 = "interpreter.run_parallel"(%a, %e, %b, %e, %c, %e, %d, %e) {programs = [[@g, @g], [@g, @g]]} : (tensor<2xbf16>, tensor<1x0xi1>, tensor<2xbf16>, tensor<1x0xi1>, tensor<2xbf16>, tensor<1x0xi1>, tensor<2xbf16>, tensor<1x0xi1>) -> (tensor<4xbf16>, tensor<2x0xi1>, tensor<4xbf16>, tensor<2x0xi1>, tensor<4xbf16>, tensor<2x0xi1>, tensor<4xbf16>, tensor<2x0xi1>)
  check.expect_eq_const %r#0, dense<[0.0, 0.5, 3.0, 3.5]> : tensor<4xbf16>
  check.expect_eq_const %r#2, dense<[1.0, 1.5, 2.0, 2.5]> : tensor<4xbf16>
  check.expect_eq_const %r#7, dense<> : tensor<2x0xi1>
  return
}

// -----

// Groups by mesh axes: the same as [[0, 2], [1, 3]] for axis "x" of a 2 x 2 mesh.
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @g(%x: tensor<1xi32>) -> tensor<2xi32> {
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> : (tensor<1xi32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
func.func @main() {
  %a = stablehlo.constant dense<0> : tensor<1xi32>
  %b = stablehlo.constant dense<1> : tensor<1xi32>
  %c = stablehlo.constant dense<2> : tensor<1xi32>
  %d = stablehlo.constant dense<3> : tensor<1xi32>
  %r:4 = "interpreter.run_parallel"(%a, %b, %c, %d) {programs = [[@g, @g, @g, @g]]} : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> (tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>)
  check.expect_eq_const %r#0, dense<[0, 2]> : tensor<2xi32>
  check.expect_eq_const %r#1, dense<[1, 3]> : tensor<2xi32>
  check.expect_eq_const %r#2, dense<[0, 2]> : tensor<2xi32>
  check.expect_eq_const %r#3, dense<[1, 3]> : tensor<2xi32>
  return
}

// -----

func.func @gather(%x: tensor<2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4x!quant.uniform<i8:f32, 0.5:3>> {
  %0 = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4x!quant.uniform<i8:f32, 0.5:3>>
  return %0 : tensor<4x!quant.uniform<i8:f32, 0.5:3>>
}
func.func @main() {
  %f = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %q = stablehlo.uniform_quantize %f : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32, 0.5:3>>
  %r:2 = "interpreter.run_parallel"(%q, %q) {programs = [[@gather], [@gather]]} : (tensor<2x!quant.uniform<i8:f32, 0.5:3>>, tensor<2x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<4x!quant.uniform<i8:f32, 0.5:3>>, tensor<4x!quant.uniform<i8:f32, 0.5:3>>)
  %0 = stablehlo.uniform_dequantize %r#0 : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4xf32>
  check.expect_eq_const %0, dense<[1.0, 2.0, 1.0, 2.0]> : tensor<4xf32>
  return
}
