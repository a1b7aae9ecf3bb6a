// RUN: tessera parse --verify-diagnostics %s

func.func @dim(%a: tensor<2x3xf32>, %b: tensor<2xi32>) {
  // expected-error@+1 {{'stablehlo.torch_index_select' op dim is 2, expected it in [-2, 2)}}
  %0 = "stablehlo.torch_index_select"(%a, %b) <{dim = 2 : i64, batch_dims = 0 : i64}> : (tensor<2x3xf32>, tensor<2xi32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @batch_dims(%a: tensor<2x3xf32>, %b: tensor<2xi32>) {
  // expected-error@+1 {{'stablehlo.torch_index_select' op batch_dims is 1, expected at least 0, at most dim 0 and at most the index's rank 1}}
  %0 = "stablehlo.torch_index_select"(%a, %b) <{dim = 0 : i64, batch_dims = 1 : i64}> : (tensor<2x3xf32>, tensor<2xi32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @shape(%a: tensor<2x3xf32>, %b: tensor<4xi32>) {
  // expected-error@+1 {{'stablehlo.torch_index_select' op the result's shape is [2, 3], expected [2, 4]}}
  %0 = "stablehlo.torch_index_select"(%a, %b) <{dim = 1 : i64, batch_dims = 0 : i64}> : (tensor<2x3xf32>, tensor<4xi32>) -> tensor<2x3xf32>
  return
}
