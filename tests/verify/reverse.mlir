// RUN: tessera parse --verify-diagnostics %s

func.func @c1(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{'stablehlo.reverse' op C1: the operand has type tensor<2x3xf32> and the result tensor<3x2xf32>, expected the same}}
  %0 = "stablehlo.reverse"(%a) <{dimensions = array<i64: 0>}> : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @c2(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{'stablehlo.reverse' op C2: dimensions are [0, 0], expected no dimension twice}}
  %0 = "stablehlo.reverse"(%a) <{dimensions = array<i64: 0, 0>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @c3(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{'stablehlo.reverse' op C3: dimensions are [2], expected each in [0, 2)}}
  %0 = "stablehlo.reverse"(%a) <{dimensions = array<i64: 2>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @c1_scale(%x: tensor<2x!quant.uniform<i8:f32, 0.5:0>>) {
  // expected-error@+1 {{'stablehlo.reverse' op C1: the operand has type tensor<2x!quant.uniform<i8:f32, 5.000000e-01>> and the result tensor<2x!quant.uniform<i8:f32, 2.500000e-01>>, expected the same}}
  %0 = "stablehlo.reverse"(%x) {dimensions = array<i64: 0>} : (tensor<2x!quant.uniform<i8:f32, 0.5:0>>) -> tensor<2x!quant.uniform<i8:f32, 0.25:0>>
  return
}
