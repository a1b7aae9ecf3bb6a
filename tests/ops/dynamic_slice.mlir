// RUN: tessera check %s
// dynamic_slice: a block from a place given at run time, moved to lie inside.

func.func @inside() {
  %a = stablehlo.constant dense<[[1, 2, 3, 4, 5], [6, 7, 8, 9, 10], [11, 12, 13, 14, 15], [16, 17, 18, 19, 20]]> : tensor<4x5xi32>
  %i0 = stablehlo.constant dense<1> : tensor<i64>
  %i1 = stablehlo.constant dense<2> : tensor<i64>
  %r = stablehlo.dynamic_slice %a, %i0, %i1, sizes = [2, 2] : (tensor<4x5xi32>, tensor<i64>, tensor<i64>) -> tensor<2x2xi32>
  check.expect_eq_const %r, dense<[[8, 9], [13, 14]]> : tensor<2x2xi32>
  return
}

// -----

func.func @clamped() {
  %a = stablehlo.constant dense<[[1, 2, 3, 4, 5], [6, 7, 8, 9, 10], [11, 12, 13, 14, 15], [16, 17, 18, 19, 20]]> : tensor<4x5xi32>
  %i0 = stablehlo.constant dense<-3> : tensor<i32>
  %i1 = stablehlo.constant dense<4> : tensor<i32>
  %r = stablehlo.dynamic_slice %a, %i0, %i1, sizes = [2, 3] : (tensor<4x5xi32>, tensor<i32>, tensor<i32>) -> tensor<2x3xi32>
  check.expect_eq_const %r, dense<[[3, 4, 5], [8, 9, 10]]> : tensor<2x3xi32>
  return
}

// -----

func.func @generic_unsigned() {
  %a = stablehlo.constant dense<[[1, 2, 3, 4, 5], [6, 7, 8, 9, 10], [11, 12, 13, 14, 15], [16, 17, 18, 19, 20]]> : tensor<4x5xi32>
  %i0 = stablehlo.constant dense<200> : tensor<ui8>
  %i1 = stablehlo.constant dense<1> : tensor<ui8>
  %r = "stablehlo.dynamic_slice"(%a, %i0, %i1) <{slice_sizes = array<i64: 1, 5>}> : (tensor<4x5xi32>, tensor<ui8>, tensor<ui8>) -> tensor<1x5xi32>
  check.expect_eq_const %r, dense<[[16, 17, 18, 19, 20]]> : tensor<1x5xi32>
  return
}

// -----

func.func @huge_unsigned() {
  %a = stablehlo.constant dense<[[1, 2, 3, 4, 5], [6, 7, 8, 9, 10], [11, 12, 13, 14, 15], [16, 17, 18, 19, 20]]> : tensor<4x5xi32>
  %i0 = stablehlo.constant dense<18446744073709551615> : tensor<ui64>
  %i1 = stablehlo.constant dense<0> : tensor<ui64>
  %r = stablehlo.dynamic_slice %a, %i0, %i1, sizes = [2, 1] : (tensor<4x5xi32>, tensor<ui64>, tensor<ui64>) -> tensor<2x1xi32>
  check.expect_eq_const %r, dense<[[11], [16]]> : tensor<2x1xi32>
  return
}

// -----

func.func @scalar() {
  %a = stablehlo.constant dense<3> : tensor<i32>
  %r = stablehlo.dynamic_slice %a, sizes = [] : (tensor<i32>) -> tensor<i32>
  check.expect_eq_const %r, dense<3> : tensor<i32>
  return
}

// -----

func.func @nothing() {
  %a = stablehlo.constant dense<[[1, 2, 3, 4, 5], [6, 7, 8, 9, 10], [11, 12, 13, 14, 15], [16, 17, 18, 19, 20]]> : tensor<4x5xi32>
  %i0 = stablehlo.constant dense<9> : tensor<i64>
  %i1 = stablehlo.constant dense<9> : tensor<i64>
  %r = stablehlo.dynamic_slice %a, %i0, %i1, sizes = [0, 2] : (tensor<4x5xi32>, tensor<i64>, tensor<i64>) -> tensor<0x2xi32>
  check.expect_eq_const %r, dense<> : tensor<0x2xi32>
  return
}

// -----

