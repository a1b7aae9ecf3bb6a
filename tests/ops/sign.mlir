// RUN: tessera check %s

func.func @sign_f32() {
  %x = stablehlo.constant dense<[-2.5, -1.0, -0.5, -0.0, 0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 10.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<14xf32>
  %r = stablehlo.sign %x : tensor<14xf32>
  %expected = stablehlo.constant dense<[-1.0, -1.0, -1.0, -0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, -1.0, 0x7FC00000]> : tensor<14xf32>
  check.expect_close %r, %expected, max_ulp_difference = 0 : tensor<14xf32>, tensor<14xf32>
  return
}

// -----

func.func @sign_f64() {
  %x = stablehlo.constant dense<[-2.5, -1.0, -0.5, -0.0, 0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 10.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<14xf64>
  %r = "stablehlo.sign"(%x) : (tensor<14xf64>) -> tensor<14xf64>
  %expected = stablehlo.constant dense<[-1.0, -1.0, -1.0, -0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, -1.0, 0x7FF8000000000000]> : tensor<14xf64>
  check.expect_close %r, %expected, max_ulp_difference = 0 : tensor<14xf64>, tensor<14xf64>
  return
}

// -----

func.func @sign_bf16() {
  %x = stablehlo.constant dense<[-2.5, -1.0, -0.5, -0.0, 0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 10.0, 0x7F80, 0xFF80, 0x7FC0]> : tensor<14xbf16>
  %r = stablehlo.sign %x : tensor<14xbf16>
  %expected = stablehlo.constant dense<[-1.0, -1.0, -1.0, -0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, -1.0, 0x7FC0]> : tensor<14xbf16>
  check.expect_close %r, %expected, max_ulp_difference = 0 : tensor<14xbf16>, tensor<14xbf16>
  return
}

// -----

func.func @sign_f16() {
  %x = stablehlo.constant dense<[-2.5, -1.0, -0.5, -0.0, 0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 10.0, 0x7C00, 0xFC00, 0x7E00]> : tensor<14xf16>
  %r = stablehlo.sign %x : tensor<14xf16>
  %expected = stablehlo.constant dense<[-1.0, -1.0, -1.0, -0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, -1.0, 0x7E00]> : tensor<14xf16>
  check.expect_close %r, %expected, max_ulp_difference = 0 : tensor<14xf16>, tensor<14xf16>
  return
}

// -----

func.func @scalar() {
  %x = stablehlo.constant dense<0.5> : tensor<f32>
  %r = "stablehlo.sign"(%x) : (tensor<f32>) -> tensor<f32>
  check.expect_eq_const %r, dense<1.0> : tensor<f32>
  return
}

// -----

func.func @complex_f32() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (-1.5, 0.5), (0.25, -3.0), (-2.0, -0.125), (3.0, 0.75)]> : tensor<5xcomplex<f32>>
  %r = "stablehlo.sign"(%x) : (tensor<5xcomplex<f32>>) -> tensor<5xcomplex<f32>>
  %expected = stablehlo.constant dense<[(0.4472136, 0.8944272), (-0.9486833, 0.31622776), (0.08304548, -0.99654573), (-0.9980526, -0.062378287), (0.9701425, 0.24253562)]> : tensor<5xcomplex<f32>>
  check.expect_close %r, %expected, max_ulp_difference = 3 : tensor<5xcomplex<f32>>, tensor<5xcomplex<f32>>
  return
}

// -----

func.func @complex_f64() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (-1.5, 0.5), (0.25, -3.0), (-2.0, -0.125), (3.0, 0.75)]> : tensor<5xcomplex<f64>>
  %r = "stablehlo.sign"(%x) : (tensor<5xcomplex<f64>>) -> tensor<5xcomplex<f64>>
  %expected = stablehlo.constant dense<[(0.4472135954999579, 0.8944271909999159), (-0.9486832980505138, 0.31622776601683794), (0.08304547985373997, -0.9965457582448797), (-0.9980525784828885, -0.06237828615518053), (0.9701425001453319, 0.24253562503633297)]> : tensor<5xcomplex<f64>>
  check.expect_close %r, %expected, max_ulp_difference = 3 : tensor<5xcomplex<f64>>, tensor<5xcomplex<f64>>
  return
}

