// RUN: tessera parse --verify-diagnostics %s

// The constraints of the specification on quantized types themselves. What the spelling alone shows (C4, C6, C7, C8)
// the reader refuses; what needs the tensor the verifier does.

func.func @c13(%x: tensor<3xf32>) {
  // expected-error@+1 {{C13: 2 scales for dimension 0 of size 3}}
  %0 = stablehlo.uniform_quantize %x : (tensor<3xf32>) -> tensor<3x!quant.uniform<i8:f32:0, {0.5:0, 0.25:0}>>
  return
}

// -----

func.func @c12(%x: tensor<2xf32>) {
  // expected-error@+1 {{C12: quantization dimension 1 must be below the rank 1}}
  %0 = stablehlo.uniform_quantize %x : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32:1, {0.5:0, 0.25:0}>>
  return
}

// -----

func.func @c1(%x: tensor<2xf16>) {
  // expected-error@+1 {{C1: storage type of 32 bits must not be wider than expressed type of 16 bits}}
  %0 = stablehlo.uniform_quantize %x : (tensor<2xf16>) -> tensor<2x!quant.uniform<i32:f16, 0.5:0>>
  return
}

// -----

// expected-error@+1 {{C13: 2 scales for dimension 0 of size 3}}
func.func @argument(%x: tensor<3x!quant.uniform<i8:f32:0, {0.5:0, 0.25:0}>>) {
  return
}

// -----

// expected-error@+1 {{the scale -0.5 is not positive and finite}}
func.func @c6(%x: tensor<3x!quant.uniform<i8:f32, -0.5:0>>) {
  return
}

// -----

// expected-error@+1 {{the zero point 128 is not within the storage range -128:127}}
func.func @c8(%x: tensor<3x!quant.uniform<i8:f32, 0.5:128>>) {
  return
}
