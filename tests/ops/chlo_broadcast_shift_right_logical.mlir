// RUN: tessera check %s

func.func @broadcast() {
  %x = stablehlo.constant dense<[[-16], [16]]> : tensor<2x1xi8>
  %y = stablehlo.constant dense<[1, 4]> : tensor<2xi8>
  %r = chlo.broadcast_shift_right_logical %x, %y : (tensor<2x1xi8>, tensor<2xi8>) -> tensor<2x2xi8>
  check.expect_eq_const %r, dense<[[120, 15], [8, 1]]> : tensor<2x2xi8>
  return
}
