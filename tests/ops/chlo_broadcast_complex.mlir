// RUN: tessera check %s

func.func @broadcast() {
  %x = stablehlo.constant dense<[[1.0], [2.0]]> : tensor<2x1xf32>
  %y = stablehlo.constant dense<[3.0, 4.0]> : tensor<2xf32>
  %r = chlo.broadcast_complex %x, %y : (tensor<2x1xf32>, tensor<2xf32>) -> tensor<2x2xcomplex<f32>>
  check.expect_eq_const %r, dense<[[(1.0, 3.0), (1.0, 4.0)], [(2.0, 3.0), (2.0, 4.0)]]> : tensor<2x2xcomplex<f32>>
  return
}
