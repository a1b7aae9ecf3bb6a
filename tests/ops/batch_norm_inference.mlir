// RUN: tessera check %s

func.func @middle_feature_f64() {
  %x = stablehlo.constant dense<[[[3.5, -4.0], [-0.9375, -3.75], [1.75, 0.375]], [[-2.8125, -3.4375], [2.0, -2.375], [2.75, -1.375]]]> : tensor<2x3x2xf64>
  %s = stablehlo.constant dense<[0.375, -3.4375, 0.0625]> : tensor<3xf64>
  %o = stablehlo.constant dense<[-3.8125, -2.25, 3.4375]> : tensor<3xf64>
  %m = stablehlo.constant dense<[3.875, -0.5, 3.3125]> : tensor<3xf64>
  %v = stablehlo.constant dense<[2.375, 0.6875, 1.6875]> : tensor<3xf64>
  %r = "stablehlo.batch_norm_inference"(%x, %s, %o, %m, %v) {epsilon = 0.5 : f32, feature_index = 1 : i64} : (tensor<2x3x2xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) -> tensor<2x3x2xf64>
  check.expect_almost_eq_const %r, dense<[[[-3.89543610033713, -5.554158107079722], [-0.869920975934902, 8.002015607340729], [3.3714723238493347, 3.313367968836749]], [[-5.291527122678811, -5.429753956574028], [-10.136165851800559, 3.66462438885042], [3.4137300365857604, 3.239416971548004]]]> : tensor<2x3x2xf64>
  return
}

// -----

func.func @middle_feature_f32() {
  %x = stablehlo.constant dense<[[[3.5, -4.0], [-0.9375, -3.75], [1.75, 0.375]], [[-2.8125, -3.4375], [2.0, -2.375], [2.75, -1.375]]]> : tensor<2x3x2xf32>
  %s = stablehlo.constant dense<[0.375, -3.4375, 0.0625]> : tensor<3xf32>
  %o = stablehlo.constant dense<[-3.8125, -2.25, 3.4375]> : tensor<3xf32>
  %m = stablehlo.constant dense<[3.875, -0.5, 3.3125]> : tensor<3xf32>
  %v = stablehlo.constant dense<[2.375, 0.6875, 1.6875]> : tensor<3xf32>
  %r = "stablehlo.batch_norm_inference"(%x, %s, %o, %m, %v) {epsilon = 0.5 : f32, feature_index = 1 : i64} : (tensor<2x3x2xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x2xf32>
  check.expect_almost_eq_const %r, dense<[[[-3.895436, -5.554158], [-0.86992097, 8.002016], [3.3714724, 3.313368]], [[-5.2915273, -5.429754], [-10.136166, 3.6646245], [3.4137301, 3.239417]]]> : tensor<2x3x2xf32>
  return
}

// -----

func.func @middle_feature_f64_generic() {
  %x = stablehlo.constant dense<[[[3.5, -4.0], [-0.9375, -3.75], [1.75, 0.375]], [[-2.8125, -3.4375], [2.0, -2.375], [2.75, -1.375]]]> : tensor<2x3x2xf64>
  %s = stablehlo.constant dense<[0.375, -3.4375, 0.0625]> : tensor<3xf64>
  %o = stablehlo.constant dense<[-3.8125, -2.25, 3.4375]> : tensor<3xf64>
  %m = stablehlo.constant dense<[3.875, -0.5, 3.3125]> : tensor<3xf64>
  %v = stablehlo.constant dense<[2.375, 0.6875, 1.6875]> : tensor<3xf64>
  %r = "stablehlo.batch_norm_inference"(%x, %s, %o, %m, %v) <{epsilon = 5.000000e-01 : f32, feature_index = 1 : i64}> : (tensor<2x3x2xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) -> tensor<2x3x2xf64>
  check.expect_almost_eq_const %r, dense<[[[-3.89543610033713, -5.554158107079722], [-0.869920975934902, 8.002015607340729], [3.3714723238493347, 3.313367968836749]], [[-5.291527122678811, -5.429753956574028], [-10.136165851800559, 3.66462438885042], [3.4137300365857604, 3.239416971548004]]]> : tensor<2x3x2xf64>
  return
}

// -----

func.func @middle_feature_f32_generic() {
  %x = stablehlo.constant dense<[[[3.5, -4.0], [-0.9375, -3.75], [1.75, 0.375]], [[-2.8125, -3.4375], [2.0, -2.375], [2.75, -1.375]]]> : tensor<2x3x2xf32>
  %s = stablehlo.constant dense<[0.375, -3.4375, 0.0625]> : tensor<3xf32>
  %o = stablehlo.constant dense<[-3.8125, -2.25, 3.4375]> : tensor<3xf32>
  %m = stablehlo.constant dense<[3.875, -0.5, 3.3125]> : tensor<3xf32>
  %v = stablehlo.constant dense<[2.375, 0.6875, 1.6875]> : tensor<3xf32>
  %r = "stablehlo.batch_norm_inference"(%x, %s, %o, %m, %v) <{epsilon = 5.000000e-01 : f32, feature_index = 1 : i64}> : (tensor<2x3x2xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x2xf32>
  check.expect_almost_eq_const %r, dense<[[[-3.895436, -5.554158], [-0.86992097, 8.002016], [3.3714724, 3.313368]], [[-5.2915273, -5.429754], [-10.136166, 3.6646245], [3.4137301, 3.239417]]]> : tensor<2x3x2xf32>
  return
}

// -----

func.func @empty() {
  %x = stablehlo.constant dense<> : tensor<0x2xf32>
  %s = stablehlo.constant dense<1.0> : tensor<2xf32>
  %r = "stablehlo.batch_norm_inference"(%x, %s, %s, %s, %s) {epsilon = 0.5 : f32, feature_index = 1 : i64} : (tensor<0x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<0x2xf32>
  check.expect_eq_const %r, dense<> : tensor<0x2xf32>
  return
}
