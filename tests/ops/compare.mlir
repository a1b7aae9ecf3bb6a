// RUN: tessera check %s

func.func @f32_EQ() {
  %x = stablehlo.constant dense<[1.0, 2.0, 3.0, 0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 0x7FC00000, 1.0]> : tensor<10xf32>
  %y = stablehlo.constant dense<[2.0, 2.0, 1.0, -0.0, 0.0, 0x7F800000, 0x7F800000, 0x7FC00000, 1.0, 0x7FC00000]> : tensor<10xf32>
  %r = stablehlo.compare EQ, %x, %y, FLOAT : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xi1>
  check.expect_eq_const %r, dense<[false, true, false, true, true, true, false, false, false, false]> : tensor<10xi1>
  return
}

// -----

func.func @bf16_EQ() {
  %x = stablehlo.constant dense<[1.0, 2.0, 3.0, 0.0, -0.0, 0x7F80, 0xFF80, 0x7FC0, 0x7FC0, 1.0]> : tensor<10xbf16>
  %y = stablehlo.constant dense<[2.0, 2.0, 1.0, -0.0, 0.0, 0x7F80, 0x7F80, 0x7FC0, 1.0, 0x7FC0]> : tensor<10xbf16>
  %r = "stablehlo.compare"(%x, %y) {comparison_direction = #stablehlo<comparison_direction EQ>} : (tensor<10xbf16>, tensor<10xbf16>) -> tensor<10xi1>
  check.expect_eq_const %r, dense<[false, true, false, true, true, true, false, false, false, false]> : tensor<10xi1>
  return
}

// -----

func.func @i8_EQ() {
  %x = stablehlo.constant dense<[-128, -128, -128, -128, 127, 127, 127, 127, 0, 0, 0, 0, 1, 1, 1, 1]> : tensor<16xi8>
  %y = stablehlo.constant dense<[-128, 127, 0, 1, -128, 127, 0, 1, -128, 127, 0, 1, -128, 127, 0, 1]> : tensor<16xi8>
  %r = stablehlo.compare EQ, %x, %y, SIGNED : (tensor<16xi8>, tensor<16xi8>) -> tensor<16xi1>
  check.expect_eq_const %r, dense<[true, false, false, false, false, true, false, false, false, false, true, false, false, false, false, true]> : tensor<16xi1>
  return
}

// -----

func.func @i64_EQ() {
  %x = stablehlo.constant dense<[-9223372036854775808, -9223372036854775808, -9223372036854775808, -9223372036854775808, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807, 0, 0, 0, 0, 1, 1, 1, 1]> : tensor<16xi64>
  %y = stablehlo.constant dense<[-9223372036854775808, 9223372036854775807, 0, 1, -9223372036854775808, 9223372036854775807, 0, 1, -9223372036854775808, 9223372036854775807, 0, 1, -9223372036854775808, 9223372036854775807, 0, 1]> : tensor<16xi64>
  %r = stablehlo.compare EQ, %x, %y, SIGNED : (tensor<16xi64>, tensor<16xi64>) -> tensor<16xi1>
  check.expect_eq_const %r, dense<[true, false, false, false, false, true, false, false, false, false, true, false, false, false, false, true]> : tensor<16xi1>
  return
}

// -----

func.func @ui8_EQ() {
  %x = stablehlo.constant dense<[0, 0, 0, 0, 255, 255, 255, 255, 0, 0, 0, 0, 1, 1, 1, 1]> : tensor<16xui8>
  %y = stablehlo.constant dense<[0, 255, 0, 1, 0, 255, 0, 1, 0, 255, 0, 1, 0, 255, 0, 1]> : tensor<16xui8>
  %r = "stablehlo.compare"(%x, %y) {comparison_direction = #stablehlo<comparison_direction EQ>, compare_type = #stablehlo<comparison_type UNSIGNED>} : (tensor<16xui8>, tensor<16xui8>) -> tensor<16xi1>
  check.expect_eq_const %r, dense<[true, false, true, false, false, true, false, false, true, false, true, false, false, false, false, true]> : tensor<16xi1>
  return
}

// -----

func.func @ui64_EQ() {
  %x = stablehlo.constant dense<[0, 0, 0, 0, 18446744073709551615, 18446744073709551615, 18446744073709551615, 18446744073709551615, 0, 0, 0, 0, 1, 1, 1, 1]> : tensor<16xui64>
  %y = stablehlo.constant dense<[0, 18446744073709551615, 0, 1, 0, 18446744073709551615, 0, 1, 0, 18446744073709551615, 0, 1, 0, 18446744073709551615, 0, 1]> : tensor<16xui64>
  %r = stablehlo.compare EQ, %x, %y, UNSIGNED : (tensor<16xui64>, tensor<16xui64>) -> tensor<16xi1>
  check.expect_eq_const %r, dense<[true, false, true, false, false, true, false, false, true, false, true, false, false, false, false, true]> : tensor<16xi1>
  return
}

// -----

func.func @i4_EQ() {
  %x = stablehlo.constant dense<[-8, -8, -8, -8, 7, 7, 7, 7, 0, 0, 0, 0, 1, 1, 1, 1]> : tensor<16xi4>
  %y = stablehlo.constant dense<[-8, 7, 0, 1, -8, 7, 0, 1, -8, 7, 0, 1, -8, 7, 0, 1]> : tensor<16xi4>
  %r = stablehlo.compare EQ, %x, %y : (tensor<16xi4>, tensor<16xi4>) -> tensor<16xi1>
  check.expect_eq_const %r, dense<[true, false, false, false, false, true, false, false, false, false, true, false, false, false, false, true]> : tensor<16xi1>
  return
}

// -----

func.func @i1_EQ() {
  %x = stablehlo.constant dense<[false, false, true, true]> : tensor<4xi1>
  %y = stablehlo.constant dense<[false, true, false, true]> : tensor<4xi1>
  %r = stablehlo.compare EQ, %x, %y, UNSIGNED : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  check.expect_eq_const %r, dense<[true, false, false, true]> : tensor<4xi1>
  return
}

// -----

func.func @complex_EQ() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (1.0, 2.0), (2.0, 0.0), (1.0, 2.0)]> : tensor<4xcomplex<f32>>
  %y = stablehlo.constant dense<[(1.0, 2.0), (1.0, 3.0), (1.0, 5.0), (0.0, 9.0)]> : tensor<4xcomplex<f32>>
  %r = stablehlo.compare EQ, %x, %y, FLOAT : (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>) -> tensor<4xi1>
  check.expect_eq_const %r, dense<[true, false, false, false]> : tensor<4xi1>
  return
}

