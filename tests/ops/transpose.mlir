// RUN: tessera check %s
// transpose: result dimension j is operand dimension permutation[j].

func.func @rank_3() {
  %a = stablehlo.constant dense<[[[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]], [[13, 14, 15, 16], [17, 18, 19, 20], [21, 22, 23, 24]]]> : tensor<2x3x4xi32>
  %r = stablehlo.transpose %a, dims = [2, 0, 1] : (tensor<2x3x4xi32>) -> tensor<4x2x3xi32>
  check.expect_eq_const %r, dense<[[[1, 5, 9], [13, 17, 21]], [[2, 6, 10], [14, 18, 22]], [[3, 7, 11], [15, 19, 23]], [[4, 8, 12], [16, 20, 24]]]> : tensor<4x2x3xi32>
  return
}

// -----

func.func @generic() {
  %a = stablehlo.constant dense<[[[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]], [[13, 14, 15, 16], [17, 18, 19, 20], [21, 22, 23, 24]]]> : tensor<2x3x4xi32>
  %r = "stablehlo.transpose"(%a) <{permutation = array<i64: 1, 2, 0>}> : (tensor<2x3x4xi32>) -> tensor<3x4x2xi32>
  check.expect_eq_const %r, dense<[[[1, 13], [2, 14], [3, 15], [4, 16]], [[5, 17], [6, 18], [7, 19], [8, 20]], [[9, 21], [10, 22], [11, 23], [12, 24]]]> : tensor<3x4x2xi32>
  return
}

// -----

func.func @scalar() {
  %a = stablehlo.constant dense<7.0> : tensor<f32>
  %r = stablehlo.transpose %a, dims = [] : (tensor<f32>) -> tensor<f32>
  check.expect_eq_const %r, dense<7.0> : tensor<f32>
  return
}

// -----

func.func @empty() {
  %a = stablehlo.constant dense<> : tensor<2x0x3xf32>
  %r = stablehlo.transpose %a, dims = [2, 1, 0] : (tensor<2x0x3xf32>) -> tensor<3x0x2xf32>
  check.expect_eq_const %r, dense<> : tensor<3x0x2xf32>
  return
}

// -----

func.func @identity() {
  %a = stablehlo.constant dense<[[[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]], [[13, 14, 15, 16], [17, 18, 19, 20], [21, 22, 23, 24]]]> : tensor<2x3x4xi32>
  %r = stablehlo.transpose %a, dims = [0, 1, 2] : (tensor<2x3x4xi32>) -> tensor<2x3x4xi32>
  check.expect_eq_const %r, dense<[[[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]], [[13, 14, 15, 16], [17, 18, 19, 20], [21, 22, 23, 24]]]> : tensor<2x3x4xi32>
  return
}

// -----

func.func @every_class() {
  %a0 = stablehlo.constant dense<[[false, true, false], [false, true, true]]> : tensor<2x3xi1>
  %r0 = stablehlo.transpose %a0, dims = [1, 0] : (tensor<2x3xi1>) -> tensor<3x2xi1>
  check.expect_eq_const %r0, dense<[[false, false], [true, true], [false, true]]> : tensor<3x2xi1>
  %a1 = stablehlo.constant dense<[[-6, -5, -4], [-3, -2, -1]]> : tensor<2x3xi4>
  %r1 = stablehlo.transpose %a1, dims = [1, 0] : (tensor<2x3xi4>) -> tensor<3x2xi4>
  check.expect_eq_const %r1, dense<[[-6, -3], [-5, -2], [-4, -1]]> : tensor<3x2xi4>
  %a2 = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xui8>
  %r2 = stablehlo.transpose %a2, dims = [1, 0] : (tensor<2x3xui8>) -> tensor<3x2xui8>
  check.expect_eq_const %r2, dense<[[1, 4], [2, 5], [3, 6]]> : tensor<3x2xui8>
  %a3 = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi16>
  %r3 = stablehlo.transpose %a3, dims = [1, 0] : (tensor<2x3xi16>) -> tensor<3x2xi16>
  check.expect_eq_const %r3, dense<[[1, 4], [2, 5], [3, 6]]> : tensor<3x2xi16>
  %a4 = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %r4 = stablehlo.transpose %a4, dims = [1, 0] : (tensor<2x3xi32>) -> tensor<3x2xi32>
  check.expect_eq_const %r4, dense<[[1, 4], [2, 5], [3, 6]]> : tensor<3x2xi32>
  %a5 = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xui64>
  %r5 = stablehlo.transpose %a5, dims = [1, 0] : (tensor<2x3xui64>) -> tensor<3x2xui64>
  check.expect_eq_const %r5, dense<[[1, 4], [2, 5], [3, 6]]> : tensor<3x2xui64>
  %a6 = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf16>
  %r6 = stablehlo.transpose %a6, dims = [1, 0] : (tensor<2x3xf16>) -> tensor<3x2xf16>
  check.expect_eq_const %r6, dense<[[1.0, 4.0], [2.0, 5.0], [3.0, 6.0]]> : tensor<3x2xf16>
  %a7 = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xbf16>
  %r7 = stablehlo.transpose %a7, dims = [1, 0] : (tensor<2x3xbf16>) -> tensor<3x2xbf16>
  check.expect_eq_const %r7, dense<[[1.0, 4.0], [2.0, 5.0], [3.0, 6.0]]> : tensor<3x2xbf16>
  %a8 = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf8E4M3FN>
  %r8 = stablehlo.transpose %a8, dims = [1, 0] : (tensor<2x3xf8E4M3FN>) -> tensor<3x2xf8E4M3FN>
  check.expect_eq_const %r8, dense<[[1.0, 4.0], [2.0, 5.0], [3.0, 6.0]]> : tensor<3x2xf8E4M3FN>
  %a9 = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf64>
  %r9 = stablehlo.transpose %a9, dims = [1, 0] : (tensor<2x3xf64>) -> tensor<3x2xf64>
  check.expect_eq_const %r9, dense<[[1.0, 4.0], [2.0, 5.0], [3.0, 6.0]]> : tensor<3x2xf64>
  %a10 = stablehlo.constant dense<[[(1.0, 1.5), (2.0, 2.5), (3.0, 3.5)], [(4.0, 4.5), (5.0, 5.5), (6.0, 6.5)]]> : tensor<2x3xcomplex<f32>>
  %r10 = stablehlo.transpose %a10, dims = [1, 0] : (tensor<2x3xcomplex<f32>>) -> tensor<3x2xcomplex<f32>>
  check.expect_eq_const %r10, dense<[[(1.0, 1.5), (4.0, 4.5)], [(2.0, 2.5), (5.0, 5.5)], [(3.0, 3.5), (6.0, 6.5)]]> : tensor<3x2xcomplex<f32>>
  return
}

// -----

func.func @quantized_axis_moves() {
  %a = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi8>
  %q = stablehlo.bitcast_convert %a : (tensor<2x3xi8>) -> tensor<2x3x!quant.uniform<i8:f32:0, {0.5, 2.0:1}>>
  %r = stablehlo.transpose %q, dims = [1, 0] : (tensor<2x3x!quant.uniform<i8:f32:0, {0.5, 2.0:1}>>) -> tensor<3x2x!quant.uniform<i8:f32:1, {0.5, 2.0:1}>>
  %f = stablehlo.uniform_dequantize %r : (tensor<3x2x!quant.uniform<i8:f32:1, {0.5, 2.0:1}>>) -> tensor<3x2xf32>
  check.expect_eq_const %f, dense<[[0.5, 6.0], [1.0, 8.0], [1.5, 10.0]]> : tensor<3x2xf32>
  return
}
