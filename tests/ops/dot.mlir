// RUN: tessera check %s

func.func @matrix_matrix() {
  %x = stablehlo.constant dense<[[-6, -6, -9], [-1, -5, -4]]> : tensor<2x3xi32>
  %y = stablehlo.constant dense<[[8, 6, 6, 2], [-7, 5, 2, 8], [0, -6, 2, -1]]> : tensor<3x4xi32>
  %r = stablehlo.dot %x, %y : (tensor<2x3xi32>, tensor<3x4xi32>) -> tensor<2x4xi32>
  check.expect_eq_const %r, dense<[[-6, -12, -66, -51], [27, -7, -24, -38]]> : tensor<2x4xi32>
  return
}

// -----

func.func @vector_vector_generic() {
  %x = stablehlo.constant dense<[1.3125, -1.0, -1.5625]> : tensor<3xf64>
  %y = stablehlo.constant dense<[-3.0, 3.75, 2.0625]> : tensor<3xf64>
  %r = "stablehlo.dot"(%x, %y) : (tensor<3xf64>, tensor<3xf64>) -> tensor<f64>
  %w1 = stablehlo.constant dense<-10.91015625> : tensor<f64>
  check.expect_close %r, %w1, max_ulp_difference = 1 : tensor<f64>, tensor<f64>
  return
}

// -----

func.func @matrix_vector() {
  %x = stablehlo.constant dense<[[(-0.25, -2.5625), (-2.125, 1.875), (1.0625, -3.5625)], [(-0.6875, 1.4375), (1.0625, -0.6875), (-3.3125, -4.0)]]> : tensor<2x3xcomplex<f32>>
  %y = stablehlo.constant dense<[(2.125, 3.1875), (1.625, 1.875), (2.5625, 2.75)]> : tensor<3xcomplex<f32>>
  %r = stablehlo.dot %x, %y, precision = [HIGHEST, HIGHEST] : (tensor<2x3xcomplex<f32>>, tensor<3xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  %w2 = stablehlo.constant dense<[(13.1875, -13.386719), (-0.515625, -17.621094)]> : tensor<2xcomplex<f32>>
  check.expect_close %r, %w2, max_ulp_difference = 1 : tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>
  return
}

// -----

func.func @empty() {
  %x = stablehlo.constant dense<> : tensor<2x0xf32>
  %y = stablehlo.constant dense<> : tensor<0xf32>
  %r = stablehlo.dot %x, %y : (tensor<2x0xf32>, tensor<0xf32>) -> tensor<2xf32>
  check.expect_eq_const %r, dense<0.0> : tensor<2xf32>
  return
}
