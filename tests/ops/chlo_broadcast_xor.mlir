// RUN: tessera check %s

func.func @broadcast() {
  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %y = stablehlo.constant dense<[10, 20, 30]> : tensor<3xi32>
  %r = chlo.broadcast_xor %x, %y : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %r, dense<[[11, 22, 29], [14, 17, 24]]> : tensor<2x3xi32>
  return
}
