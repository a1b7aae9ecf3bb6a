// RUN: tessera check %s

func.func @matrix() {
  %x = stablehlo.constant dense<[[-3.125, 3.375, 3.3125], [1.5625, 2.4375, 1.9375]]> : tensor<2x3xf32>
  %y = stablehlo.constant dense<[[3.0625, 3.125, 0.1875, 2.5625], [3.375, -1.625, -3.625, -2.6875], [-3.8125, -0.5, -3.875, -1.9375]]> : tensor<3x4xf32>
  %r = "stablehlo.einsum"(%x, %y) {einsum_config = "ij,jk->ik"} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  %w1 = stablehlo.constant dense<[[-10.808594, -16.90625, -25.65625, -23.496094], [5.625, -0.046875, -16.050781, -6.3007812]]> : tensor<2x4xf32>
  check.expect_close %r, %w1, max_ulp_difference = 1 : tensor<2x4xf32>, tensor<2x4xf32>
  return
}

// -----

func.func @batch_transposed() {
  %x = stablehlo.constant dense<[[[-5, 4, -5], [9, -6, 9]], [[1, -5, -9], [-4, 2, -7]]]> : tensor<2x2x3xi32>
  %y = stablehlo.constant dense<[[[-6, -7, 3], [-8, -9, -1], [-4, 1, 8], [7, 1, 3]], [[6, -1, 3], [-5, 2, -5], [-6, 5, 1], [-2, -9, -5]]]> : tensor<2x4x3xi32>
  %r = "stablehlo.einsum"(%x, %y) {einsum_config = "bij,bkj->bki"} : (tensor<2x2x3xi32>, tensor<2x4x3xi32>) -> tensor<2x4x2xi32>
  check.expect_eq_const %r, dense<[[[-13, 15], [9, -27], [-16, 30], [-46, 84]], [[-16, -47], [30, 59], [-40, 27], [88, 25]]]> : tensor<2x4x2xi32>
  return
}

// -----

func.func @outer() {
  %x = stablehlo.constant dense<[8, 4]> : tensor<2xui8>
  %y = stablehlo.constant dense<[9, 9, 8]> : tensor<3xui8>
  %r = "stablehlo.einsum"(%x, %y) {einsum_config = "i,j->ij"} : (tensor<2xui8>, tensor<3xui8>) -> tensor<2x3xui8>
  check.expect_eq_const %r, dense<[[72, 72, 64], [36, 36, 32]]> : tensor<2x3xui8>
  return
}

// -----

func.func @diagonal_and_sum() {
  %x = stablehlo.constant dense<[[-3.875, -3.625, 0.625], [-1.3125, 2.75, -1.4375], [-2.8125, -3.125, -1.625]]> : tensor<3x3xf64>
  %y = stablehlo.constant dense<[[1.0, -3.0], [2.375, -1.5625], [-1.5, 1.3125]]> : tensor<3x2xf64>
  %r = "stablehlo.einsum"(%x, %y) {einsum_config = "ii,ij->j"} : (tensor<3x3xf64>, tensor<3x2xf64>) -> tensor<2xf64>
  %w2 = stablehlo.constant dense<[5.09375, 5.1953125]> : tensor<2xf64>
  check.expect_close %r, %w2, max_ulp_difference = 1 : tensor<2xf64>, tensor<2xf64>
  return
}

// -----

func.func @ellipsis() {
  %x = stablehlo.constant dense<[[[(2.9375, 0.5625), (-0.5, -0.9375), (2.375, 1.125)], [(-1.5625, -1.9375), (-3.0, 0.875), (2.625, 2.375)]], [[(2.125, -3.25), (2.0, -0.375), (3.0625, 1.3125)], [(0.0, -3.625), (-2.4375, 1.0625), (0.6875, 3.3125)]]]> : tensor<2x2x3xcomplex<f64>>
  %y = stablehlo.constant dense<[[[(2.625, -2.75), (1.5, -1.25)], [(2.4375, -3.8125), (-1.125, -0.0625)], [(-1.375, 1.1875), (-3.375, 1.3125)]], [[(1.8125, -2.3125), (-1.5, -2.6875)], [(2.9375, 0.5), (-0.25, 1.0625)], [(3.1875, 3.5625), (-2.9375, 3.1875)]]]> : tensor<2x3x2xcomplex<f64>>
  %r = "stablehlo.einsum"(%x, %y) {einsum_config = "...ij,...jk->...ik"} : (tensor<2x2x3xcomplex<f64>>, tensor<2x3x2xcomplex<f64>>) -> tensor<2x2x2xcomplex<f64>>
  %w3 = stablehlo.constant dense<[[[(-0.13671875, -5.70703125), (-3.87890625, -2.421875)], [(-19.8359375, 12.6328125), (-13.3125, -6.3203125)]], [[(7.484375, 4.1875), (-25.203125, 7.2890625)], [(-25.68359375, 8.33984375), (-22.83984375, -4.95703125)]]]> : tensor<2x2x2xcomplex<f64>>
  check.expect_close %r, %w3, max_ulp_difference = 1 : tensor<2x2x2xcomplex<f64>>, tensor<2x2x2xcomplex<f64>>
  return
}

// -----

func.func @empty() {
  %x = stablehlo.constant dense<> : tensor<2x0xf32>
  %y = stablehlo.constant dense<> : tensor<0x2xf32>
  %r = "stablehlo.einsum"(%x, %y) {einsum_config = "ij,jk->ik"} : (tensor<2x0xf32>, tensor<0x2xf32>) -> tensor<2x2xf32>
  %w4 = stablehlo.constant dense<0.0> : tensor<2x2xf32>
  check.expect_close %r, %w4, max_ulp_difference = 1 : tensor<2x2xf32>, tensor<2x2xf32>
  return
}

// -----

func.func @to_scalar() {
  %x = stablehlo.constant dense<[-2, -6, -5]> : tensor<3xi64>
  %y = stablehlo.constant dense<[7, -1, 9]> : tensor<3xi64>
  %r = "stablehlo.einsum"(%x, %y) {einsum_config = "i,i->"} : (tensor<3xi64>, tensor<3xi64>) -> tensor<i64>
  check.expect_eq_const %r, dense<-53> : tensor<i64>
  return
}