// -----

func.func @f32_NE() {
  %x = stablehlo.constant dense<[1.0, 2.0, 3.0, 0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 0x7FC00000, 1.0]> : tensor<10xf32>
  %y = stablehlo.constant dense<[2.0, 2.0, 1.0, -0.0, 0.0, 0x7F800000, 0x7F800000, 0x7FC00000, 1.0, 0x7FC00000]> : tensor<10xf32>
  %r = stablehlo.compare NE, %x, %y, FLOAT : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xi1>
  check.expect_eq_const %r, dense<[true, false, true, false, false, false, true, true, true, true]> : tensor<10xi1>
  return
}

// -----

func.func @bf16_NE() {
  %x = stablehlo.constant dense<[1.0, 2.0, 3.0, 0.0, -0.0, 0x7F80, 0xFF80, 0x7FC0, 0x7FC0, 1.0]> : tensor<10xbf16>
  %y = stablehlo.constant dense<[2.0, 2.0, 1.0, -0.0, 0.0, 0x7F80, 0x7F80, 0x7FC0, 1.0, 0x7FC0]> : tensor<10xbf16>
  %r = "stablehlo.compare"(%x, %y) {comparison_direction = #stablehlo<comparison_direction NE>} : (tensor<10xbf16>, tensor<10xbf16>) -> tensor<10xi1>
  check.expect_eq_const %r, dense<[true, false, true, false, false, false, true, true, true, true]> : tensor<10xi1>
  return
}

// -----

func.func @i8_NE() {
  %x = stablehlo.constant dense<[-128, -128, -128, -128, 127, 127, 127, 127, 0, 0, 0, 0, 1, 1, 1, 1]> : tensor<16xi8>
  %y = stablehlo.constant dense<[-128, 127, 0, 1, -128, 127, 0, 1, -128, 127, 0, 1, -128, 127, 0, 1]> : tensor<16xi8>
  %r = stablehlo.compare NE, %x, %y, SIGNED : (tensor<16xi8>, tensor<16xi8>) -> tensor<16xi1>
  check.expect_eq_const %r, dense<[false, true, true, true, true, false, true, true, true, true, false, true, true, true, true, false]> : tensor<16xi1>
  return
}

// -----

func.func @i64_NE() {
  %x = stablehlo.constant dense<[-9223372036854775808, -9223372036854775808, -9223372036854775808, -9223372036854775808, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807, 0, 0, 0, 0, 1, 1, 1, 1]> : tensor<16xi64>
  %y = stablehlo.constant dense<[-9223372036854775808, 9223372036854775807, 0, 1, -9223372036854775808, 9223372036854775807, 0, 1, -9223372036854775808, 9223372036854775807, 0, 1, -9223372036854775808, 9223372036854775807, 0, 1]> : tensor<16xi64>
  %r = stablehlo.compare NE, %x, %y, SIGNED : (tensor<16xi64>, tensor<16xi64>) -> tensor<16xi1>
  check.expect_eq_const %r, dense<[false, true, true, true, true, false, true, true, true, true, false, true, true, true, true, false]> : tensor<16xi1>
  return
}

// -----

func.func @ui8_NE() {
  %x = stablehlo.constant dense<[0, 0, 0, 0, 255, 255, 255, 255, 0, 0, 0, 0, 1, 1, 1, 1]> : tensor<16xui8>
  %y = stablehlo.constant dense<[0, 255, 0, 1, 0, 255, 0, 1, 0, 255, 0, 1, 0, 255, 0, 1]> : tensor<16xui8>
  %r = "stablehlo.compare"(%x, %y) {comparison_direction = #stablehlo<comparison_direction NE>, compare_type = #stablehlo<comparison_type UNSIGNED>} : (tensor<16xui8>, tensor<16xui8>) -> tensor<16xi1>
  check.expect_eq_const %r, dense<[false, true, false, true, true, false, true, true, false, true, false, true, true, true, true, false]> : tensor<16xi1>
  return
}

// -----

func.func @ui64_NE() {
  %x = stablehlo.constant dense<[0, 0, 0, 0, 18446744073709551615, 18446744073709551615, 18446744073709551615, 18446744073709551615, 0, 0, 0, 0, 1, 1, 1, 1]> : tensor<16xui64>
  %y = stablehlo.constant dense<[0, 18446744073709551615, 0, 1, 0, 18446744073709551615, 0, 1, 0, 18446744073709551615, 0, 1, 0, 18446744073709551615, 0, 1]> : tensor<16xui64>
  %r = stablehlo.compare NE, %x, %y, UNSIGNED : (tensor<16xui64>, tensor<16xui64>) -> tensor<16xi1>
  check.expect_eq_const %r, dense<[false, true, false, true, true, false, true, true, false, true, false, true, true, true, true, false]> : tensor<16xi1>
  return
}

// -----

func.func @i4_NE() {
  %x = stablehlo.constant dense<[-8, -8, -8, -8, 7, 7, 7, 7, 0, 0, 0, 0, 1, 1, 1, 1]> : tensor<16xi4>
  %y = stablehlo.constant dense<[-8, 7, 0, 1, -8, 7, 0, 1, -8, 7, 0, 1, -8, 7, 0, 1]> : tensor<16xi4>
  %r = stablehlo.compare NE, %x, %y : (tensor<16xi4>, tensor<16xi4>) -> tensor<16xi1>
  check.expect_eq_const %r, dense<[false, true, true, true, true, false, true, true, true, true, false, true, true, true, true, false]> : tensor<16xi1>
  return
}

// -----

func.func @i1_NE() {
  %x = stablehlo.constant dense<[false, false, true, true]> : tensor<4xi1>
  %y = stablehlo.constant dense<[false, true, false, true]> : tensor<4xi1>
  %r = stablehlo.compare NE, %x, %y, UNSIGNED : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  check.expect_eq_const %r, dense<[false, true, true, false]> : tensor<4xi1>
  return
}

// -----

func.func @complex_NE() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (1.0, 2.0), (2.0, 0.0), (1.0, 2.0)]> : tensor<4xcomplex<f32>>
  %y = stablehlo.constant dense<[(1.0, 2.0), (1.0, 3.0), (1.0, 5.0), (0.0, 9.0)]> : tensor<4xcomplex<f32>>
  %r = stablehlo.compare NE, %x, %y, FLOAT : (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>) -> tensor<4xi1>
  check.expect_eq_const %r, dense<[false, true, true, true]> : tensor<4xi1>
  return
}

