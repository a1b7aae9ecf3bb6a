// RUN: tessera parse --verify-diagnostics %s

func.func @c1(%a: tensor<2x3xf32>, %b: tensor<f64>) {
  // expected-error@+1 {{'stablehlo.pad' op C1: operand and padding_value have element types f32 and f64, expected equal}}
  %0 = "stablehlo.pad"(%a, %b) <{edge_padding_low = array<i64: 0, 0>, edge_padding_high = array<i64: 0, 0>, interior_padding = array<i64: 0, 0>}> : (tensor<2x3xf32>, tensor<f64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @c1_result(%a: tensor<2x3xf32>, %b: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.pad' op C1: the result's element type is f64, expected the operand's f32}}
  %0 = "stablehlo.pad"(%a, %b) <{edge_padding_low = array<i64: 0, 0>, edge_padding_high = array<i64: 0, 0>, interior_padding = array<i64: 0, 0>}> : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf64>
  return
}

// -----

func.func @c2(%a: tensor<2x3xf32>, %b: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.pad' op C2: edge_padding_low, edge_padding_high and interior_padding have lengths 1, 2 and 2, expected 2, one entry per dimension}}
  %0 = "stablehlo.pad"(%a, %b) <{edge_padding_low = array<i64: 0>, edge_padding_high = array<i64: 0, 0>, interior_padding = array<i64: 0, 0>}> : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @c3(%a: tensor<2x3xf32>, %b: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.pad' op C3: interior_padding of dimension 1 is -1, expected at least 0}}
  %0 = "stablehlo.pad"(%a, %b) <{edge_padding_low = array<i64: 0, 0>, edge_padding_high = array<i64: 0, 0>, interior_padding = array<i64: 0, -1>}> : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @c4(%a: tensor<2x3xf32>, %b: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.pad' op C4: the result's shape is [2, 3], expected [3, 3]}}
  %0 = "stablehlo.pad"(%a, %b) <{edge_padding_low = array<i64: 1, 0>, edge_padding_high = array<i64: 0, 0>, interior_padding = array<i64: 0, 0>}> : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @c4_negative(%a: tensor<2x3xf32>, %b: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.pad' op C4: dimension 0 of size 2, padded by low -3, high 0 and interior 0, has size -1, expected at least 0}}
  %0 = "stablehlo.pad"(%a, %b) <{edge_padding_low = array<i64: -3, 0>, edge_padding_high = array<i64: 0, 0>, interior_padding = array<i64: 0, 0>}> : (tensor<2x3xf32>, tensor<f32>) -> tensor<?x3xf32>
  return
}
