// RUN: tessera parse --verify-diagnostics %s

func.func @c1(%a: tensor<3x3xf32>, %b: tensor<3x2xf64>) {
  // expected-error@+1 {{'stablehlo.triangular_solve' op C1: a has element type f32 and b f64, expected equal}}
  %r = "stablehlo.triangular_solve"(%a, %b) {left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<3x3xf32>, tensor<3x2xf64>) -> tensor<3x2xf64>
  return
}

// -----

func.func @c2(%a: tensor<3x3xf32>, %b: tensor<3xf32>) {
  // expected-error@+1 {{'stablehlo.triangular_solve' op C2: a has rank 2 and b 1, expected equal ranks of at least 2}}
  %r = "stablehlo.triangular_solve"(%a, %b) {left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<3x3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @c2_vector(%a: tensor<3xf32>, %b: tensor<3xf32>) {
  // expected-error@+1 {{'stablehlo.triangular_solve' op C2: a has rank 1 and b 1, expected equal ranks of at least 2}}
  %r = "stablehlo.triangular_solve"(%a, %b) {left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @c3_square(%a: tensor<3x2xf32>, %b: tensor<3x2xf32>) {
  // expected-error@+1 {{'stablehlo.triangular_solve' op C3: the last two dimensions of a have sizes 3 and 2, expected equal sizes (square matrices)}}
  %r = "stablehlo.triangular_solve"(%a, %b) {left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @c3_batch(%a: tensor<2x3x3xf32>, %b: tensor<4x3x2xf32>) {
  // expected-error@+1 {{'stablehlo.triangular_solve' op C3: batch dimension 0 has size 2 in a and 4 in b, expected equal}}
  %r = "stablehlo.triangular_solve"(%a, %b) {left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<2x3x3xf32>, tensor<4x3x2xf32>) -> tensor<4x3x2xf32>
  return
}

// -----

func.func @c3_size(%a: tensor<3x3xf32>, %b: tensor<3x2xf32>) {
  // expected-error@+1 {{'stablehlo.triangular_solve' op C3: the matrices of a have size 3 and dimension 1 of b has size 2, expected equal}}
  %r = "stablehlo.triangular_solve"(%a, %b) {left_side = false, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<3x3xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @c4(%a: tensor<3x3xf32>, %b: tensor<3x2xf32>) {
  // expected-error@+1 {{'stablehlo.triangular_solve' op C4: the result has type tensor<2x3xf32>, expected that of b, tensor<3x2xf32>}}
  %r = "stablehlo.triangular_solve"(%a, %b) {left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<3x3xf32>, tensor<3x2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @per_axis(%x: tensor<2x2x!quant.uniform<i8:f32:0, {0.5:0, 0.25:0}>>) {
  // expected-error@+1 {{'stablehlo.triangular_solve' op operand 0 must be a tensor or a per-tensor quantized tensor, got tensor<2x2x!quant.uniform<i8:f32:0, {5.000000e-01,2.500000e-01}>>}}
  %0 = "stablehlo.triangular_solve"(%x, %x) {left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<2x2x!quant.uniform<i8:f32:0, {0.5:0, 0.25:0}>>, tensor<2x2x!quant.uniform<i8:f32:0, {0.5:0, 0.25:0}>>) -> tensor<2x2x!quant.uniform<i8:f32:0, {0.5:0, 0.25:0}>>
  return
}
