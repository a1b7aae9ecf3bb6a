// RUN: tessera check %s

func.func @broadcast() {
  %x = stablehlo.constant dense<[[1.0], [2.0]]> : tensor<2x1xf64>
  %y = stablehlo.constant dense<[1.0, 2.5]> : tensor<2xf64>
  %r = chlo.broadcast_polygamma %x, %y : (tensor<2x1xf64>, tensor<2xf64>) -> tensor<2x2xf64>
  %expected = stablehlo.constant dense<[[1.6449340668482264, 0.49035775610023485], [-2.4041138063191885, -0.2362040516417274]]> : tensor<2x2xf64>
  check.expect_close %r, %expected, max_ulp_difference = 16 : tensor<2x2xf64>, tensor<2x2xf64>
  return
}
