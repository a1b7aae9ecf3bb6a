// RUN: tessera check %s
// get_dimension_size: the run-time size of a dimension.

func.func @static() {
  %a = stablehlo.constant dense<0> : tensor<2x3xi64>
  %r = stablehlo.get_dimension_size %a, dim = 1 : (tensor<2x3xi64>) -> tensor<i32>
  check.expect_eq_const %r, dense<3> : tensor<i32>
  %s = "stablehlo.get_dimension_size"(%a) <{dimension = 0 : i64}> : (tensor<2x3xi64>) -> tensor<i32>
  check.expect_eq_const %s, dense<2> : tensor<i32>
  return
}

// -----

func.func @dynamic() {
  %s = stablehlo.constant dense<[4, 0]> : tensor<2xi64>
  %a = stablehlo.dynamic_iota %s, dim = 0 : (tensor<2xi64>) -> tensor<?x?xf32>
  %r = stablehlo.get_dimension_size %a, dim = 0 : (tensor<?x?xf32>) -> tensor<i32>
  check.expect_eq_const %r, dense<4> : tensor<i32>
  %t = stablehlo.get_dimension_size %a, dim = 1 : (tensor<?x?xf32>) -> tensor<i32>
  check.expect_eq_const %t, dense<0> : tensor<i32>
  return
}
