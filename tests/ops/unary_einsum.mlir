// RUN: tessera check %s

func.func @transpose() {
  %x = stablehlo.constant dense<[[3, 2, -8], [2, -2, 7]]> : tensor<2x3xi32>
  %r = "stablehlo.unary_einsum"(%x) {einsum_config = "ij->ji"} : (tensor<2x3xi32>) -> tensor<3x2xi32>
  check.expect_eq_const %r, dense<[[3, 2], [2, -2], [-8, 7]]> : tensor<3x2xi32>
  return
}

// -----

func.func @trace() {
  %x = stablehlo.constant dense<[[-2.9375, -2.5, 1.3125], [1.4375, 2.6875, 0.1875], [-1.0, -1.5625, -1.0625]]> : tensor<3x3xf32>
  %r = "stablehlo.unary_einsum"(%x) {einsum_config = "ii->"} : (tensor<3x3xf32>) -> tensor<f32>
  check.expect_eq_const %r, dense<-1.3125> : tensor<f32>
  return
}

// -----

func.func @sum_out() {
  %x = stablehlo.constant dense<[[[3, 1], [-4, -5], [4, -5]], [[-6, -3], [7, -1], [2, -8]]]> : tensor<2x3x2xi64>
  %r = "stablehlo.unary_einsum"(%x) {einsum_config = "ijk->j"} : (tensor<2x3x2xi64>) -> tensor<3xi64>
  check.expect_eq_const %r, dense<[-5, -3, -7]> : tensor<3xi64>
  return
}

// -----

func.func @ellipsis() {
  %x = stablehlo.constant dense<[[[-3, 5], [5, 2], [7, -4]], [[-6, -8], [-6, 5], [8, -7]]]> : tensor<2x3x2xi32>
  %r = "stablehlo.unary_einsum"(%x) {einsum_config = "...i->..."} : (tensor<2x3x2xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %r, dense<[[2, 7, 3], [-14, -1, 1]]> : tensor<2x3xi32>
  return
}
