// RUN: tessera check %s

func.func @same_padding() {
  %x = stablehlo.constant dense<[[[[0], [-7], [7], [-7]], [[3], [-8], [5], [8]], [[4], [-4], [6], [-4]], [[5], [6], [0], [2]]]]> : tensor<1x4x4x1xi32>
  %k = stablehlo.constant dense<[[[[7]], [[-6]], [[-9]]], [[[-1]], [[-6]], [[7]]], [[[7]], [[-2]], [[-4]]]]> : tensor<3x3x1x1xi32>
  %r = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x4x1xi32>, tensor<3x3x1x1xi32>) -> tensor<1x4x4x1xi32>
  check.expect_eq_const %r, dense<[[[[-23], [108], [-182], [54]], [[-3], [71], [-18], [88]], [[-32], [109], [-184], [1]], [[24], [-43], [-20], [54]]]]> : tensor<1x4x4x1xi32>
  return
}

// -----

func.func @strides_generic() {
  %x = stablehlo.constant dense<[[[[1.6875, -0.375], [-3.25, 1.3125], [1.8125, -3.4375], [2.25, 0.25], [2.625, 2.8125]], [[1.375, -1.3125], [-1.0625, 1.8125], [-3.5, -2.1875], [0.125, 3.5625], [2.0625, 2.5625]], [[-2.5, -1.75], [-1.875, 2.0], [0.3125, -2.3125], [2.0, 1.125], [3.1875, 0.5]], [[-3.0, 3.125], [-2.5625, -3.5625], [2.4375, -0.375], [1.1875, -3.0], [1.8125, -0.75]], [[4.0, 1.125], [3.5625, 2.375], [2.75, -3.3125], [2.25, 0.8125], [-0.875, -1.5]]], [[[1.125, -2.4375], [-2.5625, 3.0], [2.0625, 0.75], [2.0625, -1.4375], [1.8125, -2.375]], [[-0.4375, -2.875], [-1.0, -1.3125], [-0.625, -0.1875], [-3.75, -1.25], [2.75, -0.5625]], [[0.3125, -3.1875], [-0.9375, 3.8125], [0.375, -3.875], [1.8125, 2.1875], [-0.9375, -3.75]], [[2.6875, -2.0], [3.375, -1.125], [-0.9375, 2.375], [-2.9375, -3.8125], [2.125, 3.4375]], [[4.0, -3.0], [-2.8125, -1.3125], [1.6875, 3.3125], [2.625, -1.0], [3.375, -1.9375]]]]> : tensor<2x5x5x2xf32>
  %k = stablehlo.constant dense<[[[[-3.0625, -0.5, -3.3125], [1.4375, 3.9375, -3.1875]], [[-3.0625, -2.5625, -2.625], [0.3125, 0.625, 3.625]]], [[[-0.4375, 3.4375, 2.0], [2.875, -2.5, -0.375]], [[3.3125, 2.0, -2.25], [2.8125, 2.1875, -2.875]]]]> : tensor<2x2x2x3xf32>
  %r = "stablehlo.convolution"(%x, %k) {window_strides = array<i64: 2, 1>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<2x5x5x2xf32>, tensor<2x2x2x3xf32>) -> tensor<2x2x4x3xf32>
  %w1 = stablehlo.constant dense<[[[[1.859375, 16.675781, 9.316406], [-6.8554688, -19.96875, 0.72265625], [-11.628906, -18.570312, -16.75], [10.535156, -3.8554688, -18.039062]], [[3.296875, -30.628906, 34.867188], [4.8359375, 10.71875, -17.5625], [-16.703125, -8.5546875, 16.132812], [-19.363281, 9.140625, -15.1875]]], [[[-13.2421875, -0.90625, 27.871094], [0.14453125, 6.4609375, -3.3320312], [-28.207031, -16.175781, -8.996094], [-9.1015625, -18.316406, -27.21875]], [[-0.38671875, 10.605469, 27.171875], [4.8554688, 29.832031, -21.625], [-24.800781, -42.097656, 29.085938], [6.3242188, 18.96875, -43.21875]]]]> : tensor<2x2x4x3xf32>
  check.expect_close %r, %w1, max_ulp_difference = 1 : tensor<2x2x4x3xf32>, tensor<2x2x4x3xf32>
  return
}

// -----

