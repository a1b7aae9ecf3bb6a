// RUN: tessera check %s

func.func @same_padding() {
  %x = stablehlo.constant dense<[[[[-6], [5], [8], [-2]], [[-1], [-1], [-8], [5]], [[7], [0], [-8], [-3]], [[-7], [6], [6], [-2]]]]> : tensor<1x4x4x1xi32>
  %k = stablehlo.constant dense<[[[[-2]], [[7]], [[-8]]], [[[5]], [[9]], [[-1]]], [[[5]], [[4]], [[8]]]]> : tensor<3x3x1x1xi32>
  %p = stablehlo.constant dense<1> : tensor<2x2xi64>
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x4x4x1xi32>, tensor<3x3x1x1xi32>, tensor<2x2xi64>) -> tensor<1x4x4x1xi32>
  check.expect_eq_const %r, dense<[[[[-71], [-66], [102], [2]], [[-62], [-52], [-76], [-77]], [[84], [139], [-125], [6]], [[-20], [63], [54], [7]]]]> : tensor<1x4x4x1xi32>
  return
}

// -----

func.func @everything() {
  %x = stablehlo.constant dense<[[[[-9, 4], [-2, 7], [7, -4], [2, 0]], [[1, 6], [3, 5], [3, -5], [2, -2]], [[-2, -7], [-6, -3], [-4, 3], [-4, -5]]]]> : tensor<1x3x4x2xi64>
  %k = stablehlo.constant dense<[[[[-1, 1], [9, 0]], [[-3, -3], [-1, 8]], [[-2, -5], [2, 5]]], [[[9, -4], [7, 7]], [[-2, -3], [-4, -3]], [[7, -4], [0, 8]]]]> : tensor<2x3x2x2xi64>
  %p = stablehlo.constant dense<[[2, 1], [1, 3]]> : tensor<2x2xi64>
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {window_strides = array<i64: 2, 1>, lhs_dilation = array<i64: 2, 1>, rhs_dilation = array<i64: 1, 2>, window_reversal = array<i1: true, false>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x3x4x2xi64>, tensor<2x3x2x2xi64>, tensor<2x2xi64>) -> tensor<1x4x4x2xi64>
  check.expect_eq_const %r, dense<[[[[0, 0], [0, 0], [0, 0], [0, 0]], [[-10, -23], [-51, 55], [27, 51], [35, -56]], [[-12, -48], [65, 44], [66, 23], [-8, -47]], [[-4, 3], [-71, -38], [-47, 30], [-15, 37]]]]> : tensor<1x4x4x2xi64>
  return
}

// -----

func.func @negative_padding_floats() {
  %x = stablehlo.constant dense<[[[1.5], [-3.0], [-3.4375], [-2.25], [2.9375], [-2.1875]]]> : tensor<1x6x1xf32>
  %k = stablehlo.constant dense<[[[-1.5]], [[0.3125]]]> : tensor<2x1x1xf32>
  %p = stablehlo.constant dense<[[-1, -2]]> : tensor<1x2xi64>
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x6x1xf32>, tensor<2x1x1xf32>, tensor<1x2xi64>) -> tensor<1x2x1xf32>
  %w1 = stablehlo.constant dense<[[[3.4257812], [4.453125]]]> : tensor<1x2x1xf32>
  check.expect_close %r, %w1, max_ulp_difference = 1 : tensor<1x2x1xf32>, tensor<1x2x1xf32>
  return
}
