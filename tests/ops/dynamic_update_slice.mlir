// RUN: tessera check %s
// dynamic_update_slice: a block written over a place given at run time, moved to lie inside.

func.func @inside() {
  %a = stablehlo.constant dense<[[1, 2, 3, 4, 5], [6, 7, 8, 9, 10], [11, 12, 13, 14, 15], [16, 17, 18, 19, 20]]> : tensor<4x5xi32>
  %u = stablehlo.constant dense<[[-1, -2], [-3, -4]]> : tensor<2x2xi32>
  %i0 = stablehlo.constant dense<1> : tensor<i64>
  %i1 = stablehlo.constant dense<2> : tensor<i64>
  %r = stablehlo.dynamic_update_slice %a, %u, %i0, %i1 : (tensor<4x5xi32>, tensor<2x2xi32>, tensor<i64>, tensor<i64>) -> tensor<4x5xi32>
  check.expect_eq_const %r, dense<[[1, 2, 3, 4, 5], [6, 7, -1, -2, 10], [11, 12, -3, -4, 15], [16, 17, 18, 19, 20]]> : tensor<4x5xi32>
  check.expect_eq_const %a, dense<[[1, 2, 3, 4, 5], [6, 7, 8, 9, 10], [11, 12, 13, 14, 15], [16, 17, 18, 19, 20]]> : tensor<4x5xi32>
  return
}

// -----

func.func @clamped() {
  %a = stablehlo.constant dense<[[1, 2, 3, 4, 5], [6, 7, 8, 9, 10], [11, 12, 13, 14, 15], [16, 17, 18, 19, 20]]> : tensor<4x5xi32>
  %u = stablehlo.constant dense<[[-1, -2], [-3, -4]]> : tensor<2x2xi32>
  %i0 = stablehlo.constant dense<-3> : tensor<i32>
  %i1 = stablehlo.constant dense<4> : tensor<i32>
  %r = stablehlo.dynamic_update_slice %a, %u, %i0, %i1 : (tensor<4x5xi32>, tensor<2x2xi32>, tensor<i32>, tensor<i32>) -> tensor<4x5xi32>
  check.expect_eq_const %r, dense<[[1, 2, 3, -1, -2], [6, 7, 8, -3, -4], [11, 12, 13, 14, 15], [16, 17, 18, 19, 20]]> : tensor<4x5xi32>
  check.expect_eq_const %a, dense<[[1, 2, 3, 4, 5], [6, 7, 8, 9, 10], [11, 12, 13, 14, 15], [16, 17, 18, 19, 20]]> : tensor<4x5xi32>
  return
}

// -----

func.func @generic_unsigned() {
  %a = stablehlo.constant dense<[[1, 2, 3, 4, 5], [6, 7, 8, 9, 10], [11, 12, 13, 14, 15], [16, 17, 18, 19, 20]]> : tensor<4x5xi32>
  %u = stablehlo.constant dense<[[-1, -2], [-3, -4]]> : tensor<2x2xi32>
  %i0 = stablehlo.constant dense<200> : tensor<ui8>
  %i1 = stablehlo.constant dense<1> : tensor<ui8>
  %r = "stablehlo.dynamic_update_slice"(%a, %u, %i0, %i1) : (tensor<4x5xi32>, tensor<2x2xi32>, tensor<ui8>, tensor<ui8>) -> tensor<4x5xi32>
  check.expect_eq_const %r, dense<[[1, 2, 3, 4, 5], [6, 7, 8, 9, 10], [11, -1, -2, 14, 15], [16, -3, -4, 19, 20]]> : tensor<4x5xi32>
  check.expect_eq_const %a, dense<[[1, 2, 3, 4, 5], [6, 7, 8, 9, 10], [11, 12, 13, 14, 15], [16, 17, 18, 19, 20]]> : tensor<4x5xi32>
  return
}

// -----

