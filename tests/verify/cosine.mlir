// RUN: tessera parse --verify-diagnostics %s

func.func @c1(%x: tensor<2xf32>) {
  // expected-error@+1 {{'stablehlo.cosine' op C1: result must have the shape of tensor<2xf32>, got tensor<3xf32>}}
  %0 = "stablehlo.cosine"(%x) : (tensor<2xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @c1_element(%x: tensor<2xf32>) {
  // expected-error@+1 {{'stablehlo.cosine' op C1: result type must be tensor<2xf32>, got tensor<2xf64>}}
  %0 = "stablehlo.cosine"(%x) : (tensor<2xf32>) -> tensor<2xf64>
  return
}

// -----

func.func @kind(%x: tensor<2xi1>) {
  // expected-error@+1 {{'stablehlo.cosine' op operand 0 must be float, complex or quantized, got tensor<2xi1>}}
  %0 = "stablehlo.cosine"(%x) : (tensor<2xi1>) -> tensor<2xi1>
  return
}

// -----

func.func @per_axis(%x: tensor<2x!quant.uniform<i8:f32:0, {0.5:0, 0.25:0}>>) {
  // expected-error@+1 {{'stablehlo.cosine' op operand 0 must be quantized per tensor, got tensor<2x!quant.uniform<i8:f32:0, {5.000000e-01,2.500000e-01}>>}}
  %0 = "stablehlo.cosine"(%x) : (tensor<2x!quant.uniform<i8:f32:0, {0.5:0, 0.25:0}>>) -> tensor<2x!quant.uniform<i8:f32:0, {0.5:0, 0.25:0}>>
  return
}
