// RUN: tessera check %s
// broadcast: the operand repeated under new leading dimensions.

func.func @two_more() {
  %a = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %r = stablehlo.broadcast %a, sizes = [2, 2] : (tensor<3xi32>) -> tensor<2x2x3xi32>
  check.expect_eq_const %r, dense<[[[1, 2, 3], [1, 2, 3]], [[1, 2, 3], [1, 2, 3]]]> : tensor<2x2x3xi32>
  return
}

// -----

func.func @none_more() {
  %a = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %r = stablehlo.broadcast %a, sizes = [] : (tensor<3xi32>) -> tensor<3xi32>
  check.expect_eq_const %r, dense<[1, 2, 3]> : tensor<3xi32>
  return
}

// -----

func.func @scalar() {
  %a = stablehlo.constant dense<2> : tensor<i32>
  %r = "stablehlo.broadcast"(%a) <{broadcast_sizes = array<i64: 3>}> : (tensor<i32>) -> tensor<3xi32>
  check.expect_eq_const %r, dense<[2, 2, 2]> : tensor<3xi32>
  return
}

// -----

func.func @to_empty() {
  %a = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %r = stablehlo.broadcast %a, sizes = [0] : (tensor<2xi32>) -> tensor<0x2xi32>
  check.expect_eq_const %r, dense<> : tensor<0x2xi32>
  return
}
