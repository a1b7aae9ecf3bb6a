// RUN: tessera parse --verify-diagnostics %s

func.func @c1(%x: tensor<2x!quant.uniform<i8:f32, 0.25:-3>>) {
  // expected-error@+1 {{'stablehlo.uniform_dequantize' op C1: operand and result must have the same shape, got tensor<2x!quant.uniform<i8:f32, 2.500000e-01:-3>> and tensor<3xf32>}}
  %0 = "stablehlo.uniform_dequantize"(%x) : (tensor<2x!quant.uniform<i8:f32, 0.25:-3>>) -> tensor<3xf32>
  return
}

// -----

func.func @c2(%x: tensor<2x!quant.uniform<i8:f32, 0.25:-3>>) {
  // expected-error@+1 {{'stablehlo.uniform_dequantize' op C2: result type must be tensor<2xf32>, got tensor<2xf64>}}
  %0 = "stablehlo.uniform_dequantize"(%x) : (tensor<2x!quant.uniform<i8:f32, 0.25:-3>>) -> tensor<2xf64>
  return
}

// -----

func.func @operand(%x: tensor<2xf32>) {
  // expected-error@+1 {{'stablehlo.uniform_dequantize' op operand 0 must be quantized, got tensor<2xf32>}}
  %0 = "stablehlo.uniform_dequantize"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return
}