// -----

func.func @f32_GE() {
  %x = stablehlo.constant dense<[1.0, 2.0, 3.0, 0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 0x7FC00000, 1.0]> : tensor<10xf32>
  %y = stablehlo.constant dense<[2.0, 2.0, 1.0, -0.0, 0.0, 0x7F800000, 0x7F800000, 0x7FC00000, 1.0, 0x7FC00000]> : tensor<10xf32>
  %r = stablehlo.compare GE, %x, %y, FLOAT : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xi1>
  check.expect_eq_const %r, dense<[false, true, true, true, true, true, false, false, false, false]> : tensor<10xi1>
  return
}

// -----

func.func @bf16_GE() {
  %x = stablehlo.constant dense<[1.0, 2.0, 3.0, 0.0, -0.0, 0x7F80, 0xFF80, 0x7FC0, 0x7FC0, 1.0]> : tensor<10xbf16>
  %y = stablehlo.constant dense<[2.0, 2.0, 1.0, -0.0, 0.0, 0x7F80, 0x7F80, 0x7FC0, 1.0, 0x7FC0]> : tensor<10xbf16>
  %r = "stablehlo.compare"(%x, %y) {comparison_direction = #stablehlo<comparison_direction GE>} : (tensor<10xbf16>, tensor<10xbf16>) -> tensor<10xi1>
  check.expect_eq_const %r, dense<[false, true, true, true, true, true, false, false, false, false]> : tensor<10xi1>
  return
}

// -----

func.func @i8_GE() {
  %x = stablehlo.constant dense<[-128, -128, -128, -128, 127, 127, 127, 127, 0, 0, 0, 0, 1, 1, 1, 1]> : tensor<16xi8>
  %y = stablehlo.constant dense<[-128, 127, 0, 1, -128, 127, 0, 1, -128, 127, 0, 1, -128, 127, 0, 1]> : tensor<16xi8>
  %r = stablehlo.compare GE, %x, %y, SIGNED : (tensor<16xi8>, tensor<16xi8>) -> tensor<16xi1>
  check.expect_eq_const %r, dense<[true, false, false, false, true, true, true, true, true, false, true, false, true, false, true, true]> : tensor<16xi1>
  return
}

// -----

func.func @i64_GE() {
  %x = stablehlo.constant dense<[-9223372036854775808, -9223372036854775808, -9223372036854775808, -9223372036854775808, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807, 0, 0, 0, 0, 1, 1, 1, 1]> : tensor<16xi64>
  %y = stablehlo.constant dense<[-9223372036854775808, 9223372036854775807, 0, 1, -9223372036854775808, 9223372036854775807, 0, 1, -9223372036854775808, 9223372036854775807, 0, 1, -9223372036854775808, 9223372036854775807, 0, 1]> : tensor<16xi64>
  %r = stablehlo.compare GE, %x, %y, SIGNED : (tensor<16xi64>, tensor<16xi64>) -> tensor<16xi1>
  check.expect_eq_const %r, dense<[true, false, false, false, true, true, true, true, true, false, true, false, true, false, true, true]> : tensor<16xi1>
  return
}

// -----

func.func @ui8_GE() {
  %x = stablehlo.constant dense<[0, 0, 0, 0, 255, 255, 255, 255, 0, 0, 0, 0, 1, 1, 1, 1]> : tensor<16xui8>
  %y = stablehlo.constant dense<[0, 255, 0, 1, 0, 255, 0, 1, 0, 255, 0, 1, 0, 255, 0, 1]> : tensor<16xui8>
  %r = "stablehlo.compare"(%x, %y) {comparison_direction = #stablehlo<comparison_direction GE>, compare_type = #stablehlo<comparison_type UNSIGNED>} : (tensor<16xui8>, tensor<16xui8>) -> tensor<16xi1>
  check.expect_eq_const %r, dense<[true, false, true, false, true, true, true, true, true, false, true, false, true, false, true, true]> : tensor<16xi1>
  return
}

// -----

func.func @ui64_GE() {
  %x = stablehlo.constant dense<[0, 0, 0, 0, 18446744073709551615, 18446744073709551615, 18446744073709551615, 18446744073709551615, 0, 0, 0, 0, 1, 1, 1, 1]> : tensor<16xui64>
  %y = stablehlo.constant dense<[0, 18446744073709551615, 0, 1, 0, 18446744073709551615, 0, 1, 0, 18446744073709551615, 0, 1, 0, 18446744073709551615, 0, 1]> : tensor<16xui64>
  %r = stablehlo.compare GE, %x, %y, UNSIGNED : (tensor<16xui64>, tensor<16xui64>) -> tensor<16xi1>
  check.expect_eq_const %r, dense<[true, false, true, false, true, true, true, true, true, false, true, false, true, false, true, true]> : tensor<16xi1>
  return
}

// -----

func.func @i4_GE() {
  %x = stablehlo.constant dense<[-8, -8, -8, -8, 7, 7, 7, 7, 0, 0, 0, 0, 1, 1, 1, 1]> : tensor<16xi4>
  %y = stablehlo.constant dense<[-8, 7, 0, 1, -8, 7, 0, 1, -8, 7, 0, 1, -8, 7, 0, 1]> : tensor<16xi4>
  %r = stablehlo.compare GE, %x, %y : (tensor<16xi4>, tensor<16xi4>) -> tensor<16xi1>
  check.expect_eq_const %r, dense<[true, false, false, false, true, true, true, true, true, false, true, false, true, false, true, true]> : tensor<16xi1>
  return
}

// -----

func.func @i1_GE() {
  %x = stablehlo.constant dense<[false, false, true, true]> : tensor<4xi1>
  %y = stablehlo.constant dense<[false, true, false, true]> : tensor<4xi1>
  %r = stablehlo.compare GE, %x, %y, UNSIGNED : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  check.expect_eq_const %r, dense<[true, false, true, true]> : tensor<4xi1>
  return
}

// -----

func.func @complex_GE() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (1.0, 2.0), (2.0, 0.0), (1.0, 2.0)]> : tensor<4xcomplex<f32>>
  %y = stablehlo.constant dense<[(1.0, 2.0), (1.0, 3.0), (1.0, 5.0), (0.0, 9.0)]> : tensor<4xcomplex<f32>>
  %r = stablehlo.compare GE, %x, %y, FLOAT : (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>) -> tensor<4xi1>
  check.expect_eq_const %r, dense<[true, false, true, true]> : tensor<4xi1>
  return
}

