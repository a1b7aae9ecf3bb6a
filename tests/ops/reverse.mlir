// RUN: tessera check %s
// reverse: the order of elements turned round along some dimensions.

func.func @two_dims() {
  %a = stablehlo.constant dense<[[[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]], [[13, 14, 15, 16], [17, 18, 19, 20], [21, 22, 23, 24]]]> : tensor<2x3x4xi32>
  %r = stablehlo.reverse %a, dims = [0, 2] : tensor<2x3x4xi32>
  check.expect_eq_const %r, dense<[[[16, 15, 14, 13], [20, 19, 18, 17], [24, 23, 22, 21]], [[4, 3, 2, 1], [8, 7, 6, 5], [12, 11, 10, 9]]]> : tensor<2x3x4xi32>
  return
}

// -----

func.func @generic() {
  %a = stablehlo.constant dense<[[[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]], [[13, 14, 15, 16], [17, 18, 19, 20], [21, 22, 23, 24]]]> : tensor<2x3x4xi32>
  %r = "stablehlo.reverse"(%a) <{dimensions = array<i64: 1>}> : (tensor<2x3x4xi32>) -> tensor<2x3x4xi32>
  check.expect_eq_const %r, dense<[[[9, 10, 11, 12], [5, 6, 7, 8], [1, 2, 3, 4]], [[21, 22, 23, 24], [17, 18, 19, 20], [13, 14, 15, 16]]]> : tensor<2x3x4xi32>
  return
}

// -----

func.func @no_dims() {
  %a = stablehlo.constant dense<[[[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]], [[13, 14, 15, 16], [17, 18, 19, 20], [21, 22, 23, 24]]]> : tensor<2x3x4xi32>
  %r = stablehlo.reverse %a, dims = [] : tensor<2x3x4xi32>
  check.expect_eq_const %r, dense<[[[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]], [[13, 14, 15, 16], [17, 18, 19, 20], [21, 22, 23, 24]]]> : tensor<2x3x4xi32>
  return
}

// -----

func.func @scalar_and_empty() {
  %a = stablehlo.constant dense<3> : tensor<i32>
  %r = stablehlo.reverse %a, dims = [] : tensor<i32>
  check.expect_eq_const %r, dense<3> : tensor<i32>
  %b = stablehlo.constant dense<> : tensor<0x2xi32>
  %s = stablehlo.reverse %b, dims = [0, 1] : tensor<0x2xi32>
  check.expect_eq_const %s, dense<> : tensor<0x2xi32>
  return
}

// -----

func.func @every_class() {
  %a0 = stablehlo.constant dense<[[true, false], [false, true], [false, false]]> : tensor<3x2xi1>
  %r0 = stablehlo.reverse %a0, dims = [0] : tensor<3x2xi1>
  check.expect_eq_const %r0, dense<[[false, false], [false, true], [true, false]]> : tensor<3x2xi1>
  %a1 = stablehlo.constant dense<[[-6, -5], [-4, -3], [-2, -1]]> : tensor<3x2xi4>
  %r1 = stablehlo.reverse %a1, dims = [0] : tensor<3x2xi4>
  check.expect_eq_const %r1, dense<[[-2, -1], [-4, -3], [-6, -5]]> : tensor<3x2xi4>
  %a2 = stablehlo.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xui8>
  %r2 = stablehlo.reverse %a2, dims = [0] : tensor<3x2xui8>
  check.expect_eq_const %r2, dense<[[5, 6], [3, 4], [1, 2]]> : tensor<3x2xui8>
  %a3 = stablehlo.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi16>
  %r3 = stablehlo.reverse %a3, dims = [0] : tensor<3x2xi16>
  check.expect_eq_const %r3, dense<[[5, 6], [3, 4], [1, 2]]> : tensor<3x2xi16>
  %a4 = stablehlo.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi32>
  %r4 = stablehlo.reverse %a4, dims = [0] : tensor<3x2xi32>
  check.expect_eq_const %r4, dense<[[5, 6], [3, 4], [1, 2]]> : tensor<3x2xi32>
  %a5 = stablehlo.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xui64>
  %r5 = stablehlo.reverse %a5, dims = [0] : tensor<3x2xui64>
  check.expect_eq_const %r5, dense<[[5, 6], [3, 4], [1, 2]]> : tensor<3x2xui64>
  %a6 = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf16>
  %r6 = stablehlo.reverse %a6, dims = [0] : tensor<3x2xf16>
  check.expect_eq_const %r6, dense<[[5.0, 6.0], [3.0, 4.0], [1.0, 2.0]]> : tensor<3x2xf16>
  %a7 = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xbf16>
  %r7 = stablehlo.reverse %a7, dims = [0] : tensor<3x2xbf16>
  check.expect_eq_const %r7, dense<[[5.0, 6.0], [3.0, 4.0], [1.0, 2.0]]> : tensor<3x2xbf16>
  %a8 = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf8E4M3FN>
  %r8 = stablehlo.reverse %a8, dims = [0] : tensor<3x2xf8E4M3FN>
  check.expect_eq_const %r8, dense<[[5.0, 6.0], [3.0, 4.0], [1.0, 2.0]]> : tensor<3x2xf8E4M3FN>
  %a9 = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf64>
  %r9 = stablehlo.reverse %a9, dims = [0] : tensor<3x2xf64>
  check.expect_eq_const %r9, dense<[[5.0, 6.0], [3.0, 4.0], [1.0, 2.0]]> : tensor<3x2xf64>
  %a10 = stablehlo.constant dense<[[(1.0, 1.5), (2.0, 2.5)], [(3.0, 3.5), (4.0, 4.5)], [(5.0, 5.5), (6.0, 6.5)]]> : tensor<3x2xcomplex<f32>>
  %r10 = stablehlo.reverse %a10, dims = [0] : tensor<3x2xcomplex<f32>>
  check.expect_eq_const %r10, dense<[[(5.0, 5.5), (6.0, 6.5)], [(3.0, 3.5), (4.0, 4.5)], [(1.0, 1.5), (2.0, 2.5)]]> : tensor<3x2xcomplex<f32>>
  return
}
