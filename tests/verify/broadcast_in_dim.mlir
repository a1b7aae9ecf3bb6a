// RUN: tessera parse --verify-diagnostics %s

func.func @c1(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{'stablehlo.broadcast_in_dim' op C1: the result's element type is f64, expected the operand's f32}}
  %0 = "stablehlo.broadcast_in_dim"(%a) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<2x3xf32>) -> tensor<2x3xf64>
  return
}

// -----

func.func @c2(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{'stablehlo.broadcast_in_dim' op C2: broadcast_dimensions [0] has length 1, expected 2, one entry per dimension of the operand}}
  %0 = "stablehlo.broadcast_in_dim"(%a) <{broadcast_dimensions = array<i64: 0>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @c3(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{'stablehlo.broadcast_in_dim' op C3: broadcast_dimensions are [0, 2], expected each in [0, 2)}}
  %0 = "stablehlo.broadcast_in_dim"(%a) <{broadcast_dimensions = array<i64: 0, 2>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @c4(%a: tensor<2x2xf32>) {
  // expected-error@+1 {{'stablehlo.broadcast_in_dim' op C4: broadcast_dimensions are [1, 1], expected no dimension twice}}
  %0 = "stablehlo.broadcast_in_dim"(%a) <{broadcast_dimensions = array<i64: 1, 1>}> : (tensor<2x2xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @c5(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{'stablehlo.broadcast_in_dim' op C5: dimension 1 of the operand has size 3 and maps to dimension 1 of the result of size 4, expected size 1 or equal sizes}}
  %0 = "stablehlo.broadcast_in_dim"(%a) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<2x3xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @c6(%a: tensor<2x2x!quant.uniform<i8:f32:0, {0.5, 0.25:1}>>) {
  // expected-error@+1 {{'stablehlo.broadcast_in_dim' op C6: the result is quantized along dimension 1, expected the one to which broadcast_dimensions [0, 1] maps the operand's quantized dimension 0}}
  %0 = "stablehlo.broadcast_in_dim"(%a) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<2x2x!quant.uniform<i8:f32:0, {0.5, 0.25:1}>>) -> tensor<2x2x!quant.uniform<i8:f32:1, {0.5, 0.25:1}>>
  return
}

// -----

func.func @c6_scales(%a: tensor<1x3x!quant.uniform<i8:f32:0, {0.5}>>) {
  // expected-error@+1 {{'stablehlo.broadcast_in_dim' op C6: scale and zero point 1 of the result are 0.25 and 1, expected 0.5 and 0, the only ones of the operand}}
  %0 = "stablehlo.broadcast_in_dim"(%a) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x3x!quant.uniform<i8:f32:0, {0.5}>>) -> tensor<2x3x!quant.uniform<i8:f32:0, {0.5, 0.25:1}>>
  return
}
