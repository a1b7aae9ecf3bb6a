// RUN: tessera check %s

func.func @pooling() {
  %x = stablehlo.constant dense<[[[[0], [2], [1], [0]], [[9], [6], [6], [4]], [[2], [-3], [9], [-1]], [[-5], [7], [-6], [7]]]]> : tensor<1x4x4x1xi32>
  %z = stablehlo.constant dense<-100> : tensor<i32>
  %r = "stablehlo.reduce_window"(%x, %z) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %m = stablehlo.maximum %a, %b : tensor<i32>
    stablehlo.return %m : tensor<i32>
  }) {window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>} : (tensor<1x4x4x1xi32>, tensor<i32>) -> tensor<1x2x2x1xi32>
  check.expect_eq_const %r, dense<[[[[9], [6]], [[7], [9]]]]> : tensor<1x2x2x1xi32>
  return
}

// -----

func.func @cumulative_sum() {
  %x = stablehlo.constant dense<[0.9375, -3.125, -3.6875, -0.4375, -3.75]> : tensor<5xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %r = "stablehlo.reduce_window"(%x, %z) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) {window_dimensions = array<i64: 5>, padding = dense<[[4, 0]]> : tensor<1x2xi64>} : (tensor<5xf32>, tensor<f32>) -> tensor<5xf32>
  check.expect_eq_const %r, dense<[0.9375, -2.1875, -5.875, -6.3125, -10.0625]> : tensor<5xf32>
  return
}

// -----

func.func @all_attributes() {
  %x = stablehlo.constant dense<[[-7, 0], [9, -1], [6, 8]]> : tensor<3x2xi64>
  %z = stablehlo.constant dense<0> : tensor<i64>
  %r = "stablehlo.reduce_window"(%x, %z) ({
  ^bb0(%a: tensor<i64>, %b: tensor<i64>):
    %m = stablehlo.add %a, %b : tensor<i64>
    stablehlo.return %m : tensor<i64>
  }) {window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 4, 1>, base_dilations = array<i64: 2, 1>, window_dilations = array<i64: 3, 1>, padding = dense<[[2, 1], [0, 0]]> : tensor<2x2xi64>} : (tensor<3x2xi64>, tensor<i64>) -> tensor<2x2xi64>
  check.expect_eq_const %r, dense<[[0, 0], [9, -1]]> : tensor<2x2xi64>
  return
}

// -----

func.func @negative_padding() {
  %x = stablehlo.constant dense<[[6, 2, -1], [0, -4, 0], [-2, -5, 9], [-9, -8, -6], [9, 4, 7]]> : tensor<5x3xi64>
  %z = stablehlo.constant dense<0> : tensor<i64>
  %r = "stablehlo.reduce_window"(%x, %z) ({
  ^bb0(%a: tensor<i64>, %b: tensor<i64>):
    %m = stablehlo.add %a, %b : tensor<i64>
    stablehlo.return %m : tensor<i64>
  }) {window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 1, 1>, base_dilations = array<i64: 1, 2>, window_dilations = array<i64: 1, 1>, padding = dense<[[-1, 0], [1, -1]]> : tensor<2x2xi64>} : (tensor<5x3xi64>, tensor<i64>) -> tensor<3x4xi64>
  check.expect_eq_const %r, dense<[[-2, -2, -9, -9], [-11, -11, -13, -13], [0, 0, -4, -4]]> : tensor<3x4xi64>
  return
}

// -----

func.func @padding_reads_init() {
  %x = stablehlo.constant dense<[1, 2]> : tensor<2xi64>
  %z = stablehlo.constant dense<5> : tensor<i64>
  %r = "stablehlo.reduce_window"(%x, %z) ({
  ^bb0(%a: tensor<i64>, %b: tensor<i64>):
    %m = stablehlo.add %a, %b : tensor<i64>
    stablehlo.return %m : tensor<i64>
  }) {window_dimensions = array<i64: 2>, padding = dense<1> : tensor<1x2xi64>} : (tensor<2xi64>, tensor<i64>) -> tensor<3xi64>
  check.expect_eq_const %r, dense<[11, 8, 12]> : tensor<3xi64>
  return
}

// -----

func.func @no_window_fits() {
  %x = stablehlo.constant dense<[[2, 7, 3], [4, 0, 6]]> : tensor<2x3xui8>
  %z = stablehlo.constant dense<1> : tensor<ui8>
  %r = "stablehlo.reduce_window"(%x, %z) ({
  ^bb0(%a: tensor<ui8>, %b: tensor<ui8>):
    %m = stablehlo.add %a, %b : tensor<ui8>
    stablehlo.return %m : tensor<ui8>
  }) {window_dimensions = array<i64: 3, 1>} : (tensor<2x3xui8>, tensor<ui8>) -> tensor<0x3xui8>
  check.expect_eq_const %r, dense<> : tensor<0x3xui8>
  return
}

// -----

func.func @empty_input() {
  %x = stablehlo.constant dense<> : tensor<0x2xf32>
  %z = stablehlo.constant dense<3.0> : tensor<f32>
  %r = "stablehlo.reduce_window"(%x, %z) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) {window_dimensions = array<i64: 1, 1>, padding = dense<[[1, 1], [0, 0]]> : tensor<2x2xi64>} : (tensor<0x2xf32>, tensor<f32>) -> tensor<2x2xf32>
  check.expect_eq_const %r, dense<3.0> : tensor<2x2xf32>
  return
}

// -----

func.func @rank_zero() {
  %x = stablehlo.constant dense<2.0> : tensor<f32>
  %z = stablehlo.constant dense<1.0> : tensor<f32>
  %r = "stablehlo.reduce_window"(%x, %z) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) {window_dimensions = array<i64>} : (tensor<f32>, tensor<f32>) -> tensor<f32>
  check.expect_eq_const %r, dense<3.0> : tensor<f32>
  return
}

// -----

func.func @two_inputs() {
  %x = stablehlo.constant dense<[4, 2, 9, 1]> : tensor<4xi32>
  %i = stablehlo.constant dense<[0, 1, 2, 3]> : tensor<4xi32>
  %lo = stablehlo.constant dense<-99> : tensor<i32>
  %z = stablehlo.constant dense<-1> : tensor<i32>
  %v, %k = "stablehlo.reduce_window"(%x, %i, %lo, %z) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<i32>, %d: tensor<i32>):
    %g = stablehlo.compare GE, %a, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %m = stablehlo.select %g, %a, %c : tensor<i1>, tensor<i32>
    %n = stablehlo.select %g, %b, %d : tensor<i1>, tensor<i32>
    stablehlo.return %m, %n : tensor<i32>, tensor<i32>
  }) {window_dimensions = array<i64: 2>} : (tensor<4xi32>, tensor<4xi32>, tensor<i32>, tensor<i32>) -> (tensor<3xi32>, tensor<3xi32>)
  check.expect_eq_const %v, dense<[4, 9, 9]> : tensor<3xi32>
  check.expect_eq_const %k, dense<[0, 2, 2]> : tensor<3xi32>
  return
}
