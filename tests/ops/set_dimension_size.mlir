// RUN: tessera check %s
// set_dimension_size: the first entries of a dimension, as many as an operand says.

func.func @pretty() {
  %a = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %n = stablehlo.constant dense<2> : tensor<i32>
  %r = stablehlo.set_dimension_size %a, %n, dim = 1 : (tensor<2x3xi32>, tensor<i32>) -> tensor<2x?xi32, #stablehlo.bounds<?, 3>>
  %s = stablehlo.get_dimension_size %r, dim = 1 : (tensor<2x?xi32, #stablehlo.bounds<?, 3>>) -> tensor<i32>
  check.expect_eq_const %s, dense<2> : tensor<i32>
  %c = stablehlo.reshape %r : (tensor<2x?xi32, #stablehlo.bounds<?, 3>>) -> tensor<4xi32>
  check.expect_eq_const %c, dense<[1, 2, 4, 5]> : tensor<4xi32>
  return
}

// -----

func.func @generic() {
  %a = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %n = stablehlo.constant dense<0> : tensor<i32>
  %r = "stablehlo.set_dimension_size"(%a, %n) <{dimension = 0 : i64}> : (tensor<2xf32>, tensor<i32>) -> tensor<?xf32, #stablehlo.bounds<2>>
  %s = stablehlo.get_dimension_size %r, dim = 0 : (tensor<?xf32, #stablehlo.bounds<2>>) -> tensor<i32>
  check.expect_eq_const %s, dense<0> : tensor<i32>
  return
}