// -----

func.func @f32_GT() {
  %x = stablehlo.constant dense<[1.0, 2.0, 3.0, 0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 0x7FC00000, 1.0]> : tensor<10xf32>
  %y = stablehlo.constant dense<[2.0, 2.0, 1.0, -0.0, 0.0, 0x7F800000, 0x7F800000, 0x7FC00000, 1.0, 0x7FC00000]> : tensor<10xf32>
  %r = stablehlo.compare GT, %x, %y, FLOAT : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xi1>
  check.expect_eq_const %r, dense<[false, false, true, false, false, false, false, false, false, false]> : tensor<10xi1>
  return
}

// -----

func.func @bf16_GT() {
  %x = stablehlo.constant dense<[1.0, 2.0, 3.0, 0.0, -0.0, 0x7F80, 0xFF80, 0x7FC0, 0x7FC0, 1.0]> : tensor<10xbf16>
  %y = stablehlo.constant dense<[2.0, 2.0, 1.0, -0.0, 0.0, 0x7F80, 0x7F80, 0x7FC0, 1.0, 0x7FC0]> : tensor<10xbf16>
  %r = "stablehlo.compare"(%x, %y) {comparison_direction = #stablehlo<comparison_direction GT>} : (tensor<10xbf16>, tensor<10xbf16>) -> tensor<10xi1>
  check.expect_eq_const %r, dense<[false, false, true, false, false, false, false, false, false, false]> : tensor<10xi1>
  return
}

// -----

func.func @i8_GT() {
  %x = stablehlo.constant dense<[-128, -128, -128, -128, 127, 127, 127, 127, 0, 0, 0, 0, 1, 1, 1, 1]> : tensor<16xi8>
  %y = stablehlo.constant dense<[-128, 127, 0, 1, -128, 127, 0, 1, -128, 127, 0, 1, -128, 127, 0, 1]> : tensor<16xi8>
  %r = stablehlo.compare GT, %x, %y, SIGNED : (tensor<16xi8>, tensor<16xi8>) -> tensor<16xi1>
  check.expect_eq_const %r, dense<[false, false, false, false, true, false, true, true, true, false, false, false, true, false, true, false]> : tensor<16xi1>
  return
}

// -----

func.func @i64_GT() {
  %x = stablehlo.constant dense<[-9223372036854775808, -9223372036854775808, -9223372036854775808, -9223372036854775808, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807, 0, 0, 0, 0, 1, 1, 1, 1]> : tensor<16xi64>
  %y = stablehlo.constant dense<[-9223372036854775808, 9223372036854775807, 0, 1, -9223372036854775808, 9223372036854775807, 0, 1, -9223372036854775808, 9223372036854775807, 0, 1, -9223372036854775808, 9223372036854775807, 0, 1]> : tensor<16xi64>
  %r = stablehlo.compare GT, %x, %y, SIGNED : (tensor<16xi64>, tensor<16xi64>) -> tensor<16xi1>
  check.expect_eq_const %r, dense<[false, false, false, false, true, false, true, true, true, false, false, false, true, false, true, false]> : tensor<16xi1>
  return
}

// -----

func.func @ui8_GT() {
  %x = stablehlo.constant dense<[0, 0, 0, 0, 255, 255, 255, 255, 0, 0, 0, 0, 1, 1, 1, 1]> : tensor<16xui8>
  %y = stablehlo.constant dense<[0, 255, 0, 1, 0, 255, 0, 1, 0, 255, 0, 1, 0, 255, 0, 1]> : tensor<16xui8>
  %r = "stablehlo.compare"(%x, %y) {comparison_direction = #stablehlo<comparison_direction GT>, compare_type = #stablehlo<comparison_type UNSIGNED>} : (tensor<16xui8>, tensor<16xui8>) -> tensor<16xi1>
  check.expect_eq_const %r, dense<[false, false, false, false, true, false, true, true, false, false, false, false, true, false, true, false]> : tensor<16xi1>
  return
}

// -----

func.func @ui64_GT() {
  %x = stablehlo.constant dense<[0, 0, 0, 0, 18446744073709551615, 18446744073709551615, 18446744073709551615, 18446744073709551615, 0, 0, 0, 0, 1, 1, 1, 1]> : tensor<16xui64>
  %y = stablehlo.constant dense<[0, 18446744073709551615, 0, 1, 0, 18446744073709551615, 0, 1, 0, 18446744073709551615, 0, 1, 0, 18446744073709551615, 0, 1]> : tensor<16xui64>
  %r = stablehlo.compare GT, %x, %y, UNSIGNED : (tensor<16xui64>, tensor<16xui64>) -> tensor<16xi1>
  check.expect_eq_const %r, dense<[false, false, false, false, true, false, true, true, false, false, false, false, true, false, true, false]> : tensor<16xi1>
  return
}

// -----

func.func @i4_GT() {
  %x = stablehlo.constant dense<[-8, -8, -8, -8, 7, 7, 7, 7, 0, 0, 0, 0, 1, 1, 1, 1]> : tensor<16xi4>
  %y = stablehlo.constant dense<[-8, 7, 0, 1, -8, 7, 0, 1, -8, 7, 0, 1, -8, 7, 0, 1]> : tensor<16xi4>
  %r = stablehlo.compare GT, %x, %y : (tensor<16xi4>, tensor<16xi4>) -> tensor<16xi1>
  check.expect_eq_const %r, dense<[false, false, false, false, true, false, true, true, true, false, false, false, true, false, true, false]> : tensor<16xi1>
  return
}

// -----

func.func @i1_GT() {
  %x = stablehlo.constant dense<[false, false, true, true]> : tensor<4xi1>
  %y = stablehlo.constant dense<[false, true, false, true]> : tensor<4xi1>
  %r = stablehlo.compare GT, %x, %y, UNSIGNED : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  check.expect_eq_const %r, dense<[false, false, true, false]> : tensor<4xi1>
  return
}

// -----

func.func @complex_GT() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (1.0, 2.0), (2.0, 0.0), (1.0, 2.0)]> : tensor<4xcomplex<f32>>
  %y = stablehlo.constant dense<[(1.0, 2.0), (1.0, 3.0), (1.0, 5.0), (0.0, 9.0)]> : tensor<4xcomplex<f32>>
  %r = stablehlo.compare GT, %x, %y, FLOAT : (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>) -> tensor<4xi1>
  check.expect_eq_const %r, dense<[false, false, true, true]> : tensor<4xi1>
  return
}

