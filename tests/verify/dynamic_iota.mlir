// RUN: tessera parse --verify-diagnostics %s

func.func @c1(%a: tensor<2xi64>) {
  // expected-error@+1 {{'stablehlo.dynamic_iota' op C1: iota_dimension is 2, expected it in [0, 2)}}
  %0 = "stablehlo.dynamic_iota"(%a) <{iota_dimension = 2 : i64}> : (tensor<2xi64>) -> tensor<?x?xi32>
  return
}

// -----

func.func @c2(%a: tensor<3xi64>) {
  // expected-error@+1 {{'stablehlo.dynamic_iota' op C2: output_shape has length 3, expected 2, one entry per dimension of the result}}
  %0 = "stablehlo.dynamic_iota"(%a) <{iota_dimension = 0 : i64}> : (tensor<3xi64>) -> tensor<?x?xi32>
  return
}

// -----

func.func @shape_known(%a: tensor<3x4x2xf32>, %s: tensor<5x2xi64>, %t: tensor<2x3xf32>, %f: tensor<f32>) {
  %z = "stablehlo.constant"() <{value = dense<[2, 3]> : tensor<2xi64>}> : () -> tensor<2xi64>
  // expected-error@+1 {{'stablehlo.dynamic_iota' op the result's shape is [3, ?], expected [2, 3]}}
  %0 = "stablehlo.dynamic_iota"(%z) <{iota_dimension = 0 : i64}> : (tensor<2xi64>) -> tensor<3x?xf32>
  return
}
