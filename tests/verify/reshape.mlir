// RUN: tessera parse --verify-diagnostics %s

func.func @c1(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{'stablehlo.reshape' op C1: the result's element type is f64, expected the operand's f32}}
  %0 = "stablehlo.reshape"(%a) : (tensor<2x3xf32>) -> tensor<6xf64>
  return
}

// -----

func.func @c2(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{'stablehlo.reshape' op C2: the operand has 6 elements and the result 5, expected equal numbers (shapes [2, 3] and [5])}}
  %0 = "stablehlo.reshape"(%a) : (tensor<2x3xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @c3(%a: tensor<2x4x!quant.uniform<i8:f32:0, {0.5, 0.25:1}>>) {
  // expected-error@+1 {{'stablehlo.reshape' op C3: the sizes of the dimensions before the quantized one have product 1 in the operand and 4 in the result, expected equal}}
  %0 = "stablehlo.reshape"(%a) : (tensor<2x4x!quant.uniform<i8:f32:0, {0.5, 0.25:1}>>) -> tensor<4x2x!quant.uniform<i8:f32:1, {0.5, 0.25:1}>>
  return
}
