// RUN: tessera check %s

func.func @broadcast() {
  %x = stablehlo.constant dense<[[1], [3]]> : tensor<2x1xi32>
  %y = stablehlo.constant dense<[0, 4]> : tensor<2xi32>
  %r = chlo.broadcast_shift_left %x, %y : (tensor<2x1xi32>, tensor<2xi32>) -> tensor<2x2xi32>
  check.expect_eq_const %r, dense<[[1, 16], [3, 48]]> : tensor<2x2xi32>
  return
}
