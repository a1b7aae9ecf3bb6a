// RUN: tessera parse --verify-diagnostics %s

func.func @c1(%x: tensor<2xf32>) {
  // expected-error@+1 {{C1: }}
  %0 = "stablehlo.convert"(%x) : (tensor<2xf32>) -> tensor<3xi32>
  return
}

// -----

func.func @quantized(%x: tensor<2xf32>) {
  // expected-error@+1 {{quantized types take uniform_quantize}}
  %0 = "stablehlo.convert"(%x) : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32, 0.5:0>>
  return
}
