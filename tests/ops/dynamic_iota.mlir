// RUN: tessera check %s
// dynamic_iota: an iota whose shape is an operand.

func.func @pretty() {
  %s = stablehlo.constant dense<[2, 3]> : tensor<2xi64>
  %r = stablehlo.dynamic_iota %s, dim = 1 : (tensor<2xi64>) -> tensor<?x?xi32>
  %c = stablehlo.reshape %r : (tensor<?x?xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %c, dense<[[0, 1, 2], [0, 1, 2]]> : tensor<2x3xi32>
  return
}

// -----

func.func @generic_static() {
  %s = stablehlo.constant dense<[4]> : tensor<1xui16>
  %r = "stablehlo.dynamic_iota"(%s) <{iota_dimension = 0 : i64}> : (tensor<1xui16>) -> tensor<4xf32>
  check.expect_eq_const %r, dense<[0.0, 1.0, 2.0, 3.0]> : tensor<4xf32>
  return
}
