// RUN: tessera check %s
// reshape: the same elements in the same order under another shape.

func.func @split() {
  %a = stablehlo.constant dense<[1, 2, 3, 4, 5, 6]> : tensor<6xi32>
  %r = stablehlo.reshape %a : (tensor<6xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %r, dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  return
}

// -----

func.func @merge() {
  %a = stablehlo.constant dense<[[[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]], [[13, 14, 15, 16], [17, 18, 19, 20], [21, 22, 23, 24]]]> : tensor<2x3x4xi32>
  %r = stablehlo.reshape %a : (tensor<2x3x4xi32>) -> tensor<6x4xi32>
  check.expect_eq_const %r, dense<[[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12], [13, 14, 15, 16], [17, 18, 19, 20], [21, 22, 23, 24]]> : tensor<6x4xi32>
  return
}

// -----

func.func @to_scalar() {
  %a = stablehlo.constant dense<[[1]]> : tensor<1x1xi32>
  %r = stablehlo.reshape %a : (tensor<1x1xi32>) -> tensor<i32>
  check.expect_eq_const %r, dense<1> : tensor<i32>
  return
}

// -----

func.func @from_scalar() {
  %a = stablehlo.constant dense<1> : tensor<i32>
  %r = stablehlo.reshape %a : (tensor<i32>) -> tensor<1x1x1xi32>
  check.expect_eq_const %r, dense<[[[1]]]> : tensor<1x1x1xi32>
  return
}

// -----

func.func @empty() {
  %a = stablehlo.constant dense<> : tensor<0x3xi32>
  %r = stablehlo.reshape %a : (tensor<0x3xi32>) -> tensor<2x0x5xi32>
  check.expect_eq_const %r, dense<> : tensor<2x0x5xi32>
  return
}

// -----

func.func @add_ones() {
  %a = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %r = stablehlo.reshape %a : (tensor<2x3xi32>) -> tensor<1x2x1x3xi32>
  check.expect_eq_const %r, dense<[[[[1, 2, 3]], [[4, 5, 6]]]]> : tensor<1x2x1x3xi32>
  return
}

// -----

func.func @generic() {
  %a = stablehlo.constant dense<[[1, 2, 3, 4, 5, 6], [7, 8, 9, 10, 11, 12]]> : tensor<2x6xi64>
  %r = "stablehlo.reshape"(%a) : (tensor<2x6xi64>) -> tensor<3x4xi64>
  check.expect_eq_const %r, dense<[[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]]> : tensor<3x4xi64>
  return
}

// -----

func.func @every_class() {
  %a0 = stablehlo.constant dense<[[false, false, true], [true, false, true]]> : tensor<2x3xi1>
  %r0 = stablehlo.reshape %a0 : (tensor<2x3xi1>) -> tensor<3x2xi1>
  check.expect_eq_const %r0, dense<[[false, false], [true, true], [false, true]]> : tensor<3x2xi1>
  %a1 = stablehlo.constant dense<[[-6, -5, -4], [-3, -2, -1]]> : tensor<2x3xi4>
  %r1 = stablehlo.reshape %a1 : (tensor<2x3xi4>) -> tensor<3x2xi4>
  check.expect_eq_const %r1, dense<[[-6, -5], [-4, -3], [-2, -1]]> : tensor<3x2xi4>
  %a2 = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xui8>
  %r2 = stablehlo.reshape %a2 : (tensor<2x3xui8>) -> tensor<3x2xui8>
  check.expect_eq_const %r2, dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xui8>
  %a3 = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi16>
  %r3 = stablehlo.reshape %a3 : (tensor<2x3xi16>) -> tensor<3x2xi16>
  check.expect_eq_const %r3, dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi16>
  %a4 = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %r4 = stablehlo.reshape %a4 : (tensor<2x3xi32>) -> tensor<3x2xi32>
  check.expect_eq_const %r4, dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi32>
  %a5 = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xui64>
  %r5 = stablehlo.reshape %a5 : (tensor<2x3xui64>) -> tensor<3x2xui64>
  check.expect_eq_const %r5, dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xui64>
  %a6 = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf16>
  %r6 = stablehlo.reshape %a6 : (tensor<2x3xf16>) -> tensor<3x2xf16>
  check.expect_eq_const %r6, dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf16>
  %a7 = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xbf16>
  %r7 = stablehlo.reshape %a7 : (tensor<2x3xbf16>) -> tensor<3x2xbf16>
  check.expect_eq_const %r7, dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xbf16>
  %a8 = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf8E4M3FN>
  %r8 = stablehlo.reshape %a8 : (tensor<2x3xf8E4M3FN>) -> tensor<3x2xf8E4M3FN>
  check.expect_eq_const %r8, dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf8E4M3FN>
  %a9 = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf64>
  %r9 = stablehlo.reshape %a9 : (tensor<2x3xf64>) -> tensor<3x2xf64>
  check.expect_eq_const %r9, dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf64>
  %a10 = stablehlo.constant dense<[[(1.0, 1.5), (2.0, 2.5), (3.0, 3.5)], [(4.0, 4.5), (5.0, 5.5), (6.0, 6.5)]]> : tensor<2x3xcomplex<f32>>
  %r10 = stablehlo.reshape %a10 : (tensor<2x3xcomplex<f32>>) -> tensor<3x2xcomplex<f32>>
  check.expect_eq_const %r10, dense<[[(1.0, 1.5), (2.0, 2.5)], [(3.0, 3.5), (4.0, 4.5)], [(5.0, 5.5), (6.0, 6.5)]]> : tensor<3x2xcomplex<f32>>
  return
}