// -----

func.func @sign_i2() {
  %x = stablehlo.constant dense<[-2, 1, 0, 1, -1, 0, -1]> : tensor<7xi2>
  %r = stablehlo.sign %x : tensor<7xi2>
  check.expect_eq_const %r, dense<[-1, 1, 0, 1, -1, 0, -1]> : tensor<7xi2>
  return
}

// -----

func.func @sign_i4() {
  %x = stablehlo.constant dense<[-8, 7, 0, 1, -7, 6, -1, 5, 6]> : tensor<9xi4>
  %r = stablehlo.sign %x : tensor<9xi4>
  check.expect_eq_const %r, dense<[-1, 1, 0, 1, -1, 1, -1, 1, 1]> : tensor<9xi4>
  return
}

// -----

func.func @sign_i8() {
  %x = stablehlo.constant dense<[-128, 127, 0, 1, -127, 126, -1, 5, 6]> : tensor<9xi8>
  %r = "stablehlo.sign"(%x) : (tensor<9xi8>) -> tensor<9xi8>
  check.expect_eq_const %r, dense<[-1, 1, 0, 1, -1, 1, -1, 1, 1]> : tensor<9xi8>
  return
}

// -----

func.func @sign_i16() {
  %x = stablehlo.constant dense<[-32768, 32767, 0, 1, -32767, 32766, -1, 5, 6]> : tensor<9xi16>
  %r = stablehlo.sign %x : tensor<9xi16>
  check.expect_eq_const %r, dense<[-1, 1, 0, 1, -1, 1, -1, 1, 1]> : tensor<9xi16>
  return
}

// -----

func.func @sign_i32() {
  %x = stablehlo.constant dense<[-2147483648, 2147483647, 0, 1, -2147483647, 2147483646, -1, 5, 6]> : tensor<9xi32>
  %r = stablehlo.sign %x : tensor<9xi32>
  check.expect_eq_const %r, dense<[-1, 1, 0, 1, -1, 1, -1, 1, 1]> : tensor<9xi32>
  return
}

// -----

func.func @sign_i64() {
  %x = stablehlo.constant dense<[-9223372036854775808, 9223372036854775807, 0, 1, -9223372036854775807, 9223372036854775806, -1, 5, 6]> : tensor<9xi64>
  %r = stablehlo.sign %x : tensor<9xi64>
  check.expect_eq_const %r, dense<[-1, 1, 0, 1, -1, 1, -1, 1, 1]> : tensor<9xi64>
  return
}

// -----

func.func @empty() {
  %x = stablehlo.constant dense<> : tensor<2x0xf32>
  %r = "stablehlo.sign"(%x) : (tensor<2x0xf32>) -> tensor<2x0xf32>
  check.expect_eq_const %r, dense<> : tensor<2x0xf32>
  return
}

// -----

func.func @quantized() {
  %s = stablehlo.constant dense<[-40, -8, -3, 0, 5, 20, 100]> : tensor<7xi8>
  %x = stablehlo.bitcast_convert %s : (tensor<7xi8>) -> tensor<7x!quant.uniform<i8:f32, 0.25:-3>>
  %r = stablehlo.sign %x : (tensor<7x!quant.uniform<i8:f32, 0.25:-3>>) -> tensor<7x!quant.uniform<i8:f32, 0.5:2>>
  %b = stablehlo.bitcast_convert %r : (tensor<7x!quant.uniform<i8:f32, 0.5:2>>) -> tensor<7xi8>
  check.expect_eq_const %b, dense<[0, 0, 2, 4, 4, 4, 4]> : tensor<7xi8>
  return
}