func.func @everything() {
  %x = stablehlo.constant dense<[[[[-8, -5], [-1, -7], [-9, -7], [-4, -2]], [[-4, -1], [4, -5], [-1, 4], [-8, 8]], [[9, -4], [7, -5], [8, 3], [-5, -8]]]]> : tensor<1x3x4x2xi64>
  %k = stablehlo.constant dense<[[[[-2, 5], [-5, 0]], [[-7, -1], [-9, 9]], [[0, 6], [-7, -6]]], [[[-6, 1], [7, 2]], [[0, 8], [-6, -6]], [[3, 7], [-4, -5]]]]> : tensor<2x3x2x2xi64>
  %r = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 1], pad = [[2, 1], [1, 3]], lhs_dilate = [2, 1], rhs_dilate = [1, 2], reverse = [true, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x3x4x2xi64>, tensor<2x3x2x2xi64>) -> tensor<1x4x4x2xi64>
  check.expect_eq_const %r, dense<[[[[0, 0], [0, 0], [0, 0], [0, 0]], [[38, 16], [55, -48], [-31, -35], [5, -23]], [[-26, -34], [-7, -38], [-107, -118], [34, 7]], [[47, 91], [-100, 47], [-29, 5], [-27, 14]]]]> : tensor<1x4x4x2xi64>
  return
}

// -----

func.func @negative_padding() {
  %x = stablehlo.constant dense<[[[1], [5], [-4], [6], [0], [4]]]> : tensor<1x6x1xi16>
  %k = stablehlo.constant dense<[[[2]], [[0]]]> : tensor<2x1x1xi16>
  %r = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[-1, -2]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x6x1xi16>, tensor<2x1x1xi16>) -> tensor<1x2x1xi16>
  check.expect_eq_const %r, dense<[[[10], [-8]]]> : tensor<1x2x1xi16>
  return
}

// -----

func.func @feature_groups() {
  %x = stablehlo.constant dense<[[[0.3125, 4.0, -0.8125, 3.5625], [2.375, -2.5625, 3.0, -0.9375], [-2.5625, -2.0, -2.9375, -1.3125]]]> : tensor<1x3x4xf64>
  %k = stablehlo.constant dense<[[[-3.125, 0.375, 3.875, 3.75], [3.5625, -2.0625, -2.1875, 1.4375]], [[3.8125, 2.625, -2.375, 1.875], [0.0625, -0.4375, 0.0, 0.375]]]> : tensor<2x2x4xf64>
  %r = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<1x3x4xf64>, tensor<2x2x4xf64>) -> tensor<1x2x4xf64>
  %w2 = stablehlo.constant dense<[[[22.16796875, -0.77734375, -18.06640625, 7.34765625], [-26.4453125, 0.32421875, 20.65234375, 3.90234375]]]> : tensor<1x2x4xf64>
  check.expect_close %r, %w2, max_ulp_difference = 1 : tensor<1x2x4xf64>, tensor<1x2x4xf64>
  return
}

// -----

func.func @depthwise() {
  %x = stablehlo.constant dense<[[[8, 6, -9], [5, -4, -3], [2, 9, -8], [0, -5, 8]]]> : tensor<1x4x3xi32>
  %k = stablehlo.constant dense<[[[-1, 7, 7, -8, 5, 6]], [[6, 9, 5, 6, 4, -4]]]> : tensor<2x1x6xi32>
  %r = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 3 : i64} : (tensor<1x4x3xi32>, tensor<2x1x6xi32>) -> tensor<1x3x6xi32>
  check.expect_eq_const %r, dense<[[[22, 101, 22, -72, -57, -42], [7, 53, 17, 86, -47, 14], [-2, 14, 38, -102, -8, -80]]]> : tensor<1x3x6xi32>
  return
}

// -----

func.func @batch_groups() {
  %x = stablehlo.constant dense<[[[7, 4], [3, 9], [4, -3]], [[-4, -3], [-6, -8], [5, 5]], [[-6, -2], [8, 6], [2, 9]], [[-3, 7], [8, 2], [-7, -4]]]> : tensor<4x3x2xi32>
  %k = stablehlo.constant dense<[[[0, -4, -8, -6], [9, -2, 1, -1]], [[6, -8, -4, 2], [6, -1, 4, 6]]]> : tensor<2x2x4xi32>
  %r = "stablehlo.convolution"(%x, %k) {dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 2 : i64} : (tensor<4x3x2xi32>, tensor<2x2x4xi32>) -> tensor<2x2x4xi32>
  check.expect_eq_const %r, dense<[[[108, -69, 38, 90], [87, -59, -30, 4]], [[-111, 78, 7, 39], [-12, -5, -50, -88]]]> : tensor<2x2x4xi32>
  return
}

// -----

