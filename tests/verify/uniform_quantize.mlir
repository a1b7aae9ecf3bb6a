// RUN: tessera parse --verify-diagnostics %s

func.func @c1(%x: tensor<2xf32>) {
  // expected-error@+1 {{'stablehlo.uniform_quantize' op C1: operand and result must have the same shape, got tensor<2xf32> and tensor<3x!quant.uniform<i8:f32, 2.500000e-01:-3>>}}
  %0 = "stablehlo.uniform_quantize"(%x) : (tensor<2xf32>) -> tensor<3x!quant.uniform<i8:f32, 0.25:-3>>
  return
}

// -----

func.func @c2(%x: tensor<2xf64>) {
  // expected-error@+1 {{'stablehlo.uniform_quantize' op C2: the result's expressed type must be the operand's f64, got tensor<2x!quant.uniform<i8:f32, 2.500000e-01:-3>>}}
  %0 = "stablehlo.uniform_quantize"(%x) : (tensor<2xf64>) -> tensor<2x!quant.uniform<i8:f32, 0.25:-3>>
  return
}

// -----

func.func @result(%x: tensor<2xf32>) {
  // expected-error@+1 {{'stablehlo.uniform_quantize' op result must be quantized, got tensor<2xf32>}}
  %0 = "stablehlo.uniform_quantize"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @operand(%x: tensor<2xi32>) {
  // expected-error@+1 {{'stablehlo.uniform_quantize' op operand 0 must be float or quantized, got tensor<2xi32>}}
  %0 = "stablehlo.uniform_quantize"(%x) : (tensor<2xi32>) -> tensor<2x!quant.uniform<i8:f32, 0.25:-3>>
  return
}
