// RUN: tessera parse --verify-diagnostics %s

func.func @c1(%a: tensor<2x3xf32>, %b: tensor<f64>, %c: tensor<2xi64>, %d: tensor<2xi64>, %e: tensor<2xi64>) {
  // expected-error@+1 {{'stablehlo.dynamic_pad' op C1: operand and padding_value have element types f32 and f64, expected equal}}
  %0 = "stablehlo.dynamic_pad"(%a, %b, %c, %d, %e) : (tensor<2x3xf32>, tensor<f64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>
  return
}

// -----

func.func @c2(%a: tensor<2x3xf32>, %b: tensor<f32>, %c: tensor<2xi64>, %d: tensor<3xi64>, %e: tensor<2xi64>) {
  // expected-error@+1 {{'stablehlo.dynamic_pad' op C2: edge_padding_high has length 3, expected 2, one entry per dimension}}
  %0 = "stablehlo.dynamic_pad"(%a, %b, %c, %d, %e) : (tensor<2x3xf32>, tensor<f32>, tensor<2xi64>, tensor<3xi64>, tensor<2xi64>) -> tensor<?x?xf32>
  return
}

// -----

func.func @c4(%a: tensor<2x3xf32>, %b: tensor<f32>, %c: tensor<2xi64>, %d: tensor<2xi64>, %e: tensor<2xi64>) {
  // expected-error@+1 {{'stablehlo.dynamic_pad' op C4: the result has rank 1, expected the operand's rank 2}}
  %0 = "stablehlo.dynamic_pad"(%a, %b, %c, %d, %e) : (tensor<2x3xf32>, tensor<f32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?xf32>
  return
}

// -----

func.func @c3(%a: tensor<3x4x2xf32>, %s: tensor<5x2xi64>, %t: tensor<2x3xf32>, %f: tensor<f32>) {
  %z = "stablehlo.constant"() <{value = dense<[0, 0]> : tensor<2xi64>}> : () -> tensor<2xi64>
  %i = "stablehlo.constant"() <{value = dense<[0, -1]> : tensor<2xi64>}> : () -> tensor<2xi64>
  // expected-error@+1 {{'stablehlo.dynamic_pad' op C3: interior_padding is [0, -1], expected entries of at least 0}}
  %0 = "stablehlo.dynamic_pad"(%t, %f, %z, %z, %i) : (tensor<2x3xf32>, tensor<f32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x4xf32>
  return
}

// -----

func.func @c4_amounts(%a: tensor<3x4x2xf32>, %s: tensor<5x2xi64>, %t: tensor<2x3xf32>, %f: tensor<f32>) {
  %z = "stablehlo.constant"() <{value = dense<[0, 0]> : tensor<2xi64>}> : () -> tensor<2xi64>
  // expected-error@+1 {{'stablehlo.dynamic_pad' op C4: the result's shape is [?, 4], expected [2, 3]}}
  %0 = "stablehlo.dynamic_pad"(%t, %f, %z, %z, %z) : (tensor<2x3xf32>, tensor<f32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x4xf32>
  return
}
