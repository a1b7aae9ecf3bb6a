// RUN: tessera check %s

func.func @known_at_run_time() {
  %x = stablehlo.constant dense<[1, 2, 3, 4, 5, 6]> : tensor<6xi32>
  %shape = stablehlo.constant dense<[2, 3]> : tensor<2xi64>
  %r = "chlo.dynamic_reshape"(%x, %shape) : (tensor<6xi32>, tensor<2xi64>) -> tensor<2x3xi32>
  check.expect_eq_const %r, dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  return
}

// -----

func.func @to_a_scalar() {
  %x = stablehlo.constant dense<[7.5]> : tensor<1xf32>
  %shape = stablehlo.constant dense<> : tensor<0xi32>
  %r = "chlo.dynamic_reshape"(%x, %shape) : (tensor<1xf32>, tensor<0xi32>) -> tensor<f32>
  check.expect_eq_const %r, dense<7.5> : tensor<f32>
  return
}
