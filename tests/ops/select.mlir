// RUN: tessera check %s

func.func @each_f32() {
  %p = stablehlo.constant dense<[true, false, false]> : tensor<3xi1>
  %x = stablehlo.constant dense<[1.0, -2.5, 0x7FC00000]> : tensor<3xf32>
  %y = stablehlo.constant dense<[0x7FC00000, -2.5, 1.0]> : tensor<3xf32>
  %r = stablehlo.select %p, %x, %y : tensor<3xi1>, tensor<3xf32>
  %expected = stablehlo.constant dense<[1.0, -2.5, 1.0]> : tensor<3xf32>
  check.expect_close %r, %expected, max_ulp_difference = 0 : tensor<3xf32>, tensor<3xf32>
  return
}

// -----

func.func @all_f32() {
  %p = stablehlo.constant dense<false> : tensor<i1>
  %x = stablehlo.constant dense<[1.0, -2.5, 0x7FC00000]> : tensor<3xf32>
  %y = stablehlo.constant dense<[0x7FC00000, -2.5, 1.0]> : tensor<3xf32>
  %r = "stablehlo.select"(%p, %x, %y) : (tensor<i1>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %expected = stablehlo.constant dense<[0x7FC00000, -2.5, 1.0]> : tensor<3xf32>
  check.expect_close %r, %expected, max_ulp_difference = 0 : tensor<3xf32>, tensor<3xf32>
  return
}

// -----

func.func @each_f64() {
  %p = stablehlo.constant dense<[true, false, false]> : tensor<3xi1>
  %x = stablehlo.constant dense<[1.0, -2.5, 0x7FF0000000000000]> : tensor<3xf64>
  %y = stablehlo.constant dense<[0x7FF0000000000000, -2.5, 1.0]> : tensor<3xf64>
  %r = stablehlo.select %p, %x, %y : tensor<3xi1>, tensor<3xf64>
  %expected = stablehlo.constant dense<[1.0, -2.5, 1.0]> : tensor<3xf64>
  check.expect_close %r, %expected, max_ulp_difference = 0 : tensor<3xf64>, tensor<3xf64>
  return
}

// -----

func.func @all_f64() {
  %p = stablehlo.constant dense<false> : tensor<i1>
  %x = stablehlo.constant dense<[1.0, -2.5, 0x7FF0000000000000]> : tensor<3xf64>
  %y = stablehlo.constant dense<[0x7FF0000000000000, -2.5, 1.0]> : tensor<3xf64>
  %r = "stablehlo.select"(%p, %x, %y) : (tensor<i1>, tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  %expected = stablehlo.constant dense<[0x7FF0000000000000, -2.5, 1.0]> : tensor<3xf64>
  check.expect_close %r, %expected, max_ulp_difference = 0 : tensor<3xf64>, tensor<3xf64>
  return
}

// -----

func.func @each_i8() {
  %p = stablehlo.constant dense<[true, false, false]> : tensor<3xi1>
  %x = stablehlo.constant dense<[1, -2, 3]> : tensor<3xi8>
  %y = stablehlo.constant dense<[3, -2, 1]> : tensor<3xi8>
  %r = stablehlo.select %p, %x, %y : tensor<3xi1>, tensor<3xi8>
  check.expect_eq_const %r, dense<[1, -2, 1]> : tensor<3xi8>
  return
}

// -----

func.func @all_i8() {
  %p = stablehlo.constant dense<false> : tensor<i1>
  %x = stablehlo.constant dense<[1, -2, 3]> : tensor<3xi8>
  %y = stablehlo.constant dense<[3, -2, 1]> : tensor<3xi8>
  %r = "stablehlo.select"(%p, %x, %y) : (tensor<i1>, tensor<3xi8>, tensor<3xi8>) -> tensor<3xi8>
  check.expect_eq_const %r, dense<[3, -2, 1]> : tensor<3xi8>
  return
}

// -----

func.func @each_ui64() {
  %p = stablehlo.constant dense<[true, false, false]> : tensor<3xi1>
  %x = stablehlo.constant dense<[1, 2, 18446744073709551615]> : tensor<3xui64>
  %y = stablehlo.constant dense<[18446744073709551615, 2, 1]> : tensor<3xui64>
  %r = stablehlo.select %p, %x, %y : tensor<3xi1>, tensor<3xui64>
  check.expect_eq_const %r, dense<[1, 2, 1]> : tensor<3xui64>
  return
}

// -----

func.func @all_ui64() {
  %p = stablehlo.constant dense<false> : tensor<i1>
  %x = stablehlo.constant dense<[1, 2, 18446744073709551615]> : tensor<3xui64>
  %y = stablehlo.constant dense<[18446744073709551615, 2, 1]> : tensor<3xui64>
  %r = "stablehlo.select"(%p, %x, %y) : (tensor<i1>, tensor<3xui64>, tensor<3xui64>) -> tensor<3xui64>
  check.expect_eq_const %r, dense<[18446744073709551615, 2, 1]> : tensor<3xui64>
  return
}

// -----

func.func @each_i1() {
  %p = stablehlo.constant dense<[true, false, false]> : tensor<3xi1>
  %x = stablehlo.constant dense<[true, false, true]> : tensor<3xi1>
  %y = stablehlo.constant dense<[false, false, false]> : tensor<3xi1>
  %r = stablehlo.select %p, %x, %y : tensor<3xi1>, tensor<3xi1>
  check.expect_eq_const %r, dense<[true, false, false]> : tensor<3xi1>
  return
}

// -----

func.func @all_i1() {
  %p = stablehlo.constant dense<false> : tensor<i1>
  %x = stablehlo.constant dense<[true, false, true]> : tensor<3xi1>
  %y = stablehlo.constant dense<[false, false, false]> : tensor<3xi1>
  %r = "stablehlo.select"(%p, %x, %y) : (tensor<i1>, tensor<3xi1>, tensor<3xi1>) -> tensor<3xi1>
  check.expect_eq_const %r, dense<[false, false, false]> : tensor<3xi1>
  return
}

// -----

func.func @each_complex_f32() {
  %p = stablehlo.constant dense<[true, false, false]> : tensor<3xi1>
  %x = stablehlo.constant dense<[(1.0, 2.0), (3.0, 4.0), (5.0, 6.0)]> : tensor<3xcomplex<f32>>
  %y = stablehlo.constant dense<[(5.0, 6.0), (3.0, 4.0), (1.0, 2.0)]> : tensor<3xcomplex<f32>>
  %r = stablehlo.select %p, %x, %y : tensor<3xi1>, tensor<3xcomplex<f32>>
  check.expect_eq_const %r, dense<[(1.0, 2.0), (3.0, 4.0), (1.0, 2.0)]> : tensor<3xcomplex<f32>>
  return
}

// -----

func.func @all_complex_f32() {
  %p = stablehlo.constant dense<false> : tensor<i1>
  %x = stablehlo.constant dense<[(1.0, 2.0), (3.0, 4.0), (5.0, 6.0)]> : tensor<3xcomplex<f32>>
  %y = stablehlo.constant dense<[(5.0, 6.0), (3.0, 4.0), (1.0, 2.0)]> : tensor<3xcomplex<f32>>
  %r = "stablehlo.select"(%p, %x, %y) : (tensor<i1>, tensor<3xcomplex<f32>>, tensor<3xcomplex<f32>>) -> tensor<3xcomplex<f32>>
  check.expect_eq_const %r, dense<[(5.0, 6.0), (3.0, 4.0), (1.0, 2.0)]> : tensor<3xcomplex<f32>>
  return
}

// -----

func.func @each_i4() {
  %p = stablehlo.constant dense<[true, false, false]> : tensor<3xi1>
  %x = stablehlo.constant dense<[-8, 7, 0]> : tensor<3xi4>
  %y = stablehlo.constant dense<[0, 7, -8]> : tensor<3xi4>
  %r = stablehlo.select %p, %x, %y : tensor<3xi1>, tensor<3xi4>
  check.expect_eq_const %r, dense<[-8, 7, -8]> : tensor<3xi4>
  return
}

// -----

func.func @all_i4() {
  %p = stablehlo.constant dense<false> : tensor<i1>
  %x = stablehlo.constant dense<[-8, 7, 0]> : tensor<3xi4>
  %y = stablehlo.constant dense<[0, 7, -8]> : tensor<3xi4>
  %r = "stablehlo.select"(%p, %x, %y) : (tensor<i1>, tensor<3xi4>, tensor<3xi4>) -> tensor<3xi4>
  check.expect_eq_const %r, dense<[0, 7, -8]> : tensor<3xi4>
  return
}

// -----

func.func @each_bf16() {
  %p = stablehlo.constant dense<[true, false, false]> : tensor<3xi1>
  %x = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xbf16>
  %y = stablehlo.constant dense<[3.0, 2.0, 1.0]> : tensor<3xbf16>
  %r = stablehlo.select %p, %x, %y : tensor<3xi1>, tensor<3xbf16>
  %expected = stablehlo.constant dense<[1.0, 2.0, 1.0]> : tensor<3xbf16>
  check.expect_close %r, %expected, max_ulp_difference = 0 : tensor<3xbf16>, tensor<3xbf16>
  return
}

// -----

func.func @all_bf16() {
  %p = stablehlo.constant dense<false> : tensor<i1>
  %x = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xbf16>
  %y = stablehlo.constant dense<[3.0, 2.0, 1.0]> : tensor<3xbf16>
  %r = "stablehlo.select"(%p, %x, %y) : (tensor<i1>, tensor<3xbf16>, tensor<3xbf16>) -> tensor<3xbf16>
  %expected = stablehlo.constant dense<[3.0, 2.0, 1.0]> : tensor<3xbf16>
  check.expect_close %r, %expected, max_ulp_difference = 0 : tensor<3xbf16>, tensor<3xbf16>
  return
}

// -----

// Bits are moved, those of NaNs too.
func.func @bits() {
  %p = stablehlo.constant dense<[true, false]> : tensor<2xi1>
  %x = stablehlo.constant dense<[0x7FA12345, 0x7FC00001]> : tensor<2xf32>
  %y = stablehlo.constant dense<[0xFFC00001, 0xFFFFFFFF]> : tensor<2xf32>
  %r = stablehlo.select %p, %x, %y : tensor<2xi1>, tensor<2xf32>
  %b = stablehlo.bitcast_convert %r : (tensor<2xf32>) -> tensor<2xui32>
  check.expect_eq_const %b, dense<[0x7FA12345, 0xFFFFFFFF]> : tensor<2xui32>
  return
}

// -----

func.func @quantized() {
  %p = stablehlo.constant dense<[true, false]> : tensor<2xi1>
  %s = stablehlo.constant dense<[8, 9]> : tensor<2xi8>
  %x = stablehlo.bitcast_convert %s : (tensor<2xi8>) -> tensor<2x!quant.uniform<i8:f32, 0.5:0>>
  %y = stablehlo.bitcast_convert %s : (tensor<2xi8>) -> tensor<2x!quant.uniform<i8:f32, 0.25:2>>
  %r = "stablehlo.select"(%p, %x, %y) : (tensor<2xi1>, tensor<2x!quant.uniform<i8:f32, 0.5:0>>, tensor<2x!quant.uniform<i8:f32, 0.25:2>>) -> tensor<2x!quant.uniform<i8:f32, 1.0:1>>
  %b = stablehlo.bitcast_convert %r : (tensor<2x!quant.uniform<i8:f32, 1.0:1>>) -> tensor<2xi8>
  check.expect_eq_const %b, dense<[5, 3]> : tensor<2xi8>
  return
}
