// RUN: tessera parse --verify-diagnostics %s

func.func @c1(%x: tensor<2xf32>) {
  // expected-error@+1 {{C1: }}
  %0 = "stablehlo.uniform_quantize"(%x) : (tensor<2xf32>) -> tensor<3x!quant.uniform<i8:f32, 0.25:-3>>
  return
}

// -----

func.func @c2(%x: tensor<2xf64>) {
  // expected-error@+1 {{C2: }}
  %0 = "stablehlo.uniform_quantize"(%x) : (tensor<2xf64>) -> tensor<2x!quant.uniform<i8:f32, 0.25:-3>>
  return
}

// -----

func.func @result(%x: tensor<2xf32>) {
  // expected-error@+1 {{result must be quantized}}
  %0 = "stablehlo.uniform_quantize"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @operand(%x: tensor<2xi32>) {
  // expected-error@+1 {{operand 0 must be float or quantized}}
  %0 = "stablehlo.uniform_quantize"(%x) : (tensor<2xi32>) -> tensor<2x!quant.uniform<i8:f32, 0.25:-3>>
  return
}
