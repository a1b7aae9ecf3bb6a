// RUN: tessera check %s

func.func @broadcast() {
  %p = stablehlo.constant dense<[true, false]> : tensor<2xi1>
  %x = stablehlo.constant dense<[[1.0], [3.0]]> : tensor<2x1xf32>
  %y = stablehlo.constant dense<7.0> : tensor<f32>
  %r = chlo.broadcast_select %p, %x, %y : (tensor<2xi1>, tensor<2x1xf32>, tensor<f32>) -> tensor<2x2xf32>
  check.expect_eq_const %r, dense<[[1.0, 7.0], [3.0, 7.0]]> : tensor<2x2xf32>
  return
}
