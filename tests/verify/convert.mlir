// RUN: tessera parse --verify-diagnostics %s

func.func @c1(%x: tensor<2xf32>) {
  // expected-error@+1 {{'stablehlo.convert' op C1: result type must be tensor<2xi32>, got tensor<3xi32>}}
  %0 = "stablehlo.convert"(%x) : (tensor<2xf32>) -> tensor<3xi32>
  return
}

// -----

func.func @quantized(%x: tensor<2xf32>) {
  // expected-error@+1 {{'stablehlo.convert' op operand and result must not be quantized, got tensor<2xf32> and tensor<2x!quant.uniform<i8:f32, 5.000000e-01>>; use uniform_quantize or uniform_dequantize}}
  %0 = "stablehlo.convert"(%x) : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32, 0.5:0>>
  return
}
