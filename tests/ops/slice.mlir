// RUN: tessera check %s
// slice: every stride-th element of [start, limit) in each dimension.

func.func @strides() {
  %a = stablehlo.constant dense<[[1, 2, 3, 4, 5, 6, 7], [8, 9, 10, 11, 12, 13, 14], [15, 16, 17, 18, 19, 20, 21], [22, 23, 24, 25, 26, 27, 28], [29, 30, 31, 32, 33, 34, 35], [36, 37, 38, 39, 40, 41, 42]]> : tensor<6x7xi32>
  %r = stablehlo.slice %a [1:6:2, 0:7:3] : (tensor<6x7xi32>) -> tensor<3x3xi32>
  check.expect_eq_const %r, dense<[[8, 11, 14], [22, 25, 28], [36, 39, 42]]> : tensor<3x3xi32>
  return
}

// -----

func.func @generic() {
  %a = stablehlo.constant dense<[[1, 2, 3, 4, 5, 6, 7], [8, 9, 10, 11, 12, 13, 14], [15, 16, 17, 18, 19, 20, 21], [22, 23, 24, 25, 26, 27, 28], [29, 30, 31, 32, 33, 34, 35], [36, 37, 38, 39, 40, 41, 42]]> : tensor<6x7xi32>
  %r = "stablehlo.slice"(%a) <{start_indices = array<i64: 2, 3>, limit_indices = array<i64: 4, 7>, strides = array<i64: 1, 1>}> : (tensor<6x7xi32>) -> tensor<2x4xi32>
  check.expect_eq_const %r, dense<[[18, 19, 20, 21], [25, 26, 27, 28]]> : tensor<2x4xi32>
  return
}

// -----

func.func @nothing() {
  %a = stablehlo.constant dense<[[1, 2, 3, 4, 5, 6, 7], [8, 9, 10, 11, 12, 13, 14], [15, 16, 17, 18, 19, 20, 21], [22, 23, 24, 25, 26, 27, 28], [29, 30, 31, 32, 33, 34, 35], [36, 37, 38, 39, 40, 41, 42]]> : tensor<6x7xi32>
  %r = stablehlo.slice %a [2:2, 0:7] : (tensor<6x7xi32>) -> tensor<0x7xi32>
  check.expect_eq_const %r, dense<> : tensor<0x7xi32>
  return
}

// -----

func.func @scalar() {
  %a = stablehlo.constant dense<5> : tensor<i32>
  %r = stablehlo.slice %a [] : (tensor<i32>) -> tensor<i32>
  check.expect_eq_const %r, dense<5> : tensor<i32>
  return
}

// -----

func.func @stride_beyond_the_end() {
  %a = stablehlo.constant dense<[1, 2, 3, 4, 5, 6, 7]> : tensor<7xi32>
  %r = stablehlo.slice %a [3:7:9223372036854775807] : (tensor<7xi32>) -> tensor<1xi32>
  check.expect_eq_const %r, dense<[4]> : tensor<1xi32>
  return
}

// -----

func.func @at_the_end() {
  %a = stablehlo.constant dense<[1, 2, 3, 4, 5, 6, 7]> : tensor<7xi32>
  %r = stablehlo.slice %a [7:7] : (tensor<7xi32>) -> tensor<0xi32>
  check.expect_eq_const %r, dense<> : tensor<0xi32>
  return
}

// -----

