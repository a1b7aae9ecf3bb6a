// RUN: tessera check %s

// A ring across partitions, in each replica by itself.
func.func @p(%x: tensor<2xi4>) -> tensor<2xi4> {
  %0 = "stablehlo.collective_permute"(%x) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}> : (tensor<2xi4>) -> tensor<2xi4>
  return %0 : tensor<2xi4>
}
func.func @main() {
  %a = stablehlo.constant dense<[1, -1]> : tensor<2xi4>
  %b = stablehlo.constant dense<[2, -2]> : tensor<2xi4>
  %c = stablehlo.constant dense<[3, -3]> : tensor<2xi4>
  %d = stablehlo.constant dense<[4, -4]> : tensor<2xi4>
  %r:4 = "interpreter.run_parallel"(%a, %b, %c, %d) {programs = [[@p, @p], [@p, @p]]} : (tensor<2xi4>, tensor<2xi4>, tensor<2xi4>, tensor<2xi4>) -> (tensor<2xi4>, tensor<2xi4>, tensor<2xi4>, tensor<2xi4>)
  check.expect_eq_const %r#0, dense<[2, -2]> : tensor<2xi4>
  check.expect_eq_const %r#1, dense<[1, -1]> : tensor<2xi4>
  check.expect_eq_const %r#2, dense<[4, -4]> : tensor<2xi4>
  check.expect_eq_const %r#3, dense<[3, -3]> : tensor<2xi4>
  return
}

// -----

// A shift across replicas: the first gets zeros (the quantized zero of a quantized type), the last sends to none.
func.func @p(%x: tensor<2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x!quant.uniform<i8:f32, 0.5:3>> {
  %0 = "stablehlo.collective_permute"(%x) <{source_target_pairs = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>}> : (tensor<2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x!quant.uniform<i8:f32, 0.5:3>>
  return %0 : tensor<2x!quant.uniform<i8:f32, 0.5:3>>
}
func.func @main() {
  %f = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %q = stablehlo.uniform_quantize %f : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32, 0.5:3>>
  %r:3 = "interpreter.run_parallel"(%q, %q, %q) {programs = [[@p], [@p], [@p]]} : (tensor<2x!quant.uniform<i8:f32, 0.5:3>>, tensor<2x!quant.uniform<i8:f32, 0.5:3>>, tensor<2x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<2x!quant.uniform<i8:f32, 0.5:3>>, tensor<2x!quant.uniform<i8:f32, 0.5:3>>, tensor<2x!quant.uniform<i8:f32, 0.5:3>>)
  %0 = stablehlo.uniform_dequantize %r#0 : (tensor<2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2xf32>
  %1 = stablehlo.uniform_dequantize %r#1 : (tensor<2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2xf32>
  check.expect_eq_const %0, dense<0.0> : tensor<2xf32>
  check.expect_eq_const %1, dense<[1.0, 2.0]> : tensor<2xf32>
  return
}
