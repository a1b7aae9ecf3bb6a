// RUN: tessera check %s

func.func @negate_f32() {
  %x = stablehlo.constant dense<[-2.5, -1.0, -0.5, -0.0, 0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 10.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<14xf32>
  %r = stablehlo.negate %x : tensor<14xf32>
  %expected = stablehlo.constant dense<[2.5, 1.0, 0.5, 0.0, -0.0, -0.25, -0.5, -1.0, -1.5, -2.0, -10.0, 0xFF800000, 0x7F800000, 0x7FC00000]> : tensor<14xf32>
  check.expect_close %r, %expected, max_ulp_difference = 0 : tensor<14xf32>, tensor<14xf32>
  return
}

// -----

func.func @negate_f64() {
  %x = stablehlo.constant dense<[-2.5, -1.0, -0.5, -0.0, 0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 10.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<14xf64>
  %r = "stablehlo.negate"(%x) : (tensor<14xf64>) -> tensor<14xf64>
  %expected = stablehlo.constant dense<[2.5, 1.0, 0.5, 0.0, -0.0, -0.25, -0.5, -1.0, -1.5, -2.0, -10.0, 0xFFF0000000000000, 0x7FF0000000000000, 0x7FF8000000000000]> : tensor<14xf64>
  check.expect_close %r, %expected, max_ulp_difference = 0 : tensor<14xf64>, tensor<14xf64>
  return
}

// -----

func.func @negate_bf16() {
  %x = stablehlo.constant dense<[-2.5, -1.0, -0.5, -0.0, 0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 10.0, 0x7F80, 0xFF80, 0x7FC0]> : tensor<14xbf16>
  %r = stablehlo.negate %x : tensor<14xbf16>
  %expected = stablehlo.constant dense<[2.5, 1.0, 0.5, 0.0, -0.0, -0.25, -0.5, -1.0, -1.5, -2.0, -10.0, 0xFF80, 0x7F80, 0x7FC0]> : tensor<14xbf16>
  check.expect_close %r, %expected, max_ulp_difference = 0 : tensor<14xbf16>, tensor<14xbf16>
  return
}

// -----

func.func @negate_f16() {
  %x = stablehlo.constant dense<[-2.5, -1.0, -0.5, -0.0, 0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 10.0, 0x7C00, 0xFC00, 0x7E00]> : tensor<14xf16>
  %r = stablehlo.negate %x : tensor<14xf16>
  %expected = stablehlo.constant dense<[2.5, 1.0, 0.5, 0.0, -0.0, -0.25, -0.5, -1.0, -1.5, -2.0, -10.0, 0xFC00, 0x7C00, 0x7E00]> : tensor<14xf16>
  check.expect_close %r, %expected, max_ulp_difference = 0 : tensor<14xf16>, tensor<14xf16>
  return
}

// -----

func.func @scalar() {
  %x = stablehlo.constant dense<0.5> : tensor<f32>
  %r = "stablehlo.negate"(%x) : (tensor<f32>) -> tensor<f32>
  check.expect_eq_const %r, dense<-0.5> : tensor<f32>
  return
}

// -----

func.func @complex_f32() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (-1.5, 0.5), (0.25, -3.0), (-2.0, -0.125), (3.0, 0.75)]> : tensor<5xcomplex<f32>>
  %r = "stablehlo.negate"(%x) : (tensor<5xcomplex<f32>>) -> tensor<5xcomplex<f32>>
  %expected = stablehlo.constant dense<[(-1.0, -2.0), (1.5, -0.5), (-0.25, 3.0), (2.0, 0.125), (-3.0, -0.75)]> : tensor<5xcomplex<f32>>
  check.expect_close %r, %expected, max_ulp_difference = 3 : tensor<5xcomplex<f32>>, tensor<5xcomplex<f32>>
  return
}

// -----

func.func @complex_f64() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (-1.5, 0.5), (0.25, -3.0), (-2.0, -0.125), (3.0, 0.75)]> : tensor<5xcomplex<f64>>
  %r = "stablehlo.negate"(%x) : (tensor<5xcomplex<f64>>) -> tensor<5xcomplex<f64>>
  %expected = stablehlo.constant dense<[(-1.0, -2.0), (1.5, -0.5), (-0.25, 3.0), (2.0, 0.125), (-3.0, -0.75)]> : tensor<5xcomplex<f64>>
  check.expect_close %r, %expected, max_ulp_difference = 3 : tensor<5xcomplex<f64>>, tensor<5xcomplex<f64>>
  return
}

// -----

func.func @negate_i2() {
  %x = stablehlo.constant dense<[-2, 1, 0, 1, -1, 0, -1]> : tensor<7xi2>
  %r = stablehlo.negate %x : tensor<7xi2>
  check.expect_eq_const %r, dense<[-2, -1, 0, -1, 1, 0, 1]> : tensor<7xi2>
  return
}

// -----

func.func @negate_i4() {
  %x = stablehlo.constant dense<[-8, 7, 0, 1, -7, 6, -1, 5, 6]> : tensor<9xi4>
  %r = stablehlo.negate %x : tensor<9xi4>
  check.expect_eq_const %r, dense<[-8, -7, 0, -1, 7, -6, 1, -5, -6]> : tensor<9xi4>
  return
}

// -----

