// RUN: tessera check %s

func.func @f32_to_i32() {
  %x = stablehlo.constant dense<[1.9, -1.9, 3000000000.0, -3000000000.0, 0x7FC00000, 0x7F800000, -0.5]> : tensor<7xf32>
  %r = stablehlo.convert %x : (tensor<7xf32>) -> tensor<7xi32>
  check.expect_eq_const %r, dense<[1, -1, 2147483647, -2147483648, 0, 2147483647, 0]> : tensor<7xi32>
  return
}

// -----

func.func @f32_to_ui8() {
  %x = stablehlo.constant dense<[1.9, -1.0, 300.0, 0x7FC00000, 255.5]> : tensor<5xf32>
  %r = "stablehlo.convert"(%x) : (tensor<5xf32>) -> tensor<5xui8>
  check.expect_eq_const %r, dense<[1, 0, 255, 0, 255]> : tensor<5xui8>
  return
}

// -----

func.func @f64_to_i64() {
  %x = stablehlo.constant dense<[1.0e+19, -1.0e+19, 2.5]> : tensor<3xf64>
  %r = stablehlo.convert %x : (tensor<3xf64>) -> tensor<3xi64>
  check.expect_eq_const %r, dense<[9223372036854775807, -9223372036854775808, 2]> : tensor<3xi64>
  return
}

// -----

func.func @f64_to_f32() {
  %x = stablehlo.constant dense<[0.1, 1.0e+300, 1.0e-300, 0x7FF8000000000000]> : tensor<4xf64>
  %r = stablehlo.convert %x : (tensor<4xf64>) -> tensor<4xf32>
  %expected = stablehlo.constant dense<[0.1, 0x7F800000, 0.0, 0x7FC00000]> : tensor<4xf32>
  check.expect_close %r, %expected, max_ulp_difference = 0 : tensor<4xf32>, tensor<4xf32>
  return
}

// -----

func.func @f32_to_f16() {
  %x = stablehlo.constant dense<[65504.0, 65520.0, 1.0009766, 5.9604645e-08]> : tensor<4xf32>
  %r = stablehlo.convert %x : (tensor<4xf32>) -> tensor<4xf16>
  %expected = stablehlo.constant dense<[65504.0, 0x7C00, 1.0009765625, 5.960464477539063e-08]> : tensor<4xf16>
  check.expect_close %r, %expected, max_ulp_difference = 0 : tensor<4xf16>, tensor<4xf16>
  return
}

// -----

func.func @f32_to_bf16() {
  %x = stablehlo.constant dense<[1.0039062, 1.0117188, 3.0e+38]> : tensor<3xf32>
  %r = stablehlo.convert %x : (tensor<3xf32>) -> tensor<3xbf16>
  %expected = stablehlo.constant dense<[1.0, 1.015625, 3.00405527047391e+38]> : tensor<3xbf16>
  check.expect_close %r, %expected, max_ulp_difference = 0 : tensor<3xbf16>, tensor<3xbf16>
  return
}

// -----

func.func @bf16_to_f64() {
  %x = stablehlo.constant dense<[1.5, -0.0078125]> : tensor<2xbf16>
  %r = stablehlo.convert %x : (tensor<2xbf16>) -> tensor<2xf64>
  %expected = stablehlo.constant dense<[1.5, -0.0078125]> : tensor<2xf64>
  check.expect_close %r, %expected, max_ulp_difference = 0 : tensor<2xf64>, tensor<2xf64>
  return
}

// -----

func.func @i64_to_f32() {
  %x = stablehlo.constant dense<[16777217, 9223372036854775807, -16777219, 9007199791611905]> : tensor<4xi64>
  %r = stablehlo.convert %x : (tensor<4xi64>) -> tensor<4xf32>
  %expected = stablehlo.constant dense<[16777216.0, 9.223372e+18, -16777220.0, 9007200000000000.0]> : tensor<4xf32>
  check.expect_close %r, %expected, max_ulp_difference = 0 : tensor<4xf32>, tensor<4xf32>
  return
}

// -----

func.func @ui64_to_f64() {
  %x = stablehlo.constant dense<[18446744073709551615, 9007199254740993]> : tensor<2xui64>
  %r = stablehlo.convert %x : (tensor<2xui64>) -> tensor<2xf64>
  %expected = stablehlo.constant dense<[1.8446744073709552e+19, 9007199254740992.0]> : tensor<2xf64>
  check.expect_close %r, %expected, max_ulp_difference = 0 : tensor<2xf64>, tensor<2xf64>
  return
}

// -----

func.func @i32_to_i8() {
  %x = stablehlo.constant dense<[255, 128, -129, 5]> : tensor<4xi32>
  %r = stablehlo.convert %x : (tensor<4xi32>) -> tensor<4xi8>
  check.expect_eq_const %r, dense<[-1, -128, 127, 5]> : tensor<4xi8>
  return
}

// -----

func.func @i8_to_ui16() {
  %x = stablehlo.constant dense<[-1, 5, -128]> : tensor<3xi8>
  %r = stablehlo.convert %x : (tensor<3xi8>) -> tensor<3xui16>
  check.expect_eq_const %r, dense<[65535, 5, 65408]> : tensor<3xui16>
  return
}

// -----

func.func @i32_to_i4() {
  %x = stablehlo.constant dense<[7, 8, -9, 15]> : tensor<4xi32>
  %r = stablehlo.convert %x : (tensor<4xi32>) -> tensor<4xi4>
  check.expect_eq_const %r, dense<[7, -8, 7, -1]> : tensor<4xi4>
  return
}

// -----

