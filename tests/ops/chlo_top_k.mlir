// RUN: tessera check %s

func.func @rows() {
  %x = stablehlo.constant dense<[[1.0, 9.0, 3.0, 9.0], [-1.0, -2.0, 0.5, -0.5]]> : tensor<2x4xf32>
  %v, %i = chlo.top_k(%x, k = 2) : tensor<2x4xf32> -> (tensor<2x2xf32>, tensor<2x2xi32>)
  check.expect_eq_const %v, dense<[[9.0, 9.0], [0.5, -0.5]]> : tensor<2x2xf32>
  // Among equals the first comes first.
  check.expect_eq_const %i, dense<[[1, 3], [2, 3]]> : tensor<2x2xi32>
  return
}

// -----

func.func @all_of_integers() {
  %x = stablehlo.constant dense<[3, 1, 2]> : tensor<3xui8>
  %r:2 = "chlo.top_k"(%x) {k = 3 : i64} : (tensor<3xui8>) -> (tensor<3xui8>, tensor<3xi32>)
  check.expect_eq_const %r#0, dense<[3, 2, 1]> : tensor<3xui8>
  check.expect_eq_const %r#1, dense<[0, 2, 1]> : tensor<3xi32>
  return
}
