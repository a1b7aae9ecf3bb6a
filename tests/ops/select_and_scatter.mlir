// RUN: tessera check %s

func.func @pooling_gradient() {
  %x = stablehlo.constant dense<[[6, 3, -7, 1], [-4, 9, 7, -6], [0, 8, 7, 4], [3, -9, 5, -1]]> : tensor<4x4xi64>
  %s = stablehlo.constant dense<[[-8, -5], [1, 4]]> : tensor<2x2xi64>
  %z = stablehlo.constant dense<0> : tensor<i64>
  %r = "stablehlo.select_and_scatter"(%x, %s, %z) ({
  ^bb0(%a: tensor<i64>, %b: tensor<i64>):
    %g = stablehlo.compare GE, %a, %b : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %g : tensor<i1>
  }, {
  ^bb0(%a: tensor<i64>, %b: tensor<i64>):
    %m = stablehlo.add %a, %b : tensor<i64>
    stablehlo.return %m : tensor<i64>
  }) {window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>, padding = dense<0> : tensor<2x2xi64>} : (tensor<4x4xi64>, tensor<2x2xi64>, tensor<i64>) -> tensor<4x4xi64>
  check.expect_eq_const %r, dense<[[0, 0, 0, 0], [0, -8, -5, 0], [0, 1, 4, 0], [0, 0, 0, 0]]> : tensor<4x4xi64>
  return
}

// -----

func.func @overlapping_windows() {
  %x = stablehlo.constant dense<[0.0625, 0.9375, 3.0, 1.5, -1.125]> : tensor<5xf32>
  %s = stablehlo.constant dense<[1.125, 0.8125, -3.1875, -3.5625]> : tensor<4xf32>
  %z = stablehlo.constant dense<1.0> : tensor<f32>
  %r = "stablehlo.select_and_scatter"(%x, %s, %z) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %g = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %g : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) {window_dimensions = array<i64: 2>, window_strides = array<i64: 1>, padding = dense<0> : tensor<1x2xi64>} : (tensor<5xf32>, tensor<4xf32>, tensor<f32>) -> tensor<5xf32>
  check.expect_eq_const %r, dense<[1.0, 2.125, -1.375, -2.5625, 1.0]> : tensor<5xf32>
  return
}

// -----

func.func @padding_is_never_elected() {
  %x = stablehlo.constant dense<[[-4, -6], [-4, -7], [-7, -8]]> : tensor<3x2xi32>
  %s = stablehlo.constant dense<[[-2, 6], [-2, -2], [1, 9]]> : tensor<3x2xi32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %r = "stablehlo.select_and_scatter"(%x, %s, %z) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %g = stablehlo.compare GE, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %g : tensor<i1>
  }, {
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %m = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %m : tensor<i32>
  }) {window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 1, 1>, padding = dense<[[1, 1], [0, 0]]> : tensor<2x2xi64>} : (tensor<3x2xi32>, tensor<3x2xi32>, tensor<i32>) -> tensor<3x2xi32>
  check.expect_eq_const %r, dense<[[-4, 4], [1, 9], [0, 0]]> : tensor<3x2xi32>
  return
}