func.func @scalar() {
  %a = stablehlo.constant dense<3> : tensor<i32>
  %u = stablehlo.constant dense<4> : tensor<i32>
  %r = stablehlo.dynamic_update_slice %a, %u : (tensor<i32>, tensor<i32>) -> tensor<i32>
  check.expect_eq_const %r, dense<4> : tensor<i32>
  check.expect_eq_const %a, dense<3> : tensor<i32>
  return
}

// -----

func.func @empty_update() {
  %a = stablehlo.constant dense<[[1, 2, 3, 4, 5], [6, 7, 8, 9, 10], [11, 12, 13, 14, 15], [16, 17, 18, 19, 20]]> : tensor<4x5xi32>
  %u = stablehlo.constant dense<> : tensor<0x2xi32>
  %i0 = stablehlo.constant dense<1> : tensor<i64>
  %i1 = stablehlo.constant dense<1> : tensor<i64>
  %r = stablehlo.dynamic_update_slice %a, %u, %i0, %i1 : (tensor<4x5xi32>, tensor<0x2xi32>, tensor<i64>, tensor<i64>) -> tensor<4x5xi32>
  check.expect_eq_const %r, dense<[[1, 2, 3, 4, 5], [6, 7, 8, 9, 10], [11, 12, 13, 14, 15], [16, 17, 18, 19, 20]]> : tensor<4x5xi32>
  check.expect_eq_const %a, dense<[[1, 2, 3, 4, 5], [6, 7, 8, 9, 10], [11, 12, 13, 14, 15], [16, 17, 18, 19, 20]]> : tensor<4x5xi32>
  return
}

// -----

func.func @whole() {
  %a = stablehlo.constant dense<[[1, 2, 3, 4, 5], [6, 7, 8, 9, 10], [11, 12, 13, 14, 15], [16, 17, 18, 19, 20]]> : tensor<4x5xi32>
  %u = stablehlo.constant dense<[[-1, -2, -3, -4, -5], [-6, -7, -8, -9, -10], [-11, -12, -13, -14, -15], [-16, -17, -18, -19, -20]]> : tensor<4x5xi32>
  %i0 = stablehlo.constant dense<3> : tensor<i64>
  %i1 = stablehlo.constant dense<3> : tensor<i64>
  %r = stablehlo.dynamic_update_slice %a, %u, %i0, %i1 : (tensor<4x5xi32>, tensor<4x5xi32>, tensor<i64>, tensor<i64>) -> tensor<4x5xi32>
  check.expect_eq_const %r, dense<[[-1, -2, -3, -4, -5], [-6, -7, -8, -9, -10], [-11, -12, -13, -14, -15], [-16, -17, -18, -19, -20]]> : tensor<4x5xi32>
  check.expect_eq_const %a, dense<[[1, 2, 3, 4, 5], [6, 7, 8, 9, 10], [11, 12, 13, 14, 15], [16, 17, 18, 19, 20]]> : tensor<4x5xi32>
  return
}

// -----

