// RUN: tessera parse --verify-diagnostics %s

func.func @sizes(%x: tensor<2x3xf32>, %y: tensor<2x4xf32>) {
  // expected-error@+1 {{'stablehlo.dot' op the last dimension of lhs has size 3 and the first of rhs 2, expected equal}}
  %r = "stablehlo.dot"(%x, %y) : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @rank(%x: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.dot' op lhs and rhs have ranks 0 and 0, expected 1 or 2}}
  %r = "stablehlo.dot"(%x, %x) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return
}