// -----

func.func @f32_LE() {
  %x = stablehlo.constant dense<[1.0, 2.0, 3.0, 0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 0x7FC00000, 1.0]> : tensor<10xf32>
  %y = stablehlo.constant dense<[2.0, 2.0, 1.0, -0.0, 0.0, 0x7F800000, 0x7F800000, 0x7FC00000, 1.0, 0x7FC00000]> : tensor<10xf32>
  %r = stablehlo.compare LE, %x, %y, FLOAT : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xi1>
  check.expect_eq_const %r, dense<[true, true, false, true, true, true, true, false, false, false]> : tensor<10xi1>
  return
}

// -----

func.func @bf16_LE() {
  %x = stablehlo.constant dense<[1.0, 2.0, 3.0, 0.0, -0.0, 0x7F80, 0xFF80, 0x7FC0, 0x7FC0, 1.0]> : tensor<10xbf16>
  %y = stablehlo.constant dense<[2.0, 2.0, 1.0, -0.0, 0.0, 0x7F80, 0x7F80, 0x7FC0, 1.0, 0x7FC0]> : tensor<10xbf16>
  %r = "stablehlo.compare"(%x, %y) {comparison_direction = #stablehlo<comparison_direction LE>} : (tensor<10xbf16>, tensor<10xbf16>) -> tensor<10xi1>
  check.expect_eq_const %r, dense<[true, true, false, true, true, true, true, false, false, false]> : tensor<10xi1>
  return
}

// -----

func.func @i8_LE() {
  %x = stablehlo.constant dense<[-128, -128, -128, -128, 127, 127, 127, 127, 0, 0, 0, 0, 1, 1, 1, 1]> : tensor<16xi8>
  %y = stablehlo.constant dense<[-128, 127, 0, 1, -128, 127, 0, 1, -128, 127, 0, 1, -128, 127, 0, 1]> : tensor<16xi8>
  %r = stablehlo.compare LE, %x, %y, SIGNED : (tensor<16xi8>, tensor<16xi8>) -> tensor<16xi1>
  check.expect_eq_const %r, dense<[true, true, true, true, false, true, false, false, false, true, true, true, false, true, false, true]> : tensor<16xi1>
  return
}

// -----

func.func @i64_LE() {
  %x = stablehlo.constant dense<[-9223372036854775808, -9223372036854775808, -9223372036854775808, -9223372036854775808, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807, 0, 0, 0, 0, 1, 1, 1, 1]> : tensor<16xi64>
  %y = stablehlo.constant dense<[-9223372036854775808, 9223372036854775807, 0, 1, -9223372036854775808, 9223372036854775807, 0, 1, -9223372036854775808, 9223372036854775807, 0, 1, -9223372036854775808, 9223372036854775807, 0, 1]> : tensor<16xi64>
  %r = stablehlo.compare LE, %x, %y, SIGNED : (tensor<16xi64>, tensor<16xi64>) -> tensor<16xi1>
  check.expect_eq_const %r, dense<[true, true, true, true, false, true, false, false, false, true, true, true, false, true, false, true]> : tensor<16xi1>
  return
}

// -----

func.func @ui8_LE() {
  %x = stablehlo.constant dense<[0, 0, 0, 0, 255, 255, 255, 255, 0, 0, 0, 0, 1, 1, 1, 1]> : tensor<16xui8>
  %y = stablehlo.constant dense<[0, 255, 0, 1, 0, 255, 0, 1, 0, 255, 0, 1, 0, 255, 0, 1]> : tensor<16xui8>
  %r = "stablehlo.compare"(%x, %y) {comparison_direction = #stablehlo<comparison_direction LE>, compare_type = #stablehlo<comparison_type UNSIGNED>} : (tensor<16xui8>, tensor<16xui8>) -> tensor<16xi1>
  check.expect_eq_const %r, dense<[true, true, true, true, false, true, false, false, true, true, true, true, false, true, false, true]> : tensor<16xi1>
  return
}

// -----

func.func @ui64_LE() {
  %x = stablehlo.constant dense<[0, 0, 0, 0, 18446744073709551615, 18446744073709551615, 18446744073709551615, 18446744073709551615, 0, 0, 0, 0, 1, 1, 1, 1]> : tensor<16xui64>
  %y = stablehlo.constant dense<[0, 18446744073709551615, 0, 1, 0, 18446744073709551615, 0, 1, 0, 18446744073709551615, 0, 1, 0, 18446744073709551615, 0, 1]> : tensor<16xui64>
  %r = stablehlo.compare LE, %x, %y, UNSIGNED : (tensor<16xui64>, tensor<16xui64>) -> tensor<16xi1>
  check.expect_eq_const %r, dense<[true, true, true, true, false, true, false, false, true, true, true, true, false, true, false, true]> : tensor<16xi1>
  return
}

// -----

func.func @i4_LE() {
  %x = stablehlo.constant dense<[-8, -8, -8, -8, 7, 7, 7, 7, 0, 0, 0, 0, 1, 1, 1, 1]> : tensor<16xi4>
  %y = stablehlo.constant dense<[-8, 7, 0, 1, -8, 7, 0, 1, -8, 7, 0, 1, -8, 7, 0, 1]> : tensor<16xi4>
  %r = stablehlo.compare LE, %x, %y : (tensor<16xi4>, tensor<16xi4>) -> tensor<16xi1>
  check.expect_eq_const %r, dense<[true, true, true, true, false, true, false, false, false, true, true, true, false, true, false, true]> : tensor<16xi1>
  return
}

// -----

func.func @i1_LE() {
  %x = stablehlo.constant dense<[false, false, true, true]> : tensor<4xi1>
  %y = stablehlo.constant dense<[false, true, false, true]> : tensor<4xi1>
  %r = stablehlo.compare LE, %x, %y, UNSIGNED : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  check.expect_eq_const %r, dense<[true, true, false, true]> : tensor<4xi1>
  return
}

// -----

func.func @complex_LE() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (1.0, 2.0), (2.0, 0.0), (1.0, 2.0)]> : tensor<4xcomplex<f32>>
  %y = stablehlo.constant dense<[(1.0, 2.0), (1.0, 3.0), (1.0, 5.0), (0.0, 9.0)]> : tensor<4xcomplex<f32>>
  %r = stablehlo.compare LE, %x, %y, FLOAT : (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>) -> tensor<4xi1>
  check.expect_eq_const %r, dense<[true, true, false, false]> : tensor<4xi1>
  return
}