func.func @smallest_index() {
  %a = stablehlo.constant dense<[[1, 2, 3, 4, 5], [6, 7, 8, 9, 10], [11, 12, 13, 14, 15], [16, 17, 18, 19, 20]]> : tensor<4x5xi32>
  %i0 = stablehlo.constant dense<-9223372036854775808> : tensor<i64>
  %i1 = stablehlo.constant dense<9223372036854775807> : tensor<i64>
  %r = stablehlo.dynamic_slice %a, %i0, %i1, sizes = [1, 1] : (tensor<4x5xi32>, tensor<i64>, tensor<i64>) -> tensor<1x1xi32>
  check.expect_eq_const %r, dense<[[5]]> : tensor<1x1xi32>
  return
}

// -----

func.func @every_class() {
  %i = stablehlo.constant dense<1> : tensor<i32>
  %a0 = stablehlo.constant dense<[false, false, false, false]> : tensor<4xi1>
  %r0 = stablehlo.dynamic_slice %a0, %i, sizes = [2] : (tensor<4xi1>, tensor<i32>) -> tensor<2xi1>
  check.expect_eq_const %r0, dense<[false, false]> : tensor<2xi1>
  %a1 = stablehlo.constant dense<[-6, -5, -4, -3]> : tensor<4xi4>
  %r1 = stablehlo.dynamic_slice %a1, %i, sizes = [2] : (tensor<4xi4>, tensor<i32>) -> tensor<2xi4>
  check.expect_eq_const %r1, dense<[-5, -4]> : tensor<2xi4>
  %a2 = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xui8>
  %r2 = stablehlo.dynamic_slice %a2, %i, sizes = [2] : (tensor<4xui8>, tensor<i32>) -> tensor<2xui8>
  check.expect_eq_const %r2, dense<[2, 3]> : tensor<2xui8>
  %a3 = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi16>
  %r3 = stablehlo.dynamic_slice %a3, %i, sizes = [2] : (tensor<4xi16>, tensor<i32>) -> tensor<2xi16>
  check.expect_eq_const %r3, dense<[2, 3]> : tensor<2xi16>
  %a4 = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %r4 = stablehlo.dynamic_slice %a4, %i, sizes = [2] : (tensor<4xi32>, tensor<i32>) -> tensor<2xi32>
  check.expect_eq_const %r4, dense<[2, 3]> : tensor<2xi32>
  %a5 = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xui64>
  %r5 = stablehlo.dynamic_slice %a5, %i, sizes = [2] : (tensor<4xui64>, tensor<i32>) -> tensor<2xui64>
  check.expect_eq_const %r5, dense<[2, 3]> : tensor<2xui64>
  %a6 = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf16>
  %r6 = stablehlo.dynamic_slice %a6, %i, sizes = [2] : (tensor<4xf16>, tensor<i32>) -> tensor<2xf16>
  check.expect_eq_const %r6, dense<[2.0, 3.0]> : tensor<2xf16>
  %a7 = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xbf16>
  %r7 = stablehlo.dynamic_slice %a7, %i, sizes = [2] : (tensor<4xbf16>, tensor<i32>) -> tensor<2xbf16>
  check.expect_eq_const %r7, dense<[2.0, 3.0]> : tensor<2xbf16>
  %a8 = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf8E4M3FN>
  %r8 = stablehlo.dynamic_slice %a8, %i, sizes = [2] : (tensor<4xf8E4M3FN>, tensor<i32>) -> tensor<2xf8E4M3FN>
  check.expect_eq_const %r8, dense<[2.0, 3.0]> : tensor<2xf8E4M3FN>
  %a9 = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf64>
  %r9 = stablehlo.dynamic_slice %a9, %i, sizes = [2] : (tensor<4xf64>, tensor<i32>) -> tensor<2xf64>
  check.expect_eq_const %r9, dense<[2.0, 3.0]> : tensor<2xf64>
  %a10 = stablehlo.constant dense<[(1.0, 1.5), (2.0, 2.5), (3.0, 3.5), (4.0, 4.5)]> : tensor<4xcomplex<f32>>
  %r10 = stablehlo.dynamic_slice %a10, %i, sizes = [2] : (tensor<4xcomplex<f32>>, tensor<i32>) -> tensor<2xcomplex<f32>>
  check.expect_eq_const %r10, dense<[(2.0, 2.5), (3.0, 3.5)]> : tensor<2xcomplex<f32>>
  return
}

// -----

// Without dimensions, as MLIR prints it (and does not read it) and as it reads it.
func.func @scalar() {
  %a = stablehlo.constant dense<7> : tensor<i32>
  %r = stablehlo.dynamic_slice %a, , sizes = [] : (tensor<i32>) -> tensor<i32>
  %s = stablehlo.dynamic_slice %r, sizes = [] : (tensor<i32>) -> tensor<i32>
  check.expect_eq_const %s, dense<7> : tensor<i32>
  return
}