func.func @every_class() {
  %a0 = stablehlo.constant dense<[[false, false, true], [true, true, true], [true, true, false], [true, true, false]]> : tensor<4x3xi1>
  %r0 = stablehlo.slice %a0 [0:4:2, 1:3] : (tensor<4x3xi1>) -> tensor<2x2xi1>
  check.expect_eq_const %r0, dense<[[false, true], [true, false]]> : tensor<2x2xi1>
  %a1 = stablehlo.constant dense<[[-6, -5, -4], [-3, -2, -1], [0, 1, 2], [3, 4, 5]]> : tensor<4x3xi4>
  %r1 = stablehlo.slice %a1 [0:4:2, 1:3] : (tensor<4x3xi4>) -> tensor<2x2xi4>
  check.expect_eq_const %r1, dense<[[-5, -4], [1, 2]]> : tensor<2x2xi4>
  %a2 = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6], [7, 8, 9], [10, 11, 12]]> : tensor<4x3xui8>
  %r2 = stablehlo.slice %a2 [0:4:2, 1:3] : (tensor<4x3xui8>) -> tensor<2x2xui8>
  check.expect_eq_const %r2, dense<[[2, 3], [8, 9]]> : tensor<2x2xui8>
  %a3 = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6], [7, 8, 9], [10, 11, 12]]> : tensor<4x3xi16>
  %r3 = stablehlo.slice %a3 [0:4:2, 1:3] : (tensor<4x3xi16>) -> tensor<2x2xi16>
  check.expect_eq_const %r3, dense<[[2, 3], [8, 9]]> : tensor<2x2xi16>
  %a4 = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6], [7, 8, 9], [10, 11, 12]]> : tensor<4x3xi32>
  %r4 = stablehlo.slice %a4 [0:4:2, 1:3] : (tensor<4x3xi32>) -> tensor<2x2xi32>
  check.expect_eq_const %r4, dense<[[2, 3], [8, 9]]> : tensor<2x2xi32>
  %a5 = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6], [7, 8, 9], [10, 11, 12]]> : tensor<4x3xui64>
  %r5 = stablehlo.slice %a5 [0:4:2, 1:3] : (tensor<4x3xui64>) -> tensor<2x2xui64>
  check.expect_eq_const %r5, dense<[[2, 3], [8, 9]]> : tensor<2x2xui64>
  %a6 = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0], [10.0, 11.0, 12.0]]> : tensor<4x3xf16>
  %r6 = stablehlo.slice %a6 [0:4:2, 1:3] : (tensor<4x3xf16>) -> tensor<2x2xf16>
  check.expect_eq_const %r6, dense<[[2.0, 3.0], [8.0, 9.0]]> : tensor<2x2xf16>
  %a7 = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0], [10.0, 11.0, 12.0]]> : tensor<4x3xbf16>
  %r7 = stablehlo.slice %a7 [0:4:2, 1:3] : (tensor<4x3xbf16>) -> tensor<2x2xbf16>
  check.expect_eq_const %r7, dense<[[2.0, 3.0], [8.0, 9.0]]> : tensor<2x2xbf16>
  %a8 = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0], [10.0, 11.0, 12.0]]> : tensor<4x3xf8E4M3FN>
  %r8 = stablehlo.slice %a8 [0:4:2, 1:3] : (tensor<4x3xf8E4M3FN>) -> tensor<2x2xf8E4M3FN>
  check.expect_eq_const %r8, dense<[[2.0, 3.0], [8.0, 9.0]]> : tensor<2x2xf8E4M3FN>
  %a9 = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0], [10.0, 11.0, 12.0]]> : tensor<4x3xf64>
  %r9 = stablehlo.slice %a9 [0:4:2, 1:3] : (tensor<4x3xf64>) -> tensor<2x2xf64>
  check.expect_eq_const %r9, dense<[[2.0, 3.0], [8.0, 9.0]]> : tensor<2x2xf64>
  %a10 = stablehlo.constant dense<[[(1.0, 1.5), (2.0, 2.5), (3.0, 3.5)], [(4.0, 4.5), (5.0, 5.5), (6.0, 6.5)], [(7.0, 7.5), (8.0, 8.5), (9.0, 9.5)], [(10.0, 10.5), (11.0, 11.5), (12.0, 12.5)]]> : tensor<4x3xcomplex<f32>>
  %r10 = stablehlo.slice %a10 [0:4:2, 1:3] : (tensor<4x3xcomplex<f32>>) -> tensor<2x2xcomplex<f32>>
  check.expect_eq_const %r10, dense<[[(2.0, 2.5), (3.0, 3.5)], [(8.0, 8.5), (9.0, 9.5)]]> : tensor<2x2xcomplex<f32>>
  return
}
