// RUN: tessera parse --verify-diagnostics %s

func.func @shape(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{'stablehlo.broadcast' op the result's shape is [2, 3, 4], expected [4, 2, 3]}}
  %0 = "stablehlo.broadcast"(%a) <{broadcast_sizes = array<i64: 4>}> : (tensor<2x3xf32>) -> tensor<2x3x4xf32>
  return
}

// -----

func.func @negative(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{'stablehlo.broadcast' op broadcast_sizes are [-4], expected sizes of at least 0}}
  %0 = "stablehlo.broadcast"(%a) <{broadcast_sizes = array<i64: -4>}> : (tensor<2x3xf32>) -> tensor<?x2x3xf32>
  return
}