func.func @no_spatial_dimensions() {
  %x = stablehlo.constant dense<[[3, 6, 9], [-5, -1, -5]]> : tensor<2x3xi32>
  %k = stablehlo.constant dense<[[-2, -9, 4, -5], [6, 4, -3, -1], [3, -2, -6, -9]]> : tensor<3x4xi32>
  %r = stablehlo.convolution(%x, %k) dim_numbers = [b, f]x[i, o]->[b, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x3xi32>, tensor<3x4xi32>) -> tensor<2x4xi32>
  check.expect_eq_const %r, dense<[[57, -21, -60, -102], [-11, 51, 13, 71]]> : tensor<2x4xi32>
  return
}

// -----

func.func @window_too_large() {
  %x = stablehlo.constant dense<1> : tensor<1x2x1xi32>
  %k = stablehlo.constant dense<[[[5]], [[-7]], [[-8]]]> : tensor<3x1x1xi32>
  %r = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x2x1xi32>, tensor<3x1x1xi32>) -> tensor<1x0x1xi32>
  check.expect_eq_const %r, dense<> : tensor<1x0x1xi32>
  return
}

// -----

func.func @complex() {
  %x = stablehlo.constant dense<[[[(1.875, 1.25)], [(1.8125, 3.6875)], [(2.4375, 2.125)], [(-3.9375, -0.25)]]]> : tensor<1x4x1xcomplex<f32>>
  %k = stablehlo.constant dense<[[[(-0.1875, 0.3125), (-0.75, 0.1875)]], [[(-3.5625, 3.5), (1.75, 1.875)]]]> : tensor<2x1x2xcomplex<f32>>
  %r = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x1xcomplex<f32>>, tensor<2x1x2xcomplex<f32>>) -> tensor<1x3x2xcomplex<f32>>
  %w3 = stablehlo.constant dense<[[[(-20.105469, -6.4414062), (-5.3828125, 9.265625)], [(-17.613281, 0.8359375), (-1.7695312, 5.8632812)], [(13.78125, -12.527344), (-8.6484375, -8.957031)]]]> : tensor<1x3x2xcomplex<f32>>
  check.expect_close %r, %w3, max_ulp_difference = 1 : tensor<1x3x2xcomplex<f32>>, tensor<1x3x2xcomplex<f32>>
  return
}

// -----

func.func @other_layouts() {
  %x = stablehlo.constant dense<[[[9, -8, 9, 1, -2], [1, -9, 8, 2, -9], [8, -1, -7, 2, -8]], [[1, 5, -8, 6, 2], [-3, -5, -9, -6, -4], [7, 0, -6, 5, -1]]]> : tensor<2x3x5xi32>
  %k = stablehlo.constant dense<[[[6, 5], [8, 4], [-7, 1]], [[-1, 6], [-7, -1], [6, 2]], [[-9, 6], [-3, 3], [3, 3]], [[-2, -2], [-8, 1], [-4, -2]]]> : tensor<4x3x2xi32>
  %r = stablehlo.convolution(%x, %k) dim_numbers = [b, f, 0]x[o, i, 0]->[f, b, 0], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x3x5xi32>, tensor<4x3x2xi32>) -> tensor<4x2x4xi32>
  check.expect_eq_const %r, dense<[[[-71, -43, 182, -46], [-62, -92, -67, -54]], [[-9, 97, -99, -22], [97, -21, 87, 80]], [[-138, 153, -108, -72], [36, -123, 114, -24]], [[-49, 96, -58, -15], [-21, 49, 84, 10]]]> : tensor<4x2x4xi32>
  return
}

// -----

func.func @quantized_per_axis() {
  %x = stablehlo.constant dense<[[[1.0], [2.0], [-1.0]]]> : tensor<1x3x1xf32>
  %k = stablehlo.constant dense<[[[1.0, 0.5]], [[-1.0, 2.0]]]> : tensor<2x1x2xf32>
  %qx = stablehlo.uniform_quantize %x : (tensor<1x3x1xf32>) -> tensor<1x3x1x!quant.uniform<i8:f32, 0.5:2>>
  %qk = stablehlo.uniform_quantize %k : (tensor<2x1x2xf32>) -> tensor<2x1x2x!quant.uniform<i8:f32:2, {1.0:0,0.25:0}>>
  %q = stablehlo.convolution(%qx, %qk) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x3x1x!quant.uniform<i8:f32, 0.5:2>>, tensor<2x1x2x!quant.uniform<i8:f32:2, {1.0:0,0.25:0}>>) -> tensor<1x2x2x!quant.uniform<i8:f32:2, {0.5:1,0.25:-3}>>
  %r = stablehlo.bitcast_convert %q : (tensor<1x2x2x!quant.uniform<i8:f32:2, {0.5:1,0.25:-3}>>) -> tensor<1x2x2xi8>
  check.expect_eq_const %r, dense<[[[-1, 15], [7, -7]]]> : tensor<1x2x2xi8>
  return
}
