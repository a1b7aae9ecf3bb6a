// RUN: tessera check %s

func.func @not_i2() {
  %x = stablehlo.constant dense<[-2, 1, 0, 1, -1, 0, -1]> : tensor<7xi2>
  %r = stablehlo.not %x : tensor<7xi2>
  check.expect_eq_const %r, dense<[1, -2, -1, -2, 0, -1, 0]> : tensor<7xi2>
  return
}

// -----

func.func @not_i4() {
  %x = stablehlo.constant dense<[-8, 7, 0, 1, -7, 6, -1, 5, 6]> : tensor<9xi4>
  %r = stablehlo.not %x : tensor<9xi4>
  check.expect_eq_const %r, dense<[7, -8, -1, -2, 6, -7, 0, -6, -7]> : tensor<9xi4>
  return
}

// -----

func.func @not_i8() {
  %x = stablehlo.constant dense<[-128, 127, 0, 1, -127, 126, -1, 5, 6]> : tensor<9xi8>
  %r = "stablehlo.not"(%x) : (tensor<9xi8>) -> tensor<9xi8>
  check.expect_eq_const %r, dense<[127, -128, -1, -2, 126, -127, 0, -6, -7]> : tensor<9xi8>
  return
}

// -----

func.func @not_i16() {
  %x = stablehlo.constant dense<[-32768, 32767, 0, 1, -32767, 32766, -1, 5, 6]> : tensor<9xi16>
  %r = stablehlo.not %x : tensor<9xi16>
  check.expect_eq_const %r, dense<[32767, -32768, -1, -2, 32766, -32767, 0, -6, -7]> : tensor<9xi16>
  return
}

// -----

func.func @not_i32() {
  %x = stablehlo.constant dense<[-2147483648, 2147483647, 0, 1, -2147483647, 2147483646, -1, 5, 6]> : tensor<9xi32>
  %r = stablehlo.not %x : tensor<9xi32>
  check.expect_eq_const %r, dense<[2147483647, -2147483648, -1, -2, 2147483646, -2147483647, 0, -6, -7]> : tensor<9xi32>
  return
}

// -----

func.func @not_i64() {
  %x = stablehlo.constant dense<[-9223372036854775808, 9223372036854775807, 0, 1, -9223372036854775807, 9223372036854775806, -1, 5, 6]> : tensor<9xi64>
  %r = stablehlo.not %x : tensor<9xi64>
  check.expect_eq_const %r, dense<[9223372036854775807, -9223372036854775808, -1, -2, 9223372036854775806, -9223372036854775807, 0, -6, -7]> : tensor<9xi64>
  return
}

// -----

func.func @not_ui2() {
  %x = stablehlo.constant dense<[0, 3, 0, 1, 1, 2]> : tensor<6xui2>
  %r = stablehlo.not %x : tensor<6xui2>
  check.expect_eq_const %r, dense<[3, 0, 3, 2, 2, 1]> : tensor<6xui2>
  return
}

// -----

func.func @not_ui4() {
  %x = stablehlo.constant dense<[0, 15, 0, 1, 1, 14, 5, 6]> : tensor<8xui4>
  %r = stablehlo.not %x : tensor<8xui4>
  check.expect_eq_const %r, dense<[15, 0, 15, 14, 14, 1, 10, 9]> : tensor<8xui4>
  return
}

// -----

func.func @not_ui8() {
  %x = stablehlo.constant dense<[0, 255, 0, 1, 1, 254, 5, 6]> : tensor<8xui8>
  %r = stablehlo.not %x : tensor<8xui8>
  check.expect_eq_const %r, dense<[255, 0, 255, 254, 254, 1, 250, 249]> : tensor<8xui8>
  return
}

// -----

func.func @not_ui16() {
  %x = stablehlo.constant dense<[0, 65535, 0, 1, 1, 65534, 5, 6]> : tensor<8xui16>
  %r = stablehlo.not %x : tensor<8xui16>
  check.expect_eq_const %r, dense<[65535, 0, 65535, 65534, 65534, 1, 65530, 65529]> : tensor<8xui16>
  return
}

// -----

func.func @not_ui32() {
  %x = stablehlo.constant dense<[0, 4294967295, 0, 1, 1, 4294967294, 5, 6]> : tensor<8xui32>
  %r = stablehlo.not %x : tensor<8xui32>
  check.expect_eq_const %r, dense<[4294967295, 0, 4294967295, 4294967294, 4294967294, 1, 4294967290, 4294967289]> : tensor<8xui32>
  return
}

// -----

func.func @not_ui64() {
  %x = stablehlo.constant dense<[0, 18446744073709551615, 0, 1, 1, 18446744073709551614, 5, 6]> : tensor<8xui64>
  %r = stablehlo.not %x : tensor<8xui64>
  check.expect_eq_const %r, dense<[18446744073709551615, 0, 18446744073709551615, 18446744073709551614, 18446744073709551614, 1, 18446744073709551610, 18446744073709551609]> : tensor<8xui64>
  return
}

// -----

func.func @not_i1() {
  %x = stablehlo.constant dense<[true, false]> : tensor<2xi1>
  %r = stablehlo.not %x : tensor<2xi1>
  check.expect_eq_const %r, dense<[false, true]> : tensor<2xi1>
  return
}

// -----

func.func @empty() {
  %x = stablehlo.constant dense<> : tensor<2x0xi32>
  %r = "stablehlo.not"(%x) : (tensor<2x0xi32>) -> tensor<2x0xi32>
  check.expect_eq_const %r, dense<> : tensor<2x0xi32>
  return
}
