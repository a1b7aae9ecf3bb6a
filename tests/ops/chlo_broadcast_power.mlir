// RUN: tessera check %s

func.func @broadcast() {
  %x = stablehlo.constant dense<[[2], [3]]> : tensor<2x1xi32>
  %y = stablehlo.constant dense<[[1, 2, 3]]> : tensor<1x3xi32>
  %r = chlo.broadcast_power %x, %y : (tensor<2x1xi32>, tensor<1x3xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %r, dense<[[2, 4, 8], [3, 9, 27]]> : tensor<2x3xi32>
  return
}
