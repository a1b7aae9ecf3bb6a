// RUN: tessera parse --verify-diagnostics %s

func.func @c1(%a: tensor<2x3xf32>, %b: tensor<1xi64>) {
  // expected-error@+1 {{'stablehlo.dynamic_reshape' op C1: the result's element type is f64, expected the operand's f32}}
  %0 = "stablehlo.dynamic_reshape"(%a, %b) : (tensor<2x3xf32>, tensor<1xi64>) -> tensor<6xf64>
  return
}

// -----

func.func @c2(%a: tensor<2x3xf32>, %b: tensor<1xi64>) {
  // expected-error@+1 {{'stablehlo.dynamic_reshape' op C2: the operand has 6 elements and the result 5, expected equal numbers (shapes [2, 3] and [5])}}
  %0 = "stablehlo.dynamic_reshape"(%a, %b) : (tensor<2x3xf32>, tensor<1xi64>) -> tensor<5xf32>
  return
}

// -----

func.func @c3(%a: tensor<2x4x!quant.uniform<i8:f32:0, {0.5, 0.25:1}>>, %b: tensor<2xi64>) {
  // expected-error@+1 {{'stablehlo.dynamic_reshape' op C3: the sizes of the dimensions before the quantized one have product 1 in the operand and 4 in the result, expected equal}}
  %0 = "stablehlo.dynamic_reshape"(%a, %b) : (tensor<2x4x!quant.uniform<i8:f32:0, {0.5, 0.25:1}>>, tensor<2xi64>) -> tensor<4x2x!quant.uniform<i8:f32:1, {0.5, 0.25:1}>>
  return
}

// -----

func.func @c4(%a: tensor<2x3xf32>, %b: tensor<2xi64>) {
  // expected-error@+1 {{'stablehlo.dynamic_reshape' op C4: output_shape has length 2, expected 1, one entry per dimension of the result}}
  %0 = "stablehlo.dynamic_reshape"(%a, %b) : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<?xf32>
  return
}

// -----

func.func @float_shape(%a: tensor<2x3xf32>, %b: tensor<1xf32>) {
  // expected-error@+1 {{'stablehlo.dynamic_reshape' op operand 1 must be a 1-dimensional tensor of integers, got tensor<1xf32>}}
  %0 = "stablehlo.dynamic_reshape"(%a, %b) : (tensor<2x3xf32>, tensor<1xf32>) -> tensor<6xf32>
  return
}

// -----

func.func @shape_known(%a: tensor<3x4x2xf32>, %s: tensor<5x2xi64>, %t: tensor<2x3xf32>, %f: tensor<f32>) {
  %z = "stablehlo.constant"() <{value = dense<[2, 3]> : tensor<2xi64>}> : () -> tensor<2xi64>
  // expected-error@+1 {{'stablehlo.dynamic_reshape' op the result's shape is [3, 2], expected [2, 3]}}
  %0 = "stablehlo.dynamic_reshape"(%t, %z) : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<3x2xf32>
  return
}

// -----

func.func @shape_negative(%a: tensor<3x4x2xf32>, %s: tensor<5x2xi64>, %t: tensor<2x3xf32>, %f: tensor<f32>) {
  %z = "stablehlo.constant"() <{value = dense<[2, -1]> : tensor<2xi64>}> : () -> tensor<2xi64>
  // expected-error@+1 {{'stablehlo.dynamic_reshape' op output_shape is [2, -1], expected sizes of at least 0}}
  %0 = "stablehlo.dynamic_reshape"(%t, %z) : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<2x3xf32>
  return
}
