// RUN: tessera check %s
// iota: every element is its index along one dimension.

func.func @rows() {
  %r = stablehlo.iota dim = 0 : tensor<3x4xi32>
  check.expect_eq_const %r, dense<[[0, 0, 0, 0], [1, 1, 1, 1], [2, 2, 2, 2]]> : tensor<3x4xi32>
  return
}

// -----

func.func @columns() {
  %r = stablehlo.iota dim = 1 : tensor<3x4xi32>
  check.expect_eq_const %r, dense<[[0, 1, 2, 3], [0, 1, 2, 3], [0, 1, 2, 3]]> : tensor<3x4xi32>
  return
}

// -----

func.func @generic() {
  %r = "stablehlo.iota"() <{iota_dimension = 2 : i64}> : () -> tensor<2x2x3xi64>
  check.expect_eq_const %r, dense<[[[0, 1, 2], [0, 1, 2]], [[0, 1, 2], [0, 1, 2]]]> : tensor<2x2x3xi64>
  return
}

// -----

func.func @empty() {
  %r = stablehlo.iota dim = 1 : tensor<0x2xf32>
  check.expect_eq_const %r, dense<> : tensor<0x2xf32>
  return
}

// -----

func.func @empty_along() {
  %r = stablehlo.iota dim = 1 : tensor<2x0xf32>
  check.expect_eq_const %r, dense<> : tensor<2x0xf32>
  return
}

// -----

func.func @every_class() {
  %r0 = stablehlo.iota dim = 0 : tensor<5xi8>
  check.expect_eq_const %r0, dense<[0, 1, 2, 3, 4]> : tensor<5xi8>
  %r1 = stablehlo.iota dim = 0 : tensor<5xui8>
  check.expect_eq_const %r1, dense<[0, 1, 2, 3, 4]> : tensor<5xui8>
  %r2 = stablehlo.iota dim = 0 : tensor<5xi16>
  check.expect_eq_const %r2, dense<[0, 1, 2, 3, 4]> : tensor<5xi16>
  %r3 = stablehlo.iota dim = 0 : tensor<5xui32>
  check.expect_eq_const %r3, dense<[0, 1, 2, 3, 4]> : tensor<5xui32>
  %r4 = stablehlo.iota dim = 0 : tensor<5xi64>
  check.expect_eq_const %r4, dense<[0, 1, 2, 3, 4]> : tensor<5xi64>
  %r5 = stablehlo.iota dim = 0 : tensor<5xf16>
  check.expect_eq_const %r5, dense<[0.0, 1.0, 2.0, 3.0, 4.0]> : tensor<5xf16>
  %r6 = stablehlo.iota dim = 0 : tensor<5xbf16>
  check.expect_eq_const %r6, dense<[0.0, 1.0, 2.0, 3.0, 4.0]> : tensor<5xbf16>
  %r7 = stablehlo.iota dim = 0 : tensor<5xf32>
  check.expect_eq_const %r7, dense<[0.0, 1.0, 2.0, 3.0, 4.0]> : tensor<5xf32>
  %r8 = stablehlo.iota dim = 0 : tensor<5xf64>
  check.expect_eq_const %r8, dense<[0.0, 1.0, 2.0, 3.0, 4.0]> : tensor<5xf64>
  %r9 = stablehlo.iota dim = 0 : tensor<5xf8E5M2>
  check.expect_eq_const %r9, dense<[0.0, 1.0, 2.0, 3.0, 4.0]> : tensor<5xf8E5M2>
  %c = stablehlo.iota dim = 0 : tensor<3xcomplex<f64>>
  check.expect_eq_const %c, dense<[(0.0, 0.0), (1.0, 0.0), (2.0, 0.0)]> : tensor<3xcomplex<f64>>
  return
}

// -----

func.func @wraps_and_rounds() {
  %r = stablehlo.iota dim = 0 : tensor<10xi4>
  check.expect_eq_const %r, dense<[0, 1, 2, 3, 4, 5, 6, 7, -8, -7]> : tensor<10xi4>
  %s = stablehlo.iota dim = 0 : tensor<260xbf16>
  %t = stablehlo.slice %s [255:260] : (tensor<260xbf16>) -> tensor<5xbf16>
  check.expect_eq_const %t, dense<[255.0, 256.0, 256.0, 258.0, 260.0]> : tensor<5xbf16>
  return
}

// -----

func.func @quantized() {
  %q = stablehlo.iota dim = 0 : tensor<4x!quant.uniform<i8:f32, 0.5:-3>>
  %r = stablehlo.bitcast_convert %q : (tensor<4x!quant.uniform<i8:f32, 0.5:-3>>) -> tensor<4xi8>
  check.expect_eq_const %r, dense<[-3, -1, 1, 3]> : tensor<4xi8>
  return
}
