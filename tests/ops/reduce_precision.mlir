// RUN: tessera check %s

func.func @to_f16() {
  %x = stablehlo.constant dense<[1.0, 1.00048828125, 1.00146484375, 65519.0, 65520.0, 6.1035e-05, 6.0e-05, -6.0e-05, 0x7FC00000, 0xFF800000]> : tensor<10xf32>
  %r = stablehlo.reduce_precision %x, format = e5m10 : tensor<10xf32>
  %expected = stablehlo.constant dense<[1.0, 1.0, 1.001953125, 65504.0, 0x7F800000, 6.103515625e-05, 0.0, -0.0, 0x7FC00000, 0xFF800000]> : tensor<10xf32>
  check.expect_close %r, %expected, max_ulp_difference = 0 : tensor<10xf32>, tensor<10xf32>
  return
}

// -----

func.func @to_bf16() {
  %x = stablehlo.constant dense<[1.00390625, 1.01171875, 3.4e38]> : tensor<3xf32>
  %r = "stablehlo.reduce_precision"(%x) {exponent_bits = 8 : i32, mantissa_bits = 7 : i32} : (tensor<3xf32>) -> tensor<3xf32>
  check.expect_eq_const %r, dense<[1.0, 1.015625, 0x7F800000]> : tensor<3xf32>
  return
}

// -----

func.func @no_mantissa() {
  %x = stablehlo.constant dense<[1.25, 1.5, 3.0, 0x7FF8000000000000]> : tensor<4xf64>
  %r = stablehlo.reduce_precision %x, format = e11m0 : tensor<4xf64>
  check.expect_eq_const %r, dense<[1.0, 2.0, 2.0, 0x7FF0000000000000]> : tensor<4xf64>
  return
}

// -----

func.func @wider_than_the_type() {
  %x = stablehlo.constant dense<[1.0009765625, 5.9604644775390625e-08, 65504.0]> : tensor<3xf16>
  %r = stablehlo.reduce_precision %x, format = e8m23 : tensor<3xf16>
  check.expect_eq_const %r, dense<[1.0009765625, 5.9604644775390625e-08, 65504.0]> : tensor<3xf16>
  return
}

// -----

// A type without infinities: what is too big becomes its NaN.
func.func @f8() {
  %x = stablehlo.constant dense<[1.125, 1.875, 448.0, 2.5]> : tensor<4xf8E4M3FN>
  %r = stablehlo.reduce_precision %x, format = e3m1 : tensor<4xf8E4M3FN>
  %b = stablehlo.bitcast_convert %r : (tensor<4xf8E4M3FN>) -> tensor<4xui8>
  // 1.0, 2.0, NaN, 2.0
  check.expect_eq_const %b, dense<[0x38, 0x40, 0x7F, 0x40]> : tensor<4xui8>
  return
}
