// RUN: tessera check %s

func.func @abs_f32() {
  %x = stablehlo.constant dense<[-2.5, -1.0, -0.5, -0.0, 0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 10.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<14xf32>
  %r = stablehlo.abs %x : tensor<14xf32>
  %expected = stablehlo.constant dense<[2.5, 1.0, 0.5, 0.0, 0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 10.0, 0x7F800000, 0x7F800000, 0x7FC00000]> : tensor<14xf32>
  check.expect_close %r, %expected, max_ulp_difference = 0 : tensor<14xf32>, tensor<14xf32>
  return
}

// -----

func.func @abs_f64() {
  %x = stablehlo.constant dense<[-2.5, -1.0, -0.5, -0.0, 0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 10.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<14xf64>
  %r = "stablehlo.abs"(%x) : (tensor<14xf64>) -> tensor<14xf64>
  %expected = stablehlo.constant dense<[2.5, 1.0, 0.5, 0.0, 0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 10.0, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF8000000000000]> : tensor<14xf64>
  check.expect_close %r, %expected, max_ulp_difference = 0 : tensor<14xf64>, tensor<14xf64>
  return
}

// -----

func.func @abs_bf16() {
  %x = stablehlo.constant dense<[-2.5, -1.0, -0.5, -0.0, 0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 10.0, 0x7F80, 0xFF80, 0x7FC0]> : tensor<14xbf16>
  %r = stablehlo.abs %x : tensor<14xbf16>
  %expected = stablehlo.constant dense<[2.5, 1.0, 0.5, 0.0, 0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 10.0, 0x7F80, 0x7F80, 0x7FC0]> : tensor<14xbf16>
  check.expect_close %r, %expected, max_ulp_difference = 0 : tensor<14xbf16>, tensor<14xbf16>
  return
}

// -----

func.func @abs_f16() {
  %x = stablehlo.constant dense<[-2.5, -1.0, -0.5, -0.0, 0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 10.0, 0x7C00, 0xFC00, 0x7E00]> : tensor<14xf16>
  %r = stablehlo.abs %x : tensor<14xf16>
  %expected = stablehlo.constant dense<[2.5, 1.0, 0.5, 0.0, 0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 10.0, 0x7C00, 0x7C00, 0x7E00]> : tensor<14xf16>
  check.expect_close %r, %expected, max_ulp_difference = 0 : tensor<14xf16>, tensor<14xf16>
  return
}

// -----

func.func @scalar() {
  %x = stablehlo.constant dense<0.5> : tensor<f32>
  %r = "stablehlo.abs"(%x) : (tensor<f32>) -> tensor<f32>
  check.expect_eq_const %r, dense<0.5> : tensor<f32>
  return
}

// -----

func.func @complex_f32() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (-1.5, 0.5), (0.25, -3.0), (-2.0, -0.125), (3.0, 0.75)]> : tensor<5xcomplex<f32>>
  %r = "stablehlo.abs"(%x) : (tensor<5xcomplex<f32>>) -> tensor<5xf32>
  %expected = stablehlo.constant dense<[2.236068, 1.5811388, 3.0103986, 2.0039024, 3.0923293]> : tensor<5xf32>
  check.expect_close %r, %expected, max_ulp_difference = 3 : tensor<5xf32>, tensor<5xf32>
  return
}

// -----

func.func @complex_f64() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (-1.5, 0.5), (0.25, -3.0), (-2.0, -0.125), (3.0, 0.75)]> : tensor<5xcomplex<f64>>
  %r = "stablehlo.abs"(%x) : (tensor<5xcomplex<f64>>) -> tensor<5xf64>
  %expected = stablehlo.constant dense<[2.23606797749979, 1.5811388300841898, 3.010398644698074, 2.003902442735175, 3.092329219213245]> : tensor<5xf64>
  check.expect_close %r, %expected, max_ulp_difference = 3 : tensor<5xf64>, tensor<5xf64>
  return
}

// -----

func.func @abs_i2() {
  %x = stablehlo.constant dense<[-2, 1, 0, 1, -1, 0, -1]> : tensor<7xi2>
  %r = stablehlo.abs %x : tensor<7xi2>
  check.expect_eq_const %r, dense<[-2, 1, 0, 1, 1, 0, 1]> : tensor<7xi2>
  return
}

// -----

func.func @abs_i4() {
  %x = stablehlo.constant dense<[-8, 7, 0, 1, -7, 6, -1, 5, 6]> : tensor<9xi4>
  %r = stablehlo.abs %x : tensor<9xi4>
  check.expect_eq_const %r, dense<[-8, 7, 0, 1, 7, 6, 1, 5, 6]> : tensor<9xi4>
  return
}

// -----

func.func @abs_i8() {
  %x = stablehlo.constant dense<[-128, 127, 0, 1, -127, 126, -1, 5, 6]> : tensor<9xi8>
  %r = "stablehlo.abs"(%x) : (tensor<9xi8>) -> tensor<9xi8>
  check.expect_eq_const %r, dense<[-128, 127, 0, 1, 127, 126, 1, 5, 6]> : tensor<9xi8>
  return
}

// -----

func.func @abs_i16() {
  %x = stablehlo.constant dense<[-32768, 32767, 0, 1, -32767, 32766, -1, 5, 6]> : tensor<9xi16>
  %r = stablehlo.abs %x : tensor<9xi16>
  check.expect_eq_const %r, dense<[-32768, 32767, 0, 1, 32767, 32766, 1, 5, 6]> : tensor<9xi16>
  return
}

// -----

func.func @abs_i32() {
  %x = stablehlo.constant dense<[-2147483648, 2147483647, 0, 1, -2147483647, 2147483646, -1, 5, 6]> : tensor<9xi32>
  %r = stablehlo.abs %x : tensor<9xi32>
  check.expect_eq_const %r, dense<[-2147483648, 2147483647, 0, 1, 2147483647, 2147483646, 1, 5, 6]> : tensor<9xi32>
  return
}

// -----

func.func @abs_i64() {
  %x = stablehlo.constant dense<[-9223372036854775808, 9223372036854775807, 0, 1, -9223372036854775807, 9223372036854775806, -1, 5, 6]> : tensor<9xi64>
  %r = stablehlo.abs %x : tensor<9xi64>
  check.expect_eq_const %r, dense<[-9223372036854775808, 9223372036854775807, 0, 1, 9223372036854775807, 9223372036854775806, 1, 5, 6]> : tensor<9xi64>
  return
}

// -----

func.func @empty() {
  %x = stablehlo.constant dense<> : tensor<2x0xf32>
  %r = "stablehlo.abs"(%x) : (tensor<2x0xf32>) -> tensor<2x0xf32>
  check.expect_eq_const %r, dense<> : tensor<2x0xf32>
  return
}

// -----

func.func @quantized() {
  %s = stablehlo.constant dense<[-40, -8, -3, 0, 5, 20, 100]> : tensor<7xi8>
  %x = stablehlo.bitcast_convert %s : (tensor<7xi8>) -> tensor<7x!quant.uniform<i8:f32, 0.25:-3>>
  %r = stablehlo.abs %x : (tensor<7x!quant.uniform<i8:f32, 0.25:-3>>) -> tensor<7x!quant.uniform<i8:f32, 0.5:2>>
  %b = stablehlo.bitcast_convert %r : (tensor<7x!quant.uniform<i8:f32, 0.5:2>>) -> tensor<7xi8>
  check.expect_eq_const %b, dense<[20, 4, 2, 4, 6, 14, 54]> : tensor<7xi8>
  return
}
