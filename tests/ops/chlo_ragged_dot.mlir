// RUN: tessera check %s

func.func @rows_in_groups() {
  %x = stablehlo.constant dense<[[2, -9, -8], [9, -5, -5], [2, 4, 9], [5, 6, 8], [3, 2, 0], [-6, -9, -7]]> : tensor<6x3xi32>
  %y = stablehlo.constant dense<[[[7, -4], [-8, -7], [-7, -2]], [[4, 6], [6, 9], [5, -4]], [[-1, 3], [-6, 4], [-9, -5]]]> : tensor<3x3x2xi32>
  %g = stablehlo.constant dense<[2, 1, 2]> : tensor<3xi64>
  %r = "chlo.ragged_dot"(%x, %y, %g) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>, precision_config = [#chlo<precision DEFAULT>, #chlo<precision DEFAULT>]} : (tensor<6x3xi32>, tensor<3x3x2xi32>, tensor<3xi64>) -> tensor<6x2xi32>
  check.expect_eq_const %r, dense<[[142, 71], [138, 9], [77, 12], [-113, -1], [-15, 17], [0, 0]]> : tensor<6x2xi32>
  return
}

// -----

func.func @sizes_per_batch() {
  %x = stablehlo.constant dense<[[[2.8125, -1.4375, 3.875], [2.75, -2.0625, 3.375], [2.9375, 3.875, -0.8125], [3.3125, -1.5, -1.1875], [0.0625, -1.125, -3.9375]], [[1.75, -0.4375, 2.5625], [-2.4375, -2.1875, 1.6875], [1.625, 0.0, 0.8125], [3.0, 3.0625, 3.1875], [4.0, -1.5, 2.375]]]> : tensor<2x5x3xf32>
  %y = stablehlo.constant dense<[[[[-1.75, 2.9375, 3.5625, -0.5], [0.0625, -3.0625, -3.25, -2.4375]], [[-3.6875, -0.8125, 3.9375, 1.6875], [0.625, 1.875, -3.5625, 1.25]], [[0.0625, -3.125, 0.0625, 1.3125], [-0.5, 3.375, 3.625, -1.125]]], [[[3.625, -2.0625, -3.0, 1.1875], [-2.8125, -1.4375, -0.75, 1.5]], [[2.6875, 3.1875, 1.0, 3.75], [1.875, 3.0, 0.625, -3.0625]], [[-2.3125, -0.6875, 2.5625, -0.6875], [-3.9375, -0.5625, 1.625, 3.9375]]]]> : tensor<2x3x2x4xf32>
  %g = stablehlo.constant dense<[[2, 3], [0, 4]]> : tensor<2x2xi64>
  %r = "chlo.ragged_dot"(%x, %y, %g) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [1], rhs_group_dimensions = [2]>, precision_config = [#chlo<precision DEFAULT>, #chlo<precision DEFAULT>]} : (tensor<2x5x3xf32>, tensor<2x3x2x4xf32>, tensor<2x2xi64>) -> tensor<2x5x4xf32>
  check.expect_eq_const %r, dense<[[[0.62109375, -2.6796875, 4.6015625, 1.2539062], [3.0039062, -0.79296875, 1.8867188, -0.42578125], [3.0117188, -4.4726562, -26.296875, -1.4023438], [-0.13671875, -16.964844, -9.7265625, -8.613281], [1.2695312, -15.589844, -10.46875, 2.8710938]], [[-15.832031, -5.2695312, 2.578125, 14.0546875], [-3.890625, -4.0078125, 3.203125, 9.6875], [-7.7695312, -2.7929688, 0.1015625, 5.6367188], [-15.246094, 3.0820312, 4.84375, 7.671875], [0.0, 0.0, 0.0, 0.0]]]> : tensor<2x5x4xf32>
  return
}

// -----

func.func @sums_by_group() {
  %x = stablehlo.constant dense<[[-6, -4, -1, 0, 9], [-2, 1, -5, -8, -2]]> : tensor<2x5xi64>
  %y = stablehlo.constant dense<[[-1, -6, 3], [-3, -8, 1], [-5, 4, -9], [5, 1, 4], [-2, 7, 0]]> : tensor<5x3xi64>
  %g = stablehlo.constant dense<[2, 0, 2]> : tensor<3xi64>
  %r = "chlo.ragged_dot"(%x, %y, %g) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0], lhs_ragged_dimensions = [1], rhs_group_dimensions = []>, precision_config = [#chlo<precision DEFAULT>, #chlo<precision DEFAULT>]} : (tensor<2x5xi64>, tensor<5x3xi64>, tensor<3xi64>) -> tensor<3x2x3xi64>
  check.expect_eq_const %r, dense<[[[18, 68, -22], [-1, 4, -5]], [[0, 0, 0], [0, 0, 0]], [[5, -4, 9], [-15, -28, 13]]]> : tensor<3x2x3xi64>
  return
}

// -----

func.func @ragged_batch() {
  %x = stablehlo.constant dense<[[[9, -4], [7, 3]], [[8, -6], [0, 8]], [[-5, 9], [9, 0]]]> : tensor<3x2x2xi64>
  %y = stablehlo.constant dense<[[[4, -1], [3, 7]], [[5, -4], [2, 6]], [[2, -4], [5, 4]]]> : tensor<3x2x2xi64>
  %g = stablehlo.constant dense<1> : tensor<2xi64>
  %r = "chlo.ragged_dot"(%x, %y, %g) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = []>, precision_config = [#chlo<precision DEFAULT>, #chlo<precision DEFAULT>]} : (tensor<3x2x2xi64>, tensor<3x2x2xi64>, tensor<2xi64>) -> tensor<3x2x2xi64>
  check.expect_eq_const %r, dense<[[[24, -37], [37, 14]], [[28, -68], [16, 48]], [[0, 0], [0, 0]]]> : tensor<3x2x2xi64>
  return
}
