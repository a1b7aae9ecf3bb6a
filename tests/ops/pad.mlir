// RUN: tessera check %s
// pad: room around and between elements; negative edges cut off.

func.func @edges() {
  %a = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %r = stablehlo.pad %a, %z, low = [1, 0], high = [0, 2], interior = [0, 0] : (tensor<2x3xi32>, tensor<i32>) -> tensor<3x5xi32>
  check.expect_eq_const %r, dense<[[0, 0, 0, 0, 0], [1, 2, 3, 0, 0], [4, 5, 6, 0, 0]]> : tensor<3x5xi32>
  return
}

// -----

func.func @interior() {
  %a = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %r = stablehlo.pad %a, %z, low = [0, 1], high = [2, 1], interior = [1, 2] : (tensor<2x3xi32>, tensor<i32>) -> tensor<5x9xi32>
  check.expect_eq_const %r, dense<[[0, 1, 0, 0, 2, 0, 0, 3, 0], [0, 0, 0, 0, 0, 0, 0, 0, 0], [0, 4, 0, 0, 5, 0, 0, 6, 0], [0, 0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0, 0]]> : tensor<5x9xi32>
  return
}

// -----

func.func @generic() {
  %a = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %r = "stablehlo.pad"(%a, %z) <{edge_padding_low = array<i64: 1, 1>, edge_padding_high = array<i64: 1, 1>, interior_padding = array<i64: 0, 1>}> : (tensor<2x3xi32>, tensor<i32>) -> tensor<4x7xi32>
  check.expect_eq_const %r, dense<[[0, 0, 0, 0, 0, 0, 0], [0, 1, 0, 2, 0, 3, 0], [0, 4, 0, 5, 0, 6, 0], [0, 0, 0, 0, 0, 0, 0]]> : tensor<4x7xi32>
  return
}

// -----

func.func @negative() {
  %a = stablehlo.constant dense<[[1, 2, 3, 4, 5], [6, 7, 8, 9, 10], [11, 12, 13, 14, 15], [16, 17, 18, 19, 20]]> : tensor<4x5xi32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %r = stablehlo.pad %a, %z, low = [-1, -2], high = [-1, 1], interior = [0, 0] : (tensor<4x5xi32>, tensor<i32>) -> tensor<2x4xi32>
  check.expect_eq_const %r, dense<[[8, 9, 10, 0], [13, 14, 15, 0]]> : tensor<2x4xi32>
  return
}

// -----

func.func @negative_and_interior() {
  %a = stablehlo.constant dense<[[1, 2, 3, 4, 5], [6, 7, 8, 9, 10], [11, 12, 13, 14, 15], [16, 17, 18, 19, 20]]> : tensor<4x5xi32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %r = stablehlo.pad %a, %z, low = [-1, -3], high = [-2, -1], interior = [1, 2] : (tensor<4x5xi32>, tensor<i32>) -> tensor<4x9xi32>
  check.expect_eq_const %r, dense<[[0, 0, 0, 0, 0, 0, 0, 0, 0], [7, 0, 0, 8, 0, 0, 9, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0, 0], [12, 0, 0, 13, 0, 0, 14, 0, 0]]> : tensor<4x9xi32>
  return
}

// -----

func.func @all_cut_off() {
  %a = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %r = stablehlo.pad %a, %z, low = [-3], high = [0], interior = [0] : (tensor<3xi32>, tensor<i32>) -> tensor<0xi32>
  check.expect_eq_const %r, dense<> : tensor<0xi32>
  return
}

// -----

func.func @only_padding_left() {
  %a = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %r = stablehlo.pad %a, %z, low = [-3], high = [2], interior = [0] : (tensor<3xi32>, tensor<i32>) -> tensor<2xi32>
  check.expect_eq_const %r, dense<[0, 0]> : tensor<2xi32>
  return
}

// -----

