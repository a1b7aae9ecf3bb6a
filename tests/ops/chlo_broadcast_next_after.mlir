// RUN: tessera check %s

func.func @broadcast() {
  %x = stablehlo.constant dense<[[1.0], [2.0]]> : tensor<2x1xf32>
  %y = stablehlo.constant dense<[0.0, 3.0]> : tensor<2xf32>
  %r = chlo.broadcast_next_after %x, %y : (tensor<2x1xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  %expected = stablehlo.constant dense<[[0.99999994, 1.0000001], [1.9999999, 2.0000002]]> : tensor<2x2xf32>
  check.expect_close %r, %expected, max_ulp_difference = 0 : tensor<2x2xf32>, tensor<2x2xf32>
  return
}
