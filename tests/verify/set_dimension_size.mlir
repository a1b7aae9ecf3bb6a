// RUN: tessera parse --verify-diagnostics %s

func.func @dimension(%a: tensor<2x3xf32>, %b: tensor<i32>) {
  // expected-error@+1 {{'stablehlo.set_dimension_size' op dimension is 2, expected it in [0, 2)}}
  %0 = "stablehlo.set_dimension_size"(%a, %b) <{dimension = 2 : i64}> : (tensor<2x3xf32>, tensor<i32>) -> tensor<2x?xf32>
  return
}

// -----

func.func @size(%a: tensor<2x3xf32>, %b: tensor<1xi32>) {
  // expected-error@+1 {{'stablehlo.set_dimension_size' op operand 1 must be a 0-dimensional tensor of integers, got tensor<1xi32>}}
  %0 = "stablehlo.set_dimension_size"(%a, %b) <{dimension = 1 : i64}> : (tensor<2x3xf32>, tensor<1xi32>) -> tensor<2x?xf32>
  return
}

// -----

func.func @size_known(%a: tensor<3x4x2xf32>, %s: tensor<5x2xi64>, %t: tensor<2x3xf32>, %f: tensor<f32>) {
  %z = "stablehlo.constant"() <{value = dense<4> : tensor<i32>}> : () -> tensor<i32>
  // expected-error@+1 {{'stablehlo.set_dimension_size' op the size is 4, expected at least 0 and at most dimension 1 of the operand tensor<2x3xf32>}}
  %0 = "stablehlo.set_dimension_size"(%t, %z) <{dimension = 1 : i64}> : (tensor<2x3xf32>, tensor<i32>) -> tensor<2x?xf32>
  return
}
