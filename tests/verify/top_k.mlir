// RUN: tessera parse --verify-diagnostics %s

func.func @too_many(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{'chlo.top_k' op k is 4, expected at most 3, the size of the last dimension}}
  %0:2 = "chlo.top_k"(%a) <{k = 4 : i64}> : (tensor<2x3xf32>) -> (tensor<2x4xf32>, tensor<2x4xi32>)
  return
}

// -----

func.func @negative(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{'chlo.top_k' op k is -1, expected at least 0}}
  %0:2 = "chlo.top_k"(%a) <{k = -1 : i64}> : (tensor<2x3xf32>) -> (tensor<2x?xf32>, tensor<2x?xi32>)
  return
}

// -----

func.func @scalar(%a: tensor<f32>) {
  // expected-error@+1 {{'chlo.top_k' op the operand is tensor<f32>, expected at least one dimension}}
  %0:2 = "chlo.top_k"(%a) <{k = 1 : i64}> : (tensor<f32>) -> (tensor<1xf32>, tensor<1xi32>)
  return
}
