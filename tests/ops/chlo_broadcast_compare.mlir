// RUN: tessera check %s

func.func @broadcast() {
  %x = stablehlo.constant dense<[[1.0], [3.0]]> : tensor<2x1xf32>
  %y = stablehlo.constant dense<[2.0, 3.0]> : tensor<2xf32>
  %r = "chlo.broadcast_compare"(%x, %y) {comparison_direction = #chlo<comparison_direction LT>} : (tensor<2x1xf32>, tensor<2xf32>) -> tensor<2x2xi1>
  check.expect_eq_const %r, dense<[[true, true], [false, false]]> : tensor<2x2xi1>
  return
}
