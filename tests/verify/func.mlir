// RUN: tessera parse --verify-diagnostics %s

func.func @count(%x: tensor<f32>) -> tensor<f32> {
  // expected-error@+1 {{'func.return' op has 0 operands, expected 1}}
  return
}

// -----

func.func @type(%x: tensor<f32>) -> tensor<f64> {
  // expected-error@+1 {{'func.return' op operand 0 has type tensor<f32>, expected tensor<f64>}}
  return %x : tensor<f32>
}

// -----

// stablehlo.return may end a function, as JAX writes comparators; its types count as well.
func.func @other_dialect(%x: tensor<f32>) -> tensor<f32> {
  stablehlo.return %x : tensor<f32>
}
func.func @other_dialect_type(%x: tensor<f32>) -> tensor<f64> {
  // expected-error@+1 {{'stablehlo.return' op operand 0 has type tensor<f32>, expected tensor<f64>}}
  stablehlo.return %x : tensor<f32>
}