func.func @ui8_to_i2() {
  %x = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xui8>
  %r = stablehlo.convert %x : (tensor<4xui8>) -> tensor<4xi2>
  check.expect_eq_const %r, dense<[1, -2, -1, 0]> : tensor<4xi2>
  return
}

// -----

func.func @i1_to_f32() {
  %x = stablehlo.constant dense<[true, false]> : tensor<2xi1>
  %r = stablehlo.convert %x : (tensor<2xi1>) -> tensor<2xf32>
  %expected = stablehlo.constant dense<[1.0, 0.0]> : tensor<2xf32>
  check.expect_close %r, %expected, max_ulp_difference = 0 : tensor<2xf32>, tensor<2xf32>
  return
}

// -----

func.func @i1_to_i8() {
  %x = stablehlo.constant dense<[true, false]> : tensor<2xi1>
  %r = stablehlo.convert %x : (tensor<2xi1>) -> tensor<2xi8>
  check.expect_eq_const %r, dense<[1, 0]> : tensor<2xi8>
  return
}

// -----

func.func @f32_to_i1() {
  %x = stablehlo.constant dense<[0.0, -0.0, 0.5, 0x7FC00000, 0x7F800000]> : tensor<5xf32>
  %r = stablehlo.convert %x : (tensor<5xf32>) -> tensor<5xi1>
  check.expect_eq_const %r, dense<[false, false, true, true, true]> : tensor<5xi1>
  return
}

// -----

func.func @i32_to_i1() {
  %x = stablehlo.constant dense<[0, 2, -1]> : tensor<3xi32>
  %r = stablehlo.convert %x : (tensor<3xi32>) -> tensor<3xi1>
  check.expect_eq_const %r, dense<[false, true, true]> : tensor<3xi1>
  return
}

// -----

func.func @c64_to_i1() {
  %x = stablehlo.constant dense<[(0.0, 2.0), (2.0, 0.0)]> : tensor<2xcomplex<f32>>
  %r = stablehlo.convert %x : (tensor<2xcomplex<f32>>) -> tensor<2xi1>
  check.expect_eq_const %r, dense<[false, true]> : tensor<2xi1>
  return
}

// -----

func.func @c64_to_f32() {
  %x = stablehlo.constant dense<[(1.5, 2.0)]> : tensor<1xcomplex<f32>>
  %r = stablehlo.convert %x : (tensor<1xcomplex<f32>>) -> tensor<1xf32>
  %expected = stablehlo.constant dense<[1.5]> : tensor<1xf32>
  check.expect_close %r, %expected, max_ulp_difference = 0 : tensor<1xf32>, tensor<1xf32>
  return
}

// -----

func.func @f32_to_c64() {
  %x = stablehlo.constant dense<[1.5, -2.0]> : tensor<2xf32>
  %r = stablehlo.convert %x : (tensor<2xf32>) -> tensor<2xcomplex<f32>>
  check.expect_eq_const %r, dense<[(1.5, 0.0), (-2.0, 0.0)]> : tensor<2xcomplex<f32>>
  return
}

// -----

func.func @c128_to_c64() {
  %x = stablehlo.constant dense<[(0.5, 2.0)]> : tensor<1xcomplex<f64>>
  %r = stablehlo.convert %x : (tensor<1xcomplex<f64>>) -> tensor<1xcomplex<f32>>
  check.expect_eq_const %r, dense<[(0.5, 2.0)]> : tensor<1xcomplex<f32>>
  return
}

// -----

func.func @i32_to_c128() {
  %x = stablehlo.constant dense<[3]> : tensor<1xi32>
  %r = stablehlo.convert %x : (tensor<1xi32>) -> tensor<1xcomplex<f64>>
  check.expect_eq_const %r, dense<[(3.0, 0.0)]> : tensor<1xcomplex<f64>>
  return
}

// -----

func.func @same() {
  %x = stablehlo.constant dense<[1.0, 0x7FC00000]> : tensor<2xf32>
  %r = stablehlo.convert %x : tensor<2xf32>
  %expected = stablehlo.constant dense<[1.0, 0x7FC00000]> : tensor<2xf32>
  check.expect_close %r, %expected, max_ulp_difference = 0 : tensor<2xf32>, tensor<2xf32>
  return
}

// -----

func.func @f8() {
  %x = stablehlo.constant dense<[1.0, 1.1, 448.0, 460.0, 500.0, 0.001953125]> : tensor<6xf32>
  %r = stablehlo.convert %x : (tensor<6xf32>) -> tensor<6xf8E4M3FN>
  %b = stablehlo.bitcast_convert %r : (tensor<6xf8E4M3FN>) -> tensor<6xui8>
  check.expect_eq_const %b, dense<[0x38, 0x39, 0x7E, 0x7E, 0x7F, 0x01]> : tensor<6xui8>
  %y = stablehlo.constant dense<[1.0, 57344.0, 61440.0, 0x7F800000]> : tensor<4xf32>
  %s = stablehlo.convert %y : (tensor<4xf32>) -> tensor<4xf8E5M2>
  %c = stablehlo.bitcast_convert %s : (tensor<4xf8E5M2>) -> tensor<4xui8>
  check.expect_eq_const %c, dense<[0x3C, 0x7B, 0x7C, 0x7C]> : tensor<4xui8>
  return
}

// -----

func.func @scalar_and_empty() {
  %x = stablehlo.constant dense<2.5> : tensor<f32>
  %r = stablehlo.convert %x : (tensor<f32>) -> tensor<i64>
  check.expect_eq_const %r, dense<2> : tensor<i64>
  %e = stablehlo.constant dense<> : tensor<0x2xf32>
  %s = stablehlo.convert %e : (tensor<0x2xf32>) -> tensor<0x2xi8>
  check.expect_eq_const %s, dense<> : tensor<0x2xi8>
  return
}