// -----

func.func @f32_LT() {
  %x = stablehlo.constant dense<[1.0, 2.0, 3.0, 0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 0x7FC00000, 1.0]> : tensor<10xf32>
  %y = stablehlo.constant dense<[2.0, 2.0, 1.0, -0.0, 0.0, 0x7F800000, 0x7F800000, 0x7FC00000, 1.0, 0x7FC00000]> : tensor<10xf32>
  %r = stablehlo.compare LT, %x, %y, FLOAT : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xi1>
  check.expect_eq_const %r, dense<[true, false, false, false, false, false, true, false, false, false]> : tensor<10xi1>
  return
}

// -----

func.func @bf16_LT() {
  %x = stablehlo.constant dense<[1.0, 2.0, 3.0, 0.0, -0.0, 0x7F80, 0xFF80, 0x7FC0, 0x7FC0, 1.0]> : tensor<10xbf16>
  %y = stablehlo.constant dense<[2.0, 2.0, 1.0, -0.0, 0.0, 0x7F80, 0x7F80, 0x7FC0, 1.0, 0x7FC0]> : tensor<10xbf16>
  %r = "stablehlo.compare"(%x, %y) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<10xbf16>, tensor<10xbf16>) -> tensor<10xi1>
  check.expect_eq_const %r, dense<[true, false, false, false, false, false, true, false, false, false]> : tensor<10xi1>
  return
}

// -----

func.func @i8_LT() {
  %x = stablehlo.constant dense<[-128, -128, -128, -128, 127, 127, 127, 127, 0, 0, 0, 0, 1, 1, 1, 1]> : tensor<16xi8>
  %y = stablehlo.constant dense<[-128, 127, 0, 1, -128, 127, 0, 1, -128, 127, 0, 1, -128, 127, 0, 1]> : tensor<16xi8>
  %r = stablehlo.compare LT, %x, %y, SIGNED : (tensor<16xi8>, tensor<16xi8>) -> tensor<16xi1>
  check.expect_eq_const %r, dense<[false, true, true, true, false, false, false, false, false, true, false, true, false, true, false, false]> : tensor<16xi1>
  return
}

// -----

func.func @i64_LT() {
  %x = stablehlo.constant dense<[-9223372036854775808, -9223372036854775808, -9223372036854775808, -9223372036854775808, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807, 0, 0, 0, 0, 1, 1, 1, 1]> : tensor<16xi64>
  %y = stablehlo.constant dense<[-9223372036854775808, 9223372036854775807, 0, 1, -9223372036854775808, 9223372036854775807, 0, 1, -9223372036854775808, 9223372036854775807, 0, 1, -9223372036854775808, 9223372036854775807, 0, 1]> : tensor<16xi64>
  %r = stablehlo.compare LT, %x, %y, SIGNED : (tensor<16xi64>, tensor<16xi64>) -> tensor<16xi1>
  check.expect_eq_const %r, dense<[false, true, true, true, false, false, false, false, false, true, false, true, false, true, false, false]> : tensor<16xi1>
  return
}

// -----

func.func @ui8_LT() {
  %x = stablehlo.constant dense<[0, 0, 0, 0, 255, 255, 255, 255, 0, 0, 0, 0, 1, 1, 1, 1]> : tensor<16xui8>
  %y = stablehlo.constant dense<[0, 255, 0, 1, 0, 255, 0, 1, 0, 255, 0, 1, 0, 255, 0, 1]> : tensor<16xui8>
  %r = "stablehlo.compare"(%x, %y) {comparison_direction = #stablehlo<comparison_direction LT>, compare_type = #stablehlo<comparison_type UNSIGNED>} : (tensor<16xui8>, tensor<16xui8>) -> tensor<16xi1>
  check.expect_eq_const %r, dense<[false, true, false, true, false, false, false, false, false, true, false, true, false, true, false, false]> : tensor<16xi1>
  return
}

// -----

func.func @ui64_LT() {
  %x = stablehlo.constant dense<[0, 0, 0, 0, 18446744073709551615, 18446744073709551615, 18446744073709551615, 18446744073709551615, 0, 0, 0, 0, 1, 1, 1, 1]> : tensor<16xui64>
  %y = stablehlo.constant dense<[0, 18446744073709551615, 0, 1, 0, 18446744073709551615, 0, 1, 0, 18446744073709551615, 0, 1, 0, 18446744073709551615, 0, 1]> : tensor<16xui64>
  %r = stablehlo.compare LT, %x, %y, UNSIGNED : (tensor<16xui64>, tensor<16xui64>) -> tensor<16xi1>
  check.expect_eq_const %r, dense<[false, true, false, true, false, false, false, false, false, true, false, true, false, true, false, false]> : tensor<16xi1>
  return
}

// -----

func.func @i4_LT() {
  %x = stablehlo.constant dense<[-8, -8, -8, -8, 7, 7, 7, 7, 0, 0, 0, 0, 1, 1, 1, 1]> : tensor<16xi4>
  %y = stablehlo.constant dense<[-8, 7, 0, 1, -8, 7, 0, 1, -8, 7, 0, 1, -8, 7, 0, 1]> : tensor<16xi4>
  %r = stablehlo.compare LT, %x, %y : (tensor<16xi4>, tensor<16xi4>) -> tensor<16xi1>
  check.expect_eq_const %r, dense<[false, true, true, true, false, false, false, false, false, true, false, true, false, true, false, false]> : tensor<16xi1>
  return
}

// -----

func.func @i1_LT() {
  %x = stablehlo.constant dense<[false, false, true, true]> : tensor<4xi1>
  %y = stablehlo.constant dense<[false, true, false, true]> : tensor<4xi1>
  %r = stablehlo.compare LT, %x, %y, UNSIGNED : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  check.expect_eq_const %r, dense<[false, true, false, false]> : tensor<4xi1>
  return
}

// -----

func.func @complex_LT() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (1.0, 2.0), (2.0, 0.0), (1.0, 2.0)]> : tensor<4xcomplex<f32>>
  %y = stablehlo.constant dense<[(1.0, 2.0), (1.0, 3.0), (1.0, 5.0), (0.0, 9.0)]> : tensor<4xcomplex<f32>>
  %r = stablehlo.compare LT, %x, %y, FLOAT : (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>) -> tensor<4xi1>
  check.expect_eq_const %r, dense<[false, true, false, false]> : tensor<4xi1>
  return
}

