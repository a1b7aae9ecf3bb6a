// RUN: tessera check %s

func.func @reduce() {
  %x = stablehlo.constant dense<[[1.0, 2.0, -3.5], [4.0, 0.5, 1.0]]> : tensor<2x3xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %qx = stablehlo.uniform_quantize %x : (tensor<2x3xf32>) -> tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>
  %qz = stablehlo.uniform_quantize %z : (tensor<f32>) -> tensor<!quant.uniform<i8:f32, 0.5:3>>
  %q = "stablehlo.reduce"(%qx, %qz) ({
  ^bb0(%a: tensor<!quant.uniform<i8:f32, 0.5:3>>, %b: tensor<!quant.uniform<i8:f32, 0.5:3>>):
    %m = stablehlo.add %a, %b : tensor<!quant.uniform<i8:f32, 0.5:3>>
    stablehlo.return %m : tensor<!quant.uniform<i8:f32, 0.5:3>>
  }) {dimensions = array<i64: 1>} : (tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>, tensor<!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x!quant.uniform<i8:f32, 0.5:3>>
  %r = stablehlo.uniform_dequantize %q : (tensor<2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2xf32>
  check.expect_eq_const %r, dense<[-0.5, 5.5]> : tensor<2xf32>
  return
}

// -----

func.func @reduce_to_wider() {
  %x = stablehlo.constant dense<[100.0, 27.0, 50.0]> : tensor<3xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %qx = stablehlo.uniform_quantize %x : (tensor<3xf32>) -> tensor<3x!quant.uniform<i8:f32, 1.0>>
  %qz = stablehlo.uniform_quantize %z : (tensor<f32>) -> tensor<!quant.uniform<i8:f32, 1.0>>
  %q = "stablehlo.reduce"(%qx, %qz) ({
  ^bb0(%a: tensor<!quant.uniform<i16:f32, 1.0>>, %b: tensor<!quant.uniform<i16:f32, 1.0>>):
    %m = stablehlo.add %a, %b : tensor<!quant.uniform<i16:f32, 1.0>>
    stablehlo.return %m : tensor<!quant.uniform<i16:f32, 1.0>>
  }) {dimensions = array<i64: 0>} : (tensor<3x!quant.uniform<i8:f32, 1.0>>, tensor<!quant.uniform<i8:f32, 1.0>>) -> tensor<!quant.uniform<i16:f32, 1.0>>
  %r = stablehlo.uniform_dequantize %q : (tensor<!quant.uniform<i16:f32, 1.0>>) -> tensor<f32>
  check.expect_eq_const %r, dense<177.0> : tensor<f32>
  return
}

// -----

func.func @pooling() {
  %x = stablehlo.constant dense<[1.0, 2.0, -3.5, 4.0]> : tensor<4xf32>
  %z = stablehlo.constant dense<-60.0> : tensor<f32>
  %qx = stablehlo.uniform_quantize %x : (tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 0.5>>
  %qz = stablehlo.uniform_quantize %z : (tensor<f32>) -> tensor<!quant.uniform<i8:f32, 0.5>>
  %q = "stablehlo.reduce_window"(%qx, %qz) ({
  ^bb0(%a: tensor<!quant.uniform<i8:f32, 0.5>>, %b: tensor<!quant.uniform<i8:f32, 0.5>>):
    %m = stablehlo.maximum %a, %b : tensor<!quant.uniform<i8:f32, 0.5>>
    stablehlo.return %m : tensor<!quant.uniform<i8:f32, 0.5>>
  }) {window_dimensions = array<i64: 2>, window_strides = array<i64: 2>} : (tensor<4x!quant.uniform<i8:f32, 0.5>>, tensor<!quant.uniform<i8:f32, 0.5>>) -> tensor<2x!quant.uniform<i8:f32, 0.5>>
  %s = "stablehlo.select_and_scatter"(%qx, %q, %qz) ({
  ^bb0(%a: tensor<!quant.uniform<i8:f32, 0.5>>, %b: tensor<!quant.uniform<i8:f32, 0.5>>):
    %m = stablehlo.compare GE, %a, %b : (tensor<!quant.uniform<i8:f32, 0.5>>, tensor<!quant.uniform<i8:f32, 0.5>>) -> tensor<i1>
    stablehlo.return %m : tensor<i1>
  }, {
  ^bb0(%a: tensor<!quant.uniform<i8:f32, 0.5>>, %b: tensor<!quant.uniform<i8:f32, 0.5>>):
    %m = stablehlo.maximum %a, %b : tensor<!quant.uniform<i8:f32, 0.5>>
    stablehlo.return %m : tensor<!quant.uniform<i8:f32, 0.5>>
  }) {window_dimensions = array<i64: 2>, window_strides = array<i64: 2>} : (tensor<4x!quant.uniform<i8:f32, 0.5>>, tensor<2x!quant.uniform<i8:f32, 0.5>>, tensor<!quant.uniform<i8:f32, 0.5>>) -> tensor<4x!quant.uniform<i8:f32, 0.5>>
  %r = stablehlo.uniform_dequantize %s : (tensor<4x!quant.uniform<i8:f32, 0.5>>) -> tensor<4xf32>
  check.expect_eq_const %r, dense<[-60.0, 2.0, -60.0, 4.0]> : tensor<4xf32>
  return
}

// -----

func.func @matrices() {
  %x = stablehlo.constant dense<[[4.0, 2.0], [2.0, 5.0]]> : tensor<2x2xf32>
  %y = stablehlo.constant dense<[[4.0], [6.0]]> : tensor<2x1xf32>
  %qx = stablehlo.uniform_quantize %x : (tensor<2x2xf32>) -> tensor<2x2x!quant.uniform<i8:f32, 0.5:3>>
  %qy = stablehlo.uniform_quantize %y : (tensor<2x1xf32>) -> tensor<2x1x!quant.uniform<i8:f32, 0.25:3>>
  %l = "stablehlo.cholesky"(%qx) {lower = true} : (tensor<2x2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x2x!quant.uniform<i8:f32, 0.25>>
  %s = "stablehlo.triangular_solve"(%l, %qy) {left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<2x2x!quant.uniform<i8:f32, 0.25>>, tensor<2x1x!quant.uniform<i8:f32, 0.25:3>>) -> tensor<2x1x!quant.uniform<i8:f32, 0.25>>
  %r = stablehlo.uniform_dequantize %s : (tensor<2x1x!quant.uniform<i8:f32, 0.25>>) -> tensor<2x1xf32>
  check.expect_eq_const %r, dense<[[2.0], [2.0]]> : tensor<2x1xf32>
  return
}

// -----

func.func @norm() {
  %x = stablehlo.constant dense<[[1.0], [3.0]]> : tensor<2x1xf32>
  %s = stablehlo.constant dense<[2.0]> : tensor<1xf32>
  %qx = stablehlo.uniform_quantize %x : (tensor<2x1xf32>) -> tensor<2x1x!quant.uniform<i8:f32, 0.5:3>>
  %qs = stablehlo.uniform_quantize %s : (tensor<1xf32>) -> tensor<1x!quant.uniform<i8:f32, 0.5:3>>
  %a, %b, %c = "stablehlo.batch_norm_training"(%qx, %qs, %qs) {epsilon = 0.0 : f32, feature_index = 1 : i64} : (tensor<2x1x!quant.uniform<i8:f32, 0.5:3>>, tensor<1x!quant.uniform<i8:f32, 0.5:3>>, tensor<1x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<2x1x!quant.uniform<i8:f32, 0.5:3>>, tensor<1x!quant.uniform<i8:f32, 0.5:3>>, tensor<1x!quant.uniform<i8:f32, 0.5:3>>)
  %r = stablehlo.uniform_dequantize %a : (tensor<2x1x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x1xf32>
  check.expect_eq_const %r, dense<[[0.0], [4.0]]> : tensor<2x1xf32>
  return
}
