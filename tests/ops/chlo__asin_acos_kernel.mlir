// RUN: tessera check %s

// With w the result, asin(z) = (atan2(z.re, w.re), sign(z.im) w.im).
func.func @kernel() {
  %z = stablehlo.constant dense<[(1.0, 2.0), (-1.5, 0.5), (0.25, -3.0), (2.0, 0.0), (0.0, 0.0), (0.5, 0.0)]> : tensor<6xcomplex<f64>>
  %w = "chlo._asin_acos_kernel"(%z) : (tensor<6xcomplex<f64>>) -> tensor<6xcomplex<f64>>
  %x = stablehlo.real %z : (tensor<6xcomplex<f64>>) -> tensor<6xf64>
  %r = stablehlo.real %w : (tensor<6xcomplex<f64>>) -> tensor<6xf64>
  %i = stablehlo.imag %w : (tensor<6xcomplex<f64>>) -> tensor<6xf64>
  %re = stablehlo.atan2 %x, %r : tensor<6xf64>
  // asin of the same numbers: real parts, and imaginary parts without their sign.
  %asin_re = stablehlo.constant dense<[0.42707858639247614, -1.1711572594583726, 0.07891728019870327, 1.5707963267948966, 0.0, 0.5235987755982989]> : tensor<6xf64>
  %asin_im = stablehlo.constant dense<[1.5285709194809982, 1.0693110431581105, 1.8214041607957312, 1.3169578969248168, 0.0, 0.0]> : tensor<6xf64>
  check.expect_close %re, %asin_re, max_ulp_difference = 3 : tensor<6xf64>, tensor<6xf64>
  check.expect_close %i, %asin_im, max_ulp_difference = 3 : tensor<6xf64>, tensor<6xf64>
  return
}