// -----

func.func @total_EQ() {
  %x = stablehlo.constant dense<[0xFFC00000, 0xFFC00000, 0xFFC00000, 0xFFC00000, 0xFFC00000, 0xFFC00000, 0xFFC00000, 0xFFC00000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000]> : tensor<64xf32>
  %y = stablehlo.constant dense<[0xFFC00000, 0xFF800000, -1.0, -0.0, 0.0, 1.0, 0x7F800000, 0x7FC00000, 0xFFC00000, 0xFF800000, -1.0, -0.0, 0.0, 1.0, 0x7F800000, 0x7FC00000, 0xFFC00000, 0xFF800000, -1.0, -0.0, 0.0, 1.0, 0x7F800000, 0x7FC00000, 0xFFC00000, 0xFF800000, -1.0, -0.0, 0.0, 1.0, 0x7F800000, 0x7FC00000, 0xFFC00000, 0xFF800000, -1.0, -0.0, 0.0, 1.0, 0x7F800000, 0x7FC00000, 0xFFC00000, 0xFF800000, -1.0, -0.0, 0.0, 1.0, 0x7F800000, 0x7FC00000, 0xFFC00000, 0xFF800000, -1.0, -0.0, 0.0, 1.0, 0x7F800000, 0x7FC00000, 0xFFC00000, 0xFF800000, -1.0, -0.0, 0.0, 1.0, 0x7F800000, 0x7FC00000]> : tensor<64xf32>
  %r = stablehlo.compare EQ, %x, %y, TOTALORDER : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xi1>
  check.expect_eq_const %r, dense<[true, false, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, false, true]> : tensor<64xi1>
  return
}

// -----

func.func @total_NE() {
  %x = stablehlo.constant dense<[0xFFC00000, 0xFFC00000, 0xFFC00000, 0xFFC00000, 0xFFC00000, 0xFFC00000, 0xFFC00000, 0xFFC00000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000]> : tensor<64xf32>
  %y = stablehlo.constant dense<[0xFFC00000, 0xFF800000, -1.0, -0.0, 0.0, 1.0, 0x7F800000, 0x7FC00000, 0xFFC00000, 0xFF800000, -1.0, -0.0, 0.0, 1.0, 0x7F800000, 0x7FC00000, 0xFFC00000, 0xFF800000, -1.0, -0.0, 0.0, 1.0, 0x7F800000, 0x7FC00000, 0xFFC00000, 0xFF800000, -1.0, -0.0, 0.0, 1.0, 0x7F800000, 0x7FC00000, 0xFFC00000, 0xFF800000, -1.0, -0.0, 0.0, 1.0, 0x7F800000, 0x7FC00000, 0xFFC00000, 0xFF800000, -1.0, -0.0, 0.0, 1.0, 0x7F800000, 0x7FC00000, 0xFFC00000, 0xFF800000, -1.0, -0.0, 0.0, 1.0, 0x7F800000, 0x7FC00000, 0xFFC00000, 0xFF800000, -1.0, -0.0, 0.0, 1.0, 0x7F800000, 0x7FC00000]> : tensor<64xf32>
  %r = stablehlo.compare NE, %x, %y, TOTALORDER : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xi1>
  check.expect_eq_const %r, dense<[false, true, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, true, false]> : tensor<64xi1>
  return
}

// -----

func.func @total_GE() {
  %x = stablehlo.constant dense<[0xFFC00000, 0xFFC00000, 0xFFC00000, 0xFFC00000, 0xFFC00000, 0xFFC00000, 0xFFC00000, 0xFFC00000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000]> : tensor<64xf32>
  %y = stablehlo.constant dense<[0xFFC00000, 0xFF800000, -1.0, -0.0, 0.0, 1.0, 0x7F800000, 0x7FC00000, 0xFFC00000, 0xFF800000, -1.0, -0.0, 0.0, 1.0, 0x7F800000, 0x7FC00000, 0xFFC00000, 0xFF800000, -1.0, -0.0, 0.0, 1.0, 0x7F800000, 0x7FC00000, 0xFFC00000, 0xFF800000, -1.0, -0.0, 0.0, 1.0, 0x7F800000, 0x7FC00000, 0xFFC00000, 0xFF800000, -1.0, -0.0, 0.0, 1.0, 0x7F800000, 0x7FC00000, 0xFFC00000, 0xFF800000, -1.0, -0.0, 0.0, 1.0, 0x7F800000, 0x7FC00000, 0xFFC00000, 0xFF800000, -1.0, -0.0, 0.0, 1.0, 0x7F800000, 0x7FC00000, 0xFFC00000, 0xFF800000, -1.0, -0.0, 0.0, 1.0, 0x7F800000, 0x7FC00000]> : tensor<64xf32>
  %r = stablehlo.compare GE, %x, %y, TOTALORDER : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xi1>
  check.expect_eq_const %r, dense<[true, false, false, false, false, false, false, false, true, true, false, false, false, false, false, false, true, true, true, false, false, false, false, false, true, true, true, true, false, false, false, false, true, true, true, true, true, false, false, false, true, true, true, true, true, true, false, false, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, true]> : tensor<64xi1>
  return
}

// -----

