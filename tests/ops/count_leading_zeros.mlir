// RUN: tessera check %s

func.func @count_leading_zeros_i2() {
  %x = stablehlo.constant dense<[-2, 1, 0, 1, -1, 0, -1]> : tensor<7xi2>
  %r = stablehlo.count_leading_zeros %x : tensor<7xi2>
  check.expect_eq_const %r, dense<[0, 1, -2, 1, 0, -2, 0]> : tensor<7xi2>
  return
}

// -----

func.func @count_leading_zeros_i4() {
  %x = stablehlo.constant dense<[-8, 7, 0, 1, -7, 6, -1, 5, 6]> : tensor<9xi4>
  %r = stablehlo.count_leading_zeros %x : tensor<9xi4>
  check.expect_eq_const %r, dense<[0, 1, 4, 3, 0, 1, 0, 1, 1]> : tensor<9xi4>
  return
}

// -----

func.func @count_leading_zeros_i8() {
  %x = stablehlo.constant dense<[-128, 127, 0, 1, -127, 126, -1, 5, 6]> : tensor<9xi8>
  %r = "stablehlo.count_leading_zeros"(%x) : (tensor<9xi8>) -> tensor<9xi8>
  check.expect_eq_const %r, dense<[0, 1, 8, 7, 0, 1, 0, 5, 5]> : tensor<9xi8>
  return
}

// -----

func.func @count_leading_zeros_i16() {
  %x = stablehlo.constant dense<[-32768, 32767, 0, 1, -32767, 32766, -1, 5, 6]> : tensor<9xi16>
  %r = stablehlo.count_leading_zeros %x : tensor<9xi16>
  check.expect_eq_const %r, dense<[0, 1, 16, 15, 0, 1, 0, 13, 13]> : tensor<9xi16>
  return
}

// -----

func.func @count_leading_zeros_i32() {
  %x = stablehlo.constant dense<[-2147483648, 2147483647, 0, 1, -2147483647, 2147483646, -1, 5, 6]> : tensor<9xi32>
  %r = stablehlo.count_leading_zeros %x : tensor<9xi32>
  check.expect_eq_const %r, dense<[0, 1, 32, 31, 0, 1, 0, 29, 29]> : tensor<9xi32>
  return
}

// -----

func.func @count_leading_zeros_i64() {
  %x = stablehlo.constant dense<[-9223372036854775808, 9223372036854775807, 0, 1, -9223372036854775807, 9223372036854775806, -1, 5, 6]> : tensor<9xi64>
  %r = stablehlo.count_leading_zeros %x : tensor<9xi64>
  check.expect_eq_const %r, dense<[0, 1, 64, 63, 0, 1, 0, 61, 61]> : tensor<9xi64>
  return
}

// -----

func.func @count_leading_zeros_ui2() {
  %x = stablehlo.constant dense<[0, 3, 0, 1, 1, 2]> : tensor<6xui2>
  %r = stablehlo.count_leading_zeros %x : tensor<6xui2>
  check.expect_eq_const %r, dense<[2, 0, 2, 1, 1, 0]> : tensor<6xui2>
  return
}

// -----

func.func @count_leading_zeros_ui4() {
  %x = stablehlo.constant dense<[0, 15, 0, 1, 1, 14, 5, 6]> : tensor<8xui4>
  %r = stablehlo.count_leading_zeros %x : tensor<8xui4>
  check.expect_eq_const %r, dense<[4, 0, 4, 3, 3, 0, 1, 1]> : tensor<8xui4>
  return
}

// -----

func.func @count_leading_zeros_ui8() {
  %x = stablehlo.constant dense<[0, 255, 0, 1, 1, 254, 5, 6]> : tensor<8xui8>
  %r = stablehlo.count_leading_zeros %x : tensor<8xui8>
  check.expect_eq_const %r, dense<[8, 0, 8, 7, 7, 0, 5, 5]> : tensor<8xui8>
  return
}

// -----

func.func @count_leading_zeros_ui16() {
  %x = stablehlo.constant dense<[0, 65535, 0, 1, 1, 65534, 5, 6]> : tensor<8xui16>
  %r = stablehlo.count_leading_zeros %x : tensor<8xui16>
  check.expect_eq_const %r, dense<[16, 0, 16, 15, 15, 0, 13, 13]> : tensor<8xui16>
  return
}

// -----

func.func @count_leading_zeros_ui32() {
  %x = stablehlo.constant dense<[0, 4294967295, 0, 1, 1, 4294967294, 5, 6]> : tensor<8xui32>
  %r = stablehlo.count_leading_zeros %x : tensor<8xui32>
  check.expect_eq_const %r, dense<[32, 0, 32, 31, 31, 0, 29, 29]> : tensor<8xui32>
  return
}

// -----

func.func @count_leading_zeros_ui64() {
  %x = stablehlo.constant dense<[0, 18446744073709551615, 0, 1, 1, 18446744073709551614, 5, 6]> : tensor<8xui64>
  %r = stablehlo.count_leading_zeros %x : tensor<8xui64>
  check.expect_eq_const %r, dense<[64, 0, 64, 63, 63, 0, 61, 61]> : tensor<8xui64>
  return
}

// -----

func.func @empty() {
  %x = stablehlo.constant dense<> : tensor<2x0xi32>
  %r = "stablehlo.count_leading_zeros"(%x) : (tensor<2x0xi32>) -> tensor<2x0xi32>
  check.expect_eq_const %r, dense<> : tensor<2x0xi32>
  return
}