func.func @every_class() {
  %i = stablehlo.constant dense<1> : tensor<i32>
  %a0 = stablehlo.constant dense<[true, false, true, false]> : tensor<4xi1>
  %u0 = stablehlo.constant dense<[false, true]> : tensor<2xi1>
  %r0 = stablehlo.dynamic_update_slice %a0, %u0, %i : (tensor<4xi1>, tensor<2xi1>, tensor<i32>) -> tensor<4xi1>
  check.expect_eq_const %r0, dense<[true, false, true, false]> : tensor<4xi1>
  %a1 = stablehlo.constant dense<[-6, -5, -4, -3]> : tensor<4xi4>
  %u1 = stablehlo.constant dense<[-6, -5]> : tensor<2xi4>
  %r1 = stablehlo.dynamic_update_slice %a1, %u1, %i : (tensor<4xi4>, tensor<2xi4>, tensor<i32>) -> tensor<4xi4>
  check.expect_eq_const %r1, dense<[-6, -6, -5, -3]> : tensor<4xi4>
  %a2 = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xui8>
  %u2 = stablehlo.constant dense<[1, 2]> : tensor<2xui8>
  %r2 = stablehlo.dynamic_update_slice %a2, %u2, %i : (tensor<4xui8>, tensor<2xui8>, tensor<i32>) -> tensor<4xui8>
  check.expect_eq_const %r2, dense<[1, 1, 2, 4]> : tensor<4xui8>
  %a3 = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi16>
  %u3 = stablehlo.constant dense<[1, 2]> : tensor<2xi16>
  %r3 = stablehlo.dynamic_update_slice %a3, %u3, %i : (tensor<4xi16>, tensor<2xi16>, tensor<i32>) -> tensor<4xi16>
  check.expect_eq_const %r3, dense<[1, 1, 2, 4]> : tensor<4xi16>
  %a4 = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %u4 = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %r4 = stablehlo.dynamic_update_slice %a4, %u4, %i : (tensor<4xi32>, tensor<2xi32>, tensor<i32>) -> tensor<4xi32>
  check.expect_eq_const %r4, dense<[1, 1, 2, 4]> : tensor<4xi32>
  %a5 = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xui64>
  %u5 = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %r5 = stablehlo.dynamic_update_slice %a5, %u5, %i : (tensor<4xui64>, tensor<2xui64>, tensor<i32>) -> tensor<4xui64>
  check.expect_eq_const %r5, dense<[1, 1, 2, 4]> : tensor<4xui64>
  %a6 = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf16>
  %u6 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf16>
  %r6 = stablehlo.dynamic_update_slice %a6, %u6, %i : (tensor<4xf16>, tensor<2xf16>, tensor<i32>) -> tensor<4xf16>
  check.expect_eq_const %r6, dense<[1.0, 1.0, 2.0, 4.0]> : tensor<4xf16>
  %a7 = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xbf16>
  %u7 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xbf16>
  %r7 = stablehlo.dynamic_update_slice %a7, %u7, %i : (tensor<4xbf16>, tensor<2xbf16>, tensor<i32>) -> tensor<4xbf16>
  check.expect_eq_const %r7, dense<[1.0, 1.0, 2.0, 4.0]> : tensor<4xbf16>
  %a8 = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf8E4M3FN>
  %u8 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf8E4M3FN>
  %r8 = stablehlo.dynamic_update_slice %a8, %u8, %i : (tensor<4xf8E4M3FN>, tensor<2xf8E4M3FN>, tensor<i32>) -> tensor<4xf8E4M3FN>
  check.expect_eq_const %r8, dense<[1.0, 1.0, 2.0, 4.0]> : tensor<4xf8E4M3FN>
  %a9 = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf64>
  %u9 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf64>
  %r9 = stablehlo.dynamic_update_slice %a9, %u9, %i : (tensor<4xf64>, tensor<2xf64>, tensor<i32>) -> tensor<4xf64>
  check.expect_eq_const %r9, dense<[1.0, 1.0, 2.0, 4.0]> : tensor<4xf64>
  %a10 = stablehlo.constant dense<[(1.0, 1.5), (2.0, 2.5), (3.0, 3.5), (4.0, 4.5)]> : tensor<4xcomplex<f32>>
  %u10 = stablehlo.constant dense<[(1.0, 1.5), (2.0, 2.5)]> : tensor<2xcomplex<f32>>
  %r10 = stablehlo.dynamic_update_slice %a10, %u10, %i : (tensor<4xcomplex<f32>>, tensor<2xcomplex<f32>>, tensor<i32>) -> tensor<4xcomplex<f32>>
  check.expect_eq_const %r10, dense<[(1.0, 1.5), (1.0, 1.5), (2.0, 2.5), (4.0, 4.5)]> : tensor<4xcomplex<f32>>
  return
}
