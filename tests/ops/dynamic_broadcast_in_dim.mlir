// RUN: tessera check %s
// dynamic_broadcast_in_dim: a broadcast_in_dim whose result shape is an operand.

func.func @expanding() {
  %a = stablehlo.constant dense<[[1], [2], [3]]> : tensor<3x1xi32>
  %s = stablehlo.constant dense<[3, 2, 2]> : tensor<3xi64>
  %r = "stablehlo.dynamic_broadcast_in_dim"(%a, %s) <{broadcast_dimensions = array<i64: 0, 2>, known_expanding_dimensions = array<i64: 1>, known_nonexpanding_dimensions = array<i64: 0>}> : (tensor<3x1xi32>, tensor<3xi64>) -> tensor<?x?x?xi32>
  %c = stablehlo.reshape %r : (tensor<?x?x?xi32>) -> tensor<3x2x2xi32>
  check.expect_eq_const %c, dense<[[[1, 1], [1, 1]], [[2, 2], [2, 2]], [[3, 3], [3, 3]]]> : tensor<3x2x2xi32>
  return
}

// -----

func.func @pretty() {
  %a = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %s = stablehlo.constant dense<[2, 3]> : tensor<2xi32>
  %r = stablehlo.dynamic_broadcast_in_dim %a, %s, dims = [1] : (tensor<3xi32>, tensor<2xi32>) -> tensor<?x?xi32>
  %c = stablehlo.reshape %r : (tensor<?x?xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %c, dense<[[1, 2, 3], [1, 2, 3]]> : tensor<2x3xi32>
  return
}

// -----

func.func @unsigned_shape() {
  %a = stablehlo.constant dense<[1]> : tensor<1xi32>
  %s = stablehlo.constant dense<[4]> : tensor<1xui8>
  %r = stablehlo.dynamic_broadcast_in_dim %a, %s, dims = [0] : (tensor<1xi32>, tensor<1xui8>) -> tensor<?xi32>
  %c = stablehlo.reshape %r : (tensor<?xi32>) -> tensor<4xi32>
  check.expect_eq_const %c, dense<[1, 1, 1, 1]> : tensor<4xi32>
  return
}

// -----

func.func @scalar() {
  %a = stablehlo.constant dense<5> : tensor<i32>
  %s = stablehlo.constant dense<[2, 1]> : tensor<2xi64>
  %r = stablehlo.dynamic_broadcast_in_dim %a, %s, dims = [] : (tensor<i32>, tensor<2xi64>) -> tensor<?x?xi32>
  %c = stablehlo.reshape %r : (tensor<?x?xi32>) -> tensor<2x1xi32>
  check.expect_eq_const %c, dense<[[5], [5]]> : tensor<2x1xi32>
  return
}
