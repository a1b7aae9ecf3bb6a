// RUN: tessera check %s

func.func @broadcast() {
  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %y = stablehlo.constant dense<[10, 20, 30]> : tensor<3xi32>
  %r = chlo.broadcast_and %x, %y : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %r, dense<[[0, 0, 2], [0, 4, 6]]> : tensor<2x3xi32>
  return
}
