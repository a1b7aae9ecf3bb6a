// RUN: tessera parse --verify-diagnostics %s

// The constraints of the specification on quantized types themselves. What the spelling alone shows (C3, C5, C6, C7,
// C11) the reader refuses, what needs the tensor or the expressed type the verifier. C1, C2, C4, C8, C9 and C10 cannot
// be broken in this spelling: the numbers have no types of their own and scales stand with their zero points.

func.func @c13(%x: tensor<3xf32>) {
  // expected-error@+1 {{'stablehlo.uniform_quantize' op result 0 has an invalid quantized type: C13: there are 2 scales for dimension 0 of size 3, expected one scale per element}}
  %0 = stablehlo.uniform_quantize %x : (tensor<3xf32>) -> tensor<3x!quant.uniform<i8:f32:0, {0.5:0, 0.25:0}>>
  return
}

// -----

func.func @c12(%x: tensor<2xf32>) {
  // expected-error@+1 {{'stablehlo.uniform_quantize' op result 0 has an invalid quantized type: C12: the quantized dimension is 1, expected it below the tensor's rank 1}}
  %0 = stablehlo.uniform_quantize %x : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32:1, {0.5:0, 0.25:0}>>
  return
}

// -----

// expected-error@+1 {{'func.func' op block argument 0 has an invalid quantized type: C13: there are 2 scales for dimension 0 of size 3, expected one scale per element}}
func.func @argument(%x: tensor<3x!quant.uniform<i8:f32:0, {0.5:0, 0.25:0}>>) {
  return
}

// -----

// expected-error@+1 {{C3: the storage range is -129:127, expected min < max within -128:127 of i8}}
func.func @c3(%x: tensor<3x!quant.uniform<i8<-129:127>:f32, 0.5:0>>) {
  return
}

// -----

// expected-error@+1 {{C3: the storage range is 5:5, expected min < max within -128:127 of i8}}
func.func @c3_empty(%x: tensor<3x!quant.uniform<i8<5:5>:f32, 0.5:5>>) {
  return
}

// -----

// expected-error@+1 {{C5: the scale is -0.5, expected a positive number}}
func.func @c5(%x: tensor<3x!quant.uniform<i8:f32, -0.5:0>>) {
  return
}

// -----

// expected-error@+1 {{'func.func' op block argument 0 has an invalid quantized type: C5: the scale is 1e-09, which is 0 when rounded to f16}}
func.func @c5_rounded(%x: tensor<3x!quant.uniform<i8:f16, 1.0e-9:0>>) {
  return
}

// -----

// expected-error@+1 {{C6: the scale is inf, expected a finite number}}
func.func @c6(%x: tensor<3x!quant.uniform<i8:f64, 1.0e999:0>>) {
  return
}

// -----

// expected-error@+1 {{'func.func' op block argument 0 has an invalid quantized type: C6: the scale is 1e+06, which is infinite when rounded to f16}}
func.func @c6_rounded(%x: tensor<3x!quant.uniform<i8:f16, 1.0e6:0>>) {
  return
}

// -----

// expected-error@+1 {{C7: the zero point is 128, expected it in the storage range -128:127}}
func.func @c7(%x: tensor<3x!quant.uniform<i8:f32, 0.5:128>>) {
  return
}

// -----

// expected-error@+1 {{C7: the zero point is -9, expected it in the storage range -8:7}}
func.func @c7_narrowed(%x: tensor<3x!quant.uniform<i8<-8:7>:f32, 0.5:-9>>) {
  return
}

// -----

// expected-error@+1 {{C11: the quantized dimension is -1, expected 0 to 2147483647}}
func.func @c11(%x: tensor<1x!quant.uniform<i8:f32:-1, {0.5:0}>>) {
  return
}

// -----

// Storage may be wider than what it expresses.
func.func @wide(%x: tensor<2x!quant.uniform<i32:f16, 0.5:0>>) {
  return
}
