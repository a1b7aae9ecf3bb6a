// RUN: tessera check %s

func.func @feature_1_f64() {
  %x = stablehlo.constant dense<[[[3.5, -4.0], [-0.9375, -3.75], [1.75, 0.375]], [[-2.8125, -3.4375], [2.0, -2.375], [2.75, -1.375]]]> : tensor<2x3x2xf64>
  %s = stablehlo.constant dense<[3.125, -3.9375, 0.75]> : tensor<3xf64>
  %o = stablehlo.constant dense<[-2.0625, -0.9375, 3.6875]> : tensor<3xf64>
  %r, %m, %v = "stablehlo.batch_norm_training"(%x, %s, %o) {epsilon = 0.25 : f32, feature_index = 1 : i64} : (tensor<2x3x2xf64>, tensor<3xf64>, tensor<3xf64>) -> (tensor<2x3x2xf64>, tensor<3xf64>, tensor<3xf64>)
  check.expect_almost_eq_const %r, dense<[[[3.225913843787528, -4.41998568939926], [-1.5275983614646025, 3.5303875939462745], [4.090750070637348, 3.4570713882072295]], [[-3.209384929978018, -3.8465432244102504], [-6.810383692671519, 1.0575944601898462], [4.551607294222889, 2.6505712469325324]]]> : tensor<2x3x2xf64>
  check.expect_almost_eq_const %m, dense<[-1.6875, -1.265625, 0.875]> : tensor<3xf64>
  check.expect_almost_eq_const %v, dense<[9.146484375, 4.543701171875, 2.3984375]> : tensor<3xf64>
  return
}

// -----

func.func @feature_0_f32() {
  %x = stablehlo.constant dense<[[[3.5, -4.0], [-0.9375, -3.75], [1.75, 0.375]], [[-2.8125, -3.4375], [2.0, -2.375], [2.75, -1.375]]]> : tensor<2x3x2xf32>
  %s = stablehlo.constant dense<[1.25, 3.1875]> : tensor<2xf32>
  %o = stablehlo.constant dense<[-2.5, 1.125]> : tensor<2xf32>
  %r, %m, %v = "stablehlo.batch_norm_training"(%x, %s, %o) {epsilon = 0.25 : f32, feature_index = 0 : i64} : (tensor<2x3x2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2x3x2xf32>, tensor<2xf32>, tensor<2xf32>)
  check.expect_almost_eq_const %r, dense<[[[-0.6959959, -4.069718], [-2.6921148, -3.9572604], [-1.4831977, -2.1017134]], [[-1.4058821, -2.2222958], [4.8805027, -0.8343926], [5.860199, 0.47186914]]]> : tensor<2x3x2xf32>
  check.expect_almost_eq_const %m, dense<[-0.5104167, -0.875]> : tensor<2xf32>
  check.expect_almost_eq_const %v, dense<[7.4718966, 5.7044272]> : tensor<2xf32>
  return
}

// -----

func.func @feature_2_f32() {
  %x = stablehlo.constant dense<[[[3.5, -4.0], [-0.9375, -3.75], [1.75, 0.375]], [[-2.8125, -3.4375], [2.0, -2.375], [2.75, -1.375]]]> : tensor<2x3x2xf32>
  %s = stablehlo.constant dense<[3.4375, -3.25]> : tensor<2xf32>
  %o = stablehlo.constant dense<[3.0, -1.4375]> : tensor<2xf32>
  %r, %m, %v = "stablehlo.batch_norm_training"(%x, %s, %o) {epsilon = 0.25 : f32, feature_index = 2 : i64} : (tensor<2x3x2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2x3x2xf32>, tensor<2xf32>, tensor<2xf32>)
  check.expect_almost_eq_const %r, dense<[[[6.738678, 1.7220603], [-0.0099524325, 1.2198786], [4.077246, -7.0661206]], [[-2.8614862, 0.5921513], [4.457451, -1.5421212], [5.5980644, -3.5508482]]]> : tensor<2x3x2xf32>
  check.expect_almost_eq_const %m, dense<[1.0416666, -2.4270833]> : tensor<2xf32>
  check.expect_almost_eq_const %v, dense<[4.858941, 2.3677301]> : tensor<2xf32>
  return
}
