// RUN: tessera parse --verify-diagnostics %s

func.func @c1(%x: tensor<3x3xf32>) {
  // expected-error@+1 {{'stablehlo.cholesky' op C1: the result has type tensor<3x3xf64>, expected the operand's tensor<3x3xf32>}}
  %r = "stablehlo.cholesky"(%x) {lower = true} : (tensor<3x3xf32>) -> tensor<3x3xf64>
  return
}

// -----

func.func @c1_shape(%x: tensor<3x3xf32>) {
  // expected-error@+1 {{'stablehlo.cholesky' op C1: the result has type tensor<2x2xf32>, expected the operand's tensor<3x3xf32>}}
  %r = "stablehlo.cholesky"(%x) {lower = true} : (tensor<3x3xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @c2(%x: tensor<3xf32>) {
  // expected-error@+1 {{'stablehlo.cholesky' op C2: the operand has rank 1, expected at least 2}}
  %r = "stablehlo.cholesky"(%x) {lower = true} : (tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @c3(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'stablehlo.cholesky' op C3: the last two dimensions have sizes 2 and 3, expected equal sizes (square matrices)}}
  %r = "stablehlo.cholesky"(%x) {lower = true} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @integers(%x: tensor<2x2xi32>) {
  // expected-error@+1 {{'stablehlo.cholesky' op the operand has element type i32, expected a float or complex type}}
  %r = "stablehlo.cholesky"(%x) {lower = true} : (tensor<2x2xi32>) -> tensor<2x2xi32>
  return
}

// -----

func.func @per_axis(%x: tensor<2x2x!quant.uniform<i8:f32:0, {0.5:0, 0.25:0}>>) {
  // expected-error@+1 {{'stablehlo.cholesky' op operand 0 must be a tensor or a per-tensor quantized tensor, got tensor<2x2x!quant.uniform<i8:f32:0, {5.000000e-01,2.500000e-01}>>}}
  %0 = "stablehlo.cholesky"(%x) {lower = true} : (tensor<2x2x!quant.uniform<i8:f32:0, {0.5:0, 0.25:0}>>) -> tensor<2x2x!quant.uniform<i8:f32:0, {0.5:0, 0.25:0}>>
  return
}

// -----

func.func @per_axis_result(%x: tensor<2x2x!quant.uniform<i8:f32, 0.5:0>>) {
  // expected-error@+1 {{'stablehlo.cholesky' op result 0 must be a tensor or a per-tensor quantized tensor, got tensor<2x2x!quant.uniform<i8:f32:0, {5.000000e-01,2.500000e-01}>>}}
  %0 = "stablehlo.cholesky"(%x) {lower = true} : (tensor<2x2x!quant.uniform<i8:f32, 0.5:0>>) -> tensor<2x2x!quant.uniform<i8:f32:0, {0.5:0, 0.25:0}>>
  return
}
