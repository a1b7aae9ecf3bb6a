// RUN: tessera check %s

func.func @broadcast() {
  %x = stablehlo.constant dense<[[1.0], [-2.0]]> : tensor<2x1xf64>
  %y = stablehlo.constant dense<[1.0, -3.0]> : tensor<2xf64>
  %r = chlo.broadcast_atan2 %x, %y : (tensor<2x1xf64>, tensor<2xf64>) -> tensor<2x2xf64>
  %expected = stablehlo.constant dense<[[0.7853981633974483, 2.819842099193151], [-1.1071487177940904, -2.5535900500422257]]> : tensor<2x2xf64>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<2x2xf64>, tensor<2x2xf64>
  return
}
