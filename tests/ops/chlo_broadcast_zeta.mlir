// RUN: tessera check %s

func.func @broadcast() {
  %x = stablehlo.constant dense<[[2.0], [3.0]]> : tensor<2x1xf64>
  %y = stablehlo.constant dense<[1.0, 2.5]> : tensor<2xf64>
  %r = chlo.broadcast_zeta %x, %y : (tensor<2x1xf64>, tensor<2xf64>) -> tensor<2x2xf64>
  %expected = stablehlo.constant dense<[[1.6449340668482264, 0.49035775610023485], [1.2020569031595942, 0.1181020258208637]]> : tensor<2x2xf64>
  check.expect_close %r, %expected, max_ulp_difference = 8 : tensor<2x2xf64>, tensor<2x2xf64>
  return
}
