// RUN: tessera check %s

func.func @broadcast() {
  %x = stablehlo.constant dense<[[-16], [16]]> : tensor<2x1xi32>
  %y = stablehlo.constant dense<[1, 4]> : tensor<2xi32>
  %r = chlo.broadcast_shift_right_arithmetic %x, %y : (tensor<2x1xi32>, tensor<2xi32>) -> tensor<2x2xi32>
  check.expect_eq_const %r, dense<[[-8, -1], [8, 1]]> : tensor<2x2xi32>
  return
}
