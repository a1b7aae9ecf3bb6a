// RUN: tessera parse --verify-diagnostics %s

func.func @dimension(%x: tensor<4xf32>, %z: tensor<f32>) {
  // expected-error@+1 {{'chlo.scan' op dimension is 1, expected it in [0, 1), a dimension of input 0}}
  %r:2 = "chlo.scan"(%x, %z) <{dimension = 1 : i64, operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    "stablehlo.return"(%p, %q) : (tensor<f32>, tensor<f32>) -> ()
  }) : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>, tensor<f32>)
  return
}

// -----

func.func @argument(%x: tensor<4xf32>, %z: tensor<f64>) {
  // expected-error@+1 {{'chlo.scan' op argument 1 of the body has type tensor<f32>, expected tensor<f64>}}
  %r:2 = "chlo.scan"(%x, %z) <{dimension = 0 : i64, operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    "stablehlo.return"(%p, %q) : (tensor<f32>, tensor<f32>) -> ()
  }) : (tensor<4xf32>, tensor<f64>) -> (tensor<4xf32>, tensor<f64>)
  return
}

// -----

func.func @segments(%x: tensor<4xf32>, %z: tensor<f32>) {
  // expected-error@+1 {{'chlo.scan' op resultSegmentSizes is [1, 2], expected [1, 1]}}
  %r:2 = "chlo.scan"(%x, %z) <{dimension = 0 : i64, operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 2>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    "stablehlo.return"(%p, %q) : (tensor<f32>, tensor<f32>) -> ()
  }) : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>, tensor<f32>)
  return
}
