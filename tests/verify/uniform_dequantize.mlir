// RUN: tessera parse --verify-diagnostics %s

func.func @c1(%x: tensor<2x!quant.uniform<i8:f32, 0.25:-3>>) {
  // expected-error@+1 {{C1: }}
  %0 = "stablehlo.uniform_dequantize"(%x) : (tensor<2x!quant.uniform<i8:f32, 0.25:-3>>) -> tensor<3xf32>
  return
}

// -----

func.func @c2(%x: tensor<2x!quant.uniform<i8:f32, 0.25:-3>>) {
  // expected-error@+1 {{C2: }}
  %0 = "stablehlo.uniform_dequantize"(%x) : (tensor<2x!quant.uniform<i8:f32, 0.25:-3>>) -> tensor<2xf64>
  return
}

// -----

func.func @operand(%x: tensor<2xf32>) {
  // expected-error@+1 {{operand 0 must be quantized}}
  %0 = "stablehlo.uniform_dequantize"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return
}
