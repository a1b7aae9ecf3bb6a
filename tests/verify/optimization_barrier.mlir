// RUN: tessera parse --verify-diagnostics %s

func.func @c1(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{'stablehlo.optimization_barrier' op C1: operand and result 0 have types tensor<2x3xf32> and tensor<f32>, expected the same}}
  %0 = "stablehlo.optimization_barrier"(%a) : (tensor<2x3xf32>) -> tensor<f32>
  return
}

// -----

func.func @c1_count(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{'stablehlo.optimization_barrier' op C1: the numbers of operands and results are 1 and 2, expected equal}}
  %0:2 = "stablehlo.optimization_barrier"(%a) : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
  return
}

// -----

func.func @per_axis(%x: tensor<2x2x!quant.uniform<i8:f32:0, {0.5:0, 0.25:0}>>) {
  // expected-error@+1 {{'stablehlo.optimization_barrier' op operand 0 must be a tensor or a per-tensor quantized tensor, got tensor<2x2x!quant.uniform<i8:f32:0, {5.000000e-01,2.500000e-01}>>}}
  %0 = stablehlo.optimization_barrier %x : tensor<2x2x!quant.uniform<i8:f32:0, {0.5:0, 0.25:0}>>
  return
}

// -----

func.func @c1_scale(%x: tensor<2x!quant.uniform<i8:f32, 0.5:0>>) {
  // expected-error@+1 {{'stablehlo.optimization_barrier' op C1: operand and result 0 have types tensor<2x!quant.uniform<i8:f32, 5.000000e-01>> and tensor<2x!quant.uniform<i8:f32, 2.500000e-01>>, expected the same}}
  %0 = "stablehlo.optimization_barrier"(%x) : (tensor<2x!quant.uniform<i8:f32, 0.5:0>>) -> tensor<2x!quant.uniform<i8:f32, 0.25:0>>
  return
}
