// RUN: tessera check %s

func.func @broadcast() {
  %x = stablehlo.constant dense<[[100, -7], [9, 8]]> : tensor<2x2xi32>
  %y = stablehlo.constant dense<[3, 2]> : tensor<2xi32>
  %r = chlo.broadcast_divide %x, %y : (tensor<2x2xi32>, tensor<2xi32>) -> tensor<2x2xi32>
  check.expect_eq_const %r, dense<[[33, -3], [3, 4]]> : tensor<2x2xi32>
  return
}