func.func @total_GT() {
  %x = stablehlo.constant dense<[0xFFC00000, 0xFFC00000, 0xFFC00000, 0xFFC00000, 0xFFC00000, 0xFFC00000, 0xFFC00000, 0xFFC00000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000]> : tensor<64xf32>
  %y = stablehlo.constant dense<[0xFFC00000, 0xFF800000, -1.0, -0.0, 0.0, 1.0, 0x7F800000, 0x7FC00000, 0xFFC00000, 0xFF800000, -1.0, -0.0, 0.0, 1.0, 0x7F800000, 0x7FC00000, 0xFFC00000, 0xFF800000, -1.0, -0.0, 0.0, 1.0, 0x7F800000, 0x7FC00000, 0xFFC00000, 0xFF800000, -1.0, -0.0, 0.0, 1.0, 0x7F800000, 0x7FC00000, 0xFFC00000, 0xFF800000, -1.0, -0.0, 0.0, 1.0, 0x7F800000, 0x7FC00000, 0xFFC00000, 0xFF800000, -1.0, -0.0, 0.0, 1.0, 0x7F800000, 0x7FC00000, 0xFFC00000, 0xFF800000, -1.0, -0.0, 0.0, 1.0, 0x7F800000, 0x7FC00000, 0xFFC00000, 0xFF800000, -1.0, -0.0, 0.0, 1.0, 0x7F800000, 0x7FC00000]> : tensor<64xf32>
  %r = stablehlo.compare GT, %x, %y, TOTALORDER : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xi1>
  check.expect_eq_const %r, dense<[false, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, true, true, false, false, false, false, false, false, true, true, true, false, false, false, false, false, true, true, true, true, false, false, false, false, true, true, true, true, true, false, false, false, true, true, true, true, true, true, false, false, true, true, true, true, true, true, true, false]> : tensor<64xi1>
  return
}

// -----

func.func @total_LE() {
  %x = stablehlo.constant dense<[0xFFC00000, 0xFFC00000, 0xFFC00000, 0xFFC00000, 0xFFC00000, 0xFFC00000, 0xFFC00000, 0xFFC00000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000]> : tensor<64xf32>
  %y = stablehlo.constant dense<[0xFFC00000, 0xFF800000, -1.0, -0.0, 0.0, 1.0, 0x7F800000, 0x7FC00000, 0xFFC00000, 0xFF800000, -1.0, -0.0, 0.0, 1.0, 0x7F800000, 0x7FC00000, 0xFFC00000, 0xFF800000, -1.0, -0.0, 0.0, 1.0, 0x7F800000, 0x7FC00000, 0xFFC00000, 0xFF800000, -1.0, -0.0, 0.0, 1.0, 0x7F800000, 0x7FC00000, 0xFFC00000, 0xFF800000, -1.0, -0.0, 0.0, 1.0, 0x7F800000, 0x7FC00000, 0xFFC00000, 0xFF800000, -1.0, -0.0, 0.0, 1.0, 0x7F800000, 0x7FC00000, 0xFFC00000, 0xFF800000, -1.0, -0.0, 0.0, 1.0, 0x7F800000, 0x7FC00000, 0xFFC00000, 0xFF800000, -1.0, -0.0, 0.0, 1.0, 0x7F800000, 0x7FC00000]> : tensor<64xf32>
  %r = stablehlo.compare LE, %x, %y, TOTALORDER : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xi1>
  check.expect_eq_const %r, dense<[true, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, false, false, true, true, true, true, true, true, false, false, false, true, true, true, true, true, false, false, false, false, true, true, true, true, false, false, false, false, false, true, true, true, false, false, false, false, false, false, true, true, false, false, false, false, false, false, false, true]> : tensor<64xi1>
  return
}

// -----

func.func @total_LT() {
  %x = stablehlo.constant dense<[0xFFC00000, 0xFFC00000, 0xFFC00000, 0xFFC00000, 0xFFC00000, 0xFFC00000, 0xFFC00000, 0xFFC00000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000]> : tensor<64xf32>
  %y = stablehlo.constant dense<[0xFFC00000, 0xFF800000, -1.0, -0.0, 0.0, 1.0, 0x7F800000, 0x7FC00000, 0xFFC00000, 0xFF800000, -1.0, -0.0, 0.0, 1.0, 0x7F800000, 0x7FC00000, 0xFFC00000, 0xFF800000, -1.0, -0.0, 0.0, 1.0, 0x7F800000, 0x7FC00000, 0xFFC00000, 0xFF800000, -1.0, -0.0, 0.0, 1.0, 0x7F800000, 0x7FC00000, 0xFFC00000, 0xFF800000, -1.0, -0.0, 0.0, 1.0, 0x7F800000, 0x7FC00000, 0xFFC00000, 0xFF800000, -1.0, -0.0, 0.0, 1.0, 0x7F800000, 0x7FC00000, 0xFFC00000, 0xFF800000, -1.0, -0.0, 0.0, 1.0, 0x7F800000, 0x7FC00000, 0xFFC00000, 0xFF800000, -1.0, -0.0, 0.0, 1.0, 0x7F800000, 0x7FC00000]> : tensor<64xf32>
  %r = stablehlo.compare LT, %x, %y, TOTALORDER : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xi1>
  check.expect_eq_const %r, dense<[false, true, true, true, true, true, true, true, false, false, true, true, true, true, true, true, false, false, false, true, true, true, true, true, false, false, false, false, true, true, true, true, false, false, false, false, false, true, true, true, false, false, false, false, false, false, true, true, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, false]> : tensor<64xi1>
  return
}

// -----

func.func @quantized() {
  %s = stablehlo.constant dense<[2, 4, -4, 1]> : tensor<4xi8>
  %t = stablehlo.constant dense<[6, 6, -6, 5]> : tensor<4xi8>
  %x = stablehlo.bitcast_convert %s : (tensor<4xi8>) -> tensor<4x!quant.uniform<i8:f32, 0.5:0>>
  %y = stablehlo.bitcast_convert %t : (tensor<4xi8>) -> tensor<4x!quant.uniform<i8:f32, 0.25:2>>
  %r = stablehlo.compare LT, %x, %y : (tensor<4x!quant.uniform<i8:f32, 0.5:0>>, tensor<4x!quant.uniform<i8:f32, 0.25:2>>) -> tensor<4xi1>
  check.expect_eq_const %r, dense<[false, false, false, true]> : tensor<4xi1>
  return
}

// -----

func.func @scalar_and_empty() {
  %x = stablehlo.constant dense<3> : tensor<i32>
  %r = stablehlo.compare EQ, %x, %x : (tensor<i32>, tensor<i32>) -> tensor<i1>
  check.expect_eq_const %r, dense<true> : tensor<i1>
  %e = stablehlo.constant dense<> : tensor<0xf32>
  %s = stablehlo.compare LT, %e, %e : (tensor<0xf32>, tensor<0xf32>) -> tensor<0xi1>
  check.expect_eq_const %s, dense<> : tensor<0xi1>
  return
}