func.func @empty_operand() {
  %a = stablehlo.constant dense<> : tensor<0x2xi32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %r = stablehlo.pad %a, %z, low = [2, 0], high = [1, 1], interior = [3, 1] : (tensor<0x2xi32>, tensor<i32>) -> tensor<3x4xi32>
  check.expect_eq_const %r, dense<[[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]> : tensor<3x4xi32>
  return
}

// -----

func.func @scalar() {
  %a = stablehlo.constant dense<4> : tensor<i32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %r = stablehlo.pad %a, %z, low = [], high = [], interior = [] : (tensor<i32>, tensor<i32>) -> tensor<i32>
  check.expect_eq_const %r, dense<4> : tensor<i32>
  return
}

// -----

func.func @cut_to_between() {
  %a = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %r = stablehlo.pad %a, %z, low = [-1], high = [-4], interior = [3] : (tensor<3xi32>, tensor<i32>) -> tensor<4xi32>
  check.expect_eq_const %r, dense<[0, 0, 0, 2]> : tensor<4xi32>
  return
}

// -----

func.func @every_class() {
  %a0 = stablehlo.constant dense<[[true, true], [false, true]]> : tensor<2x2xi1>
  %e0 = stablehlo.constant dense<true> : tensor<i1>
  %r0 = stablehlo.pad %a0, %e0, low = [1, -1], high = [0, 1], interior = [0, 1] : (tensor<2x2xi1>, tensor<i1>) -> tensor<3x3xi1>
  check.expect_eq_const %r0, dense<[[true, true, true], [true, true, true], [true, true, true]]> : tensor<3x3xi1>
  %a1 = stablehlo.constant dense<[[-6, -5], [-4, -3]]> : tensor<2x2xi4>
  %e1 = stablehlo.constant dense<1> : tensor<i4>
  %r1 = stablehlo.pad %a1, %e1, low = [1, -1], high = [0, 1], interior = [0, 1] : (tensor<2x2xi4>, tensor<i4>) -> tensor<3x3xi4>
  check.expect_eq_const %r1, dense<[[1, 1, 1], [1, -5, 1], [1, -3, 1]]> : tensor<3x3xi4>
  %a2 = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xui8>
  %e2 = stablehlo.constant dense<1> : tensor<ui8>
  %r2 = stablehlo.pad %a2, %e2, low = [1, -1], high = [0, 1], interior = [0, 1] : (tensor<2x2xui8>, tensor<ui8>) -> tensor<3x3xui8>
  check.expect_eq_const %r2, dense<[[1, 1, 1], [1, 2, 1], [1, 4, 1]]> : tensor<3x3xui8>
  %a3 = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi16>
  %e3 = stablehlo.constant dense<1> : tensor<i16>
  %r3 = stablehlo.pad %a3, %e3, low = [1, -1], high = [0, 1], interior = [0, 1] : (tensor<2x2xi16>, tensor<i16>) -> tensor<3x3xi16>
  check.expect_eq_const %r3, dense<[[1, 1, 1], [1, 2, 1], [1, 4, 1]]> : tensor<3x3xi16>
  %a4 = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %e4 = stablehlo.constant dense<1> : tensor<i32>
  %r4 = stablehlo.pad %a4, %e4, low = [1, -1], high = [0, 1], interior = [0, 1] : (tensor<2x2xi32>, tensor<i32>) -> tensor<3x3xi32>
  check.expect_eq_const %r4, dense<[[1, 1, 1], [1, 2, 1], [1, 4, 1]]> : tensor<3x3xi32>
  %a5 = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xui64>
  %e5 = stablehlo.constant dense<1> : tensor<ui64>
  %r5 = stablehlo.pad %a5, %e5, low = [1, -1], high = [0, 1], interior = [0, 1] : (tensor<2x2xui64>, tensor<ui64>) -> tensor<3x3xui64>
  check.expect_eq_const %r5, dense<[[1, 1, 1], [1, 2, 1], [1, 4, 1]]> : tensor<3x3xui64>
  %a6 = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf16>
  %e6 = stablehlo.constant dense<1.0> : tensor<f16>
  %r6 = stablehlo.pad %a6, %e6, low = [1, -1], high = [0, 1], interior = [0, 1] : (tensor<2x2xf16>, tensor<f16>) -> tensor<3x3xf16>
  check.expect_eq_const %r6, dense<[[1.0, 1.0, 1.0], [1.0, 2.0, 1.0], [1.0, 4.0, 1.0]]> : tensor<3x3xf16>
  %a7 = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xbf16>
  %e7 = stablehlo.constant dense<1.0> : tensor<bf16>
  %r7 = stablehlo.pad %a7, %e7, low = [1, -1], high = [0, 1], interior = [0, 1] : (tensor<2x2xbf16>, tensor<bf16>) -> tensor<3x3xbf16>
  check.expect_eq_const %r7, dense<[[1.0, 1.0, 1.0], [1.0, 2.0, 1.0], [1.0, 4.0, 1.0]]> : tensor<3x3xbf16>
  %a8 = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf8E4M3FN>
  %e8 = stablehlo.constant dense<1.0> : tensor<f8E4M3FN>
  %r8 = stablehlo.pad %a8, %e8, low = [1, -1], high = [0, 1], interior = [0, 1] : (tensor<2x2xf8E4M3FN>, tensor<f8E4M3FN>) -> tensor<3x3xf8E4M3FN>
  check.expect_eq_const %r8, dense<[[1.0, 1.0, 1.0], [1.0, 2.0, 1.0], [1.0, 4.0, 1.0]]> : tensor<3x3xf8E4M3FN>
  %a9 = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf64>
  %e9 = stablehlo.constant dense<1.0> : tensor<f64>
  %r9 = stablehlo.pad %a9, %e9, low = [1, -1], high = [0, 1], interior = [0, 1] : (tensor<2x2xf64>, tensor<f64>) -> tensor<3x3xf64>
  check.expect_eq_const %r9, dense<[[1.0, 1.0, 1.0], [1.0, 2.0, 1.0], [1.0, 4.0, 1.0]]> : tensor<3x3xf64>
  %a10 = stablehlo.constant dense<[[(1.0, 1.5), (2.0, 2.5)], [(3.0, 3.5), (4.0, 4.5)]]> : tensor<2x2xcomplex<f32>>
  %e10 = stablehlo.constant dense<(1.0, 1.5)> : tensor<complex<f32>>
  %r10 = stablehlo.pad %a10, %e10, low = [1, -1], high = [0, 1], interior = [0, 1] : (tensor<2x2xcomplex<f32>>, tensor<complex<f32>>) -> tensor<3x3xcomplex<f32>>
  check.expect_eq_const %r10, dense<[[(1.0, 1.5), (1.0, 1.5), (1.0, 1.5)], [(1.0, 1.5), (2.0, 2.5), (1.0, 1.5)], [(1.0, 1.5), (4.0, 4.5), (1.0, 1.5)]]> : tensor<3x3xcomplex<f32>>
  return
}
