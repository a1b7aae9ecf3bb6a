// RUN: tessera parse --verify-diagnostics %s

func.func @c1(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{'stablehlo.tuple' op C1: the result has type tuple<tensor<2x3xf32>>, expected tuple<tensor<2x3xf32>, tensor<2x3xf32>>}}
  %0 = "stablehlo.tuple"(%a, %a) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tuple<tensor<2x3xf32>>
  return
}

// -----

func.func @c1_scale(%x: tensor<2x!quant.uniform<i8:f32, 0.5:0>>) {
  // expected-error@+1 {{'stablehlo.tuple' op C1: the result has type tuple<tensor<2x!quant.uniform<i8:f32, 2.500000e-01>>>, expected tuple<tensor<2x!quant.uniform<i8:f32, 5.000000e-01>>>}}
  %0 = "stablehlo.tuple"(%x) : (tensor<2x!quant.uniform<i8:f32, 0.5:0>>) -> tuple<tensor<2x!quant.uniform<i8:f32, 0.25:0>>>
  return
}