func.func @negate_i8() {
  %x = stablehlo.constant dense<[-128, 127, 0, 1, -127, 126, -1, 5, 6]> : tensor<9xi8>
  %r = "stablehlo.negate"(%x) : (tensor<9xi8>) -> tensor<9xi8>
  check.expect_eq_const %r, dense<[-128, -127, 0, -1, 127, -126, 1, -5, -6]> : tensor<9xi8>
  return
}

// -----

func.func @negate_i16() {
  %x = stablehlo.constant dense<[-32768, 32767, 0, 1, -32767, 32766, -1, 5, 6]> : tensor<9xi16>
  %r = stablehlo.negate %x : tensor<9xi16>
  check.expect_eq_const %r, dense<[-32768, -32767, 0, -1, 32767, -32766, 1, -5, -6]> : tensor<9xi16>
  return
}

// -----

func.func @negate_i32() {
  %x = stablehlo.constant dense<[-2147483648, 2147483647, 0, 1, -2147483647, 2147483646, -1, 5, 6]> : tensor<9xi32>
  %r = stablehlo.negate %x : tensor<9xi32>
  check.expect_eq_const %r, dense<[-2147483648, -2147483647, 0, -1, 2147483647, -2147483646, 1, -5, -6]> : tensor<9xi32>
  return
}

// -----

func.func @negate_i64() {
  %x = stablehlo.constant dense<[-9223372036854775808, 9223372036854775807, 0, 1, -9223372036854775807, 9223372036854775806, -1, 5, 6]> : tensor<9xi64>
  %r = stablehlo.negate %x : tensor<9xi64>
  check.expect_eq_const %r, dense<[-9223372036854775808, -9223372036854775807, 0, -1, 9223372036854775807, -9223372036854775806, 1, -5, -6]> : tensor<9xi64>
  return
}

// -----

func.func @negate_ui2() {
  %x = stablehlo.constant dense<[0, 3, 0, 1, 1, 2]> : tensor<6xui2>
  %r = stablehlo.negate %x : tensor<6xui2>
  check.expect_eq_const %r, dense<[0, 1, 0, 3, 3, 2]> : tensor<6xui2>
  return
}

// -----

func.func @negate_ui4() {
  %x = stablehlo.constant dense<[0, 15, 0, 1, 1, 14, 5, 6]> : tensor<8xui4>
  %r = stablehlo.negate %x : tensor<8xui4>
  check.expect_eq_const %r, dense<[0, 1, 0, 15, 15, 2, 11, 10]> : tensor<8xui4>
  return
}

// -----

func.func @negate_ui8() {
  %x = stablehlo.constant dense<[0, 255, 0, 1, 1, 254, 5, 6]> : tensor<8xui8>
  %r = stablehlo.negate %x : tensor<8xui8>
  check.expect_eq_const %r, dense<[0, 1, 0, 255, 255, 2, 251, 250]> : tensor<8xui8>
  return
}

// -----

func.func @negate_ui16() {
  %x = stablehlo.constant dense<[0, 65535, 0, 1, 1, 65534, 5, 6]> : tensor<8xui16>
  %r = stablehlo.negate %x : tensor<8xui16>
  check.expect_eq_const %r, dense<[0, 1, 0, 65535, 65535, 2, 65531, 65530]> : tensor<8xui16>
  return
}

// -----

func.func @negate_ui32() {
  %x = stablehlo.constant dense<[0, 4294967295, 0, 1, 1, 4294967294, 5, 6]> : tensor<8xui32>
  %r = stablehlo.negate %x : tensor<8xui32>
  check.expect_eq_const %r, dense<[0, 1, 0, 4294967295, 4294967295, 2, 4294967291, 4294967290]> : tensor<8xui32>
  return
}

// -----

func.func @negate_ui64() {
  %x = stablehlo.constant dense<[0, 18446744073709551615, 0, 1, 1, 18446744073709551614, 5, 6]> : tensor<8xui64>
  %r = stablehlo.negate %x : tensor<8xui64>
  check.expect_eq_const %r, dense<[0, 1, 0, 18446744073709551615, 18446744073709551615, 2, 18446744073709551611, 18446744073709551610]> : tensor<8xui64>
  return
}

// -----

func.func @empty() {
  %x = stablehlo.constant dense<> : tensor<2x0xf32>
  %r = "stablehlo.negate"(%x) : (tensor<2x0xf32>) -> tensor<2x0xf32>
  check.expect_eq_const %r, dense<> : tensor<2x0xf32>
  return
}

// -----

func.func @quantized() {
  %s = stablehlo.constant dense<[-40, -8, -3, 0, 5, 20, 100]> : tensor<7xi8>
  %x = stablehlo.bitcast_convert %s : (tensor<7xi8>) -> tensor<7x!quant.uniform<i8:f32, 0.25:-3>>
  %r = stablehlo.negate %x : (tensor<7x!quant.uniform<i8:f32, 0.25:-3>>) -> tensor<7x!quant.uniform<i8:f32, 0.5:2>>
  %b = stablehlo.bitcast_convert %r : (tensor<7x!quant.uniform<i8:f32, 0.5:2>>) -> tensor<7xi8>
  check.expect_eq_const %b, dense<[20, 4, 2, 0, -2, -10, -50]> : tensor<7xi8>
  return
}
