// RUN: tessera parse --verify-diagnostics %s

func.func @c1(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{'stablehlo.slice' op C1: the result's element type is f64, expected the operand's f32}}
  %0 = "stablehlo.slice"(%a) <{start_indices = array<i64: 0, 0>, limit_indices = array<i64: 2, 3>, strides = array<i64: 1, 1>}> : (tensor<2x3xf32>) -> tensor<2x3xf64>
  return
}

// -----

func.func @c2(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{'stablehlo.slice' op C2: start_indices, limit_indices and strides have lengths 1, 2 and 2, expected 2, one entry per dimension}}
  %0 = "stablehlo.slice"(%a) <{start_indices = array<i64: 0>, limit_indices = array<i64: 2, 3>, strides = array<i64: 1, 1>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @c3(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{'stablehlo.slice' op C3: dimension 1 is sliced from 0 to 4, expected 0 <= start <= limit <= size 3}}
  %0 = "stablehlo.slice"(%a) <{start_indices = array<i64: 0, 0>, limit_indices = array<i64: 2, 4>, strides = array<i64: 1, 1>}> : (tensor<2x3xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @c3_start(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{'stablehlo.slice' op C3: dimension 0 is sliced from -1 to 2, expected 0 <= start <= limit <= size 2}}
  %0 = "stablehlo.slice"(%a) <{start_indices = array<i64: -1, 0>, limit_indices = array<i64: 2, 3>, strides = array<i64: 1, 1>}> : (tensor<2x3xf32>) -> tensor<3x3xf32>
  return
}

// -----

func.func @c3_order(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{'stablehlo.slice' op C3: dimension 0 is sliced from 2 to 1, expected 0 <= start <= limit <= size 2}}
  %0 = "stablehlo.slice"(%a) <{start_indices = array<i64: 2, 0>, limit_indices = array<i64: 1, 3>, strides = array<i64: 1, 1>}> : (tensor<2x3xf32>) -> tensor<?x3xf32>
  return
}

// -----

func.func @c4(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{'stablehlo.slice' op C4: the stride of dimension 1 is 0, expected at least 1}}
  %0 = "stablehlo.slice"(%a) <{start_indices = array<i64: 0, 0>, limit_indices = array<i64: 2, 3>, strides = array<i64: 1, 0>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @c5(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{'stablehlo.slice' op C5: the result's shape is [2, 3], expected [2, 2]}}
  %0 = "stablehlo.slice"(%a) <{start_indices = array<i64: 0, 0>, limit_indices = array<i64: 2, 3>, strides = array<i64: 1, 2>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}
