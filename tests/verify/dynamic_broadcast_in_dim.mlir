// RUN: tessera parse --verify-diagnostics %s

func.func @c1(%a: tensor<2x3xf32>, %b: tensor<2xi64>) {
  // expected-error@+1 {{'stablehlo.dynamic_broadcast_in_dim' op C1: the result's element type is f64, expected the operand's f32}}
  %0 = "stablehlo.dynamic_broadcast_in_dim"(%a, %b) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<2x3xf64>
  return
}

// -----

func.func @c2(%a: tensor<2x3xf32>, %b: tensor<2xi64>) {
  // expected-error@+1 {{'stablehlo.dynamic_broadcast_in_dim' op C2: broadcast_dimensions [0] has length 1, expected 2, one entry per dimension of the operand}}
  %0 = "stablehlo.dynamic_broadcast_in_dim"(%a, %b) <{broadcast_dimensions = array<i64: 0>}> : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @c3(%a: tensor<2x3xf32>, %b: tensor<2xi64>) {
  // expected-error@+1 {{'stablehlo.dynamic_broadcast_in_dim' op C3: broadcast_dimensions are [0, 2], expected each in [0, 2)}}
  %0 = "stablehlo.dynamic_broadcast_in_dim"(%a, %b) <{broadcast_dimensions = array<i64: 0, 2>}> : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @c4(%a: tensor<2x2xf32>, %b: tensor<2xi64>) {
  // expected-error@+1 {{'stablehlo.dynamic_broadcast_in_dim' op C4: broadcast_dimensions are [1, 1], expected no dimension twice}}
  %0 = "stablehlo.dynamic_broadcast_in_dim"(%a, %b) <{broadcast_dimensions = array<i64: 1, 1>}> : (tensor<2x2xf32>, tensor<2xi64>) -> tensor<2x2xf32>
  return
}

// -----

func.func @c5(%a: tensor<2x3xf32>, %b: tensor<2xi64>) {
  // expected-error@+1 {{'stablehlo.dynamic_broadcast_in_dim' op C5: dimension 1 of the operand has size 3 and maps to dimension 1 of the result of size 4, expected size 1 or equal sizes}}
  %0 = "stablehlo.dynamic_broadcast_in_dim"(%a, %b) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<?x4xf32>
  return
}

// -----

func.func @c6(%a: tensor<2x2x!quant.uniform<i8:f32:0, {0.5, 0.25:1}>>, %b: tensor<2xi64>) {
  // expected-error@+1 {{'stablehlo.dynamic_broadcast_in_dim' op C6: the result is quantized along dimension 1, expected the one to which broadcast_dimensions [0, 1] maps the operand's quantized dimension 0}}
  %0 = "stablehlo.dynamic_broadcast_in_dim"(%a, %b) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<2x2x!quant.uniform<i8:f32:0, {0.5, 0.25:1}>>, tensor<2xi64>) -> tensor<?x?x!quant.uniform<i8:f32:1, {0.5, 0.25:1}>>
  return
}

// -----

func.func @c7(%a: tensor<2x3xf32>, %b: tensor<3xi64>) {
  // expected-error@+1 {{'stablehlo.dynamic_broadcast_in_dim' op C7: output_dimensions has length 3, expected 2, one entry per dimension of the result}}
  %0 = "stablehlo.dynamic_broadcast_in_dim"(%a, %b) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<2x3xf32>, tensor<3xi64>) -> tensor<?x?xf32>
  return
}

// -----

func.func @c8(%a: tensor<2x3xf32>, %b: tensor<2xi64>) {
  // expected-error@+1 {{'stablehlo.dynamic_broadcast_in_dim' op C8: known_expanding_dimensions [0] and known_nonexpanding_dimensions [0] name a dimension twice, expected each at most once}}
  %0 = "stablehlo.dynamic_broadcast_in_dim"(%a, %b) <{broadcast_dimensions = array<i64: 0, 1>, known_expanding_dimensions = array<i64: 0>, known_nonexpanding_dimensions = array<i64: 0>}> : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return
}

// -----

func.func @c9(%a: tensor<2x3xf32>, %b: tensor<2xi64>) {
  // expected-error@+1 {{'stablehlo.dynamic_broadcast_in_dim' op C9: known_expanding_dimensions are [2], expected each in [0, 2)}}
  %0 = "stablehlo.dynamic_broadcast_in_dim"(%a, %b) <{broadcast_dimensions = array<i64: 0, 1>, known_expanding_dimensions = array<i64: 2>}> : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return
}

// -----

func.func @c10(%a: tensor<2x3xf32>, %b: tensor<2xi64>) {
  // expected-error@+1 {{'stablehlo.dynamic_broadcast_in_dim' op C10: known_nonexpanding_dimensions are [-1], expected each in [0, 2)}}
  %0 = "stablehlo.dynamic_broadcast_in_dim"(%a, %b) <{broadcast_dimensions = array<i64: 0, 1>, known_nonexpanding_dimensions = array<i64: -1>}> : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return
}

// -----

func.func @shape_known(%a: tensor<3x4x2xf32>, %s: tensor<5x2xi64>, %t: tensor<2x3xf32>, %f: tensor<f32>) {
  %z = "stablehlo.constant"() <{value = dense<[2, 3]> : tensor<2xi64>}> : () -> tensor<2xi64>
  // expected-error@+1 {{'stablehlo.dynamic_broadcast_in_dim' op the result's shape is [3, ?], expected [2, 3]}}
  %0 = "stablehlo.dynamic_broadcast_in_dim"(%f, %z) <{broadcast_dimensions = array<i64>}> : (tensor<f32>, tensor<2xi64>) -> tensor<3x?xf32>
  return
}
