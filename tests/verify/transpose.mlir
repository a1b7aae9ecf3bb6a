// RUN: tessera parse --verify-diagnostics %s

func.func @c1(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{'stablehlo.transpose' op C1: the result's element type is f64, expected the operand's f32}}
  %0 = "stablehlo.transpose"(%a) <{permutation = array<i64: 1, 0>}> : (tensor<2x3xf32>) -> tensor<3x2xf64>
  return
}

// -----

func.func @c2(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{'stablehlo.transpose' op C2: permutation is [1, 1], expected a permutation of the operand's 2 dimensions}}
  %0 = "stablehlo.transpose"(%a) <{permutation = array<i64: 1, 1>}> : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @c2_size(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{'stablehlo.transpose' op C2: permutation is [0], expected a permutation of the operand's 2 dimensions}}
  %0 = "stablehlo.transpose"(%a) <{permutation = array<i64: 0>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @c3(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{'stablehlo.transpose' op C3: the result's shape is [2, 3], expected [3, 2]}}
  %0 = "stablehlo.transpose"(%a) <{permutation = array<i64: 1, 0>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @c4(%a: tensor<2x2x!quant.uniform<i8:f32:0, {0.5, 0.25:1}>>) {
  // expected-error@+1 {{'stablehlo.transpose' op C4: the result is quantized along dimension 0, expected 1, to which the permutation moves the operand's quantized dimension 0}}
  %0 = "stablehlo.transpose"(%a) <{permutation = array<i64: 1, 0>}> : (tensor<2x2x!quant.uniform<i8:f32:0, {0.5, 0.25:1}>>) -> tensor<2x2x!quant.uniform<i8:f32:0, {0.5, 0.25:1}>>
  return
}
