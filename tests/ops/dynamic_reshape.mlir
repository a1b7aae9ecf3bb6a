// RUN: tessera check %s
// dynamic_reshape of StableHLO and of CHLO: a reshape whose shape is an operand.

func.func @pretty() {
  %a = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %s = stablehlo.constant dense<[3, 2]> : tensor<2xi64>
  %r = stablehlo.dynamic_reshape %a, %s : (tensor<2x3xi32>, tensor<2xi64>) -> tensor<?x2xi32>
  %c = stablehlo.reshape %r : (tensor<?x2xi32>) -> tensor<3x2xi32>
  check.expect_eq_const %c, dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi32>
  return
}

// -----

func.func @generic_static() {
  %a = stablehlo.constant dense<[[true, true, true], [true, true, true]]> : tensor<2x3xi1>
  %s = stablehlo.constant dense<[6]> : tensor<1xi32>
  %r = "stablehlo.dynamic_reshape"(%a, %s) : (tensor<2x3xi1>, tensor<1xi32>) -> tensor<6xi1>
  check.expect_eq_const %r, dense<[true, true, true, true, true, true]> : tensor<6xi1>
  return
}

// -----

func.func @to_scalar() {
  %a = stablehlo.constant dense<[[4.0]]> : tensor<1x1xf64>
  %s = stablehlo.constant dense<> : tensor<0xi64>
  %r = stablehlo.dynamic_reshape %a, %s : (tensor<1x1xf64>, tensor<0xi64>) -> tensor<f64>
  check.expect_eq_const %r, dense<4.0> : tensor<f64>
  return
}

// -----

func.func @chlo() {
  %a = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %s = stablehlo.constant dense<[1, 6]> : tensor<2xi64>
  %r = "chlo.dynamic_reshape"(%a, %s) : (tensor<2x3xi32>, tensor<2xi64>) -> tensor<1x6xi32>
  check.expect_eq_const %r, dense<[[1, 2, 3, 4, 5, 6]]> : tensor<1x6xi32>
  return
}
