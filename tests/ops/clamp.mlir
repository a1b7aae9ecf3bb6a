// RUN: tessera check %s

func.func @f32() {
  %lo = stablehlo.constant dense<[0.0, 1.0, -1.0, 0x7FC00000, 0.0]> : tensor<5xf32>
  %x = stablehlo.constant dense<[-1.0, 0.5, 3.0, 1.0, 0x7FC00000]> : tensor<5xf32>
  %hi = stablehlo.constant dense<[1.0, 2.0, 2.0, 2.0, 1.0]> : tensor<5xf32>
  %r = stablehlo.clamp %lo, %x, %hi : tensor<5xf32>
  %expected = stablehlo.constant dense<[0.0, 1.0, 2.0, 0x7FC00000, 0x7FC00000]> : tensor<5xf32>
  check.expect_close %r, %expected, max_ulp_difference = 0 : tensor<5xf32>, tensor<5xf32>
  return
}

// -----

func.func @f64_scalar() {
  %lo = stablehlo.constant dense<0.5> : tensor<f64>
  %x = stablehlo.constant dense<[-1.0, 0.75, 3.0, 0x7FF0000000000000, 0xFFF0000000000000]> : tensor<5xf64>
  %hi = stablehlo.constant dense<2.5> : tensor<f64>
  %r = "stablehlo.clamp"(%lo, %x, %hi) : (tensor<f64>, tensor<5xf64>, tensor<f64>) -> tensor<5xf64>
  %expected = stablehlo.constant dense<[0.5, 0.75, 2.5, 2.5, 0.5]> : tensor<5xf64>
  check.expect_close %r, %expected, max_ulp_difference = 0 : tensor<5xf64>, tensor<5xf64>
  return
}

// -----

func.func @i8() {
  %lo = stablehlo.constant dense<[-128, 0, 5]> : tensor<3xi8>
  %x = stablehlo.constant dense<[-128, -4, 127]> : tensor<3xi8>
  %hi = stablehlo.constant dense<[127, 3, 6]> : tensor<3xi8>
  %r = stablehlo.clamp %lo, %x, %hi : tensor<3xi8>
  check.expect_eq_const %r, dense<[-128, 0, 6]> : tensor<3xi8>
  return
}

// -----

func.func @i64_scalar() {
  %lo = stablehlo.constant dense<-2> : tensor<i64>
  %x = stablehlo.constant dense<[-9223372036854775808, 0, 9223372036854775807]> : tensor<3xi64>
  %hi = stablehlo.constant dense<3> : tensor<i64>
  %r = "stablehlo.clamp"(%lo, %x, %hi) : (tensor<i64>, tensor<3xi64>, tensor<i64>) -> tensor<3xi64>
  check.expect_eq_const %r, dense<[-2, 0, 3]> : tensor<3xi64>
  return
}

// -----

func.func @ui8_scalar() {
  %lo = stablehlo.constant dense<5> : tensor<ui8>
  %x = stablehlo.constant dense<[0, 7, 255]> : tensor<3xui8>
  %hi = stablehlo.constant dense<200> : tensor<ui8>
  %r = "stablehlo.clamp"(%lo, %x, %hi) : (tensor<ui8>, tensor<3xui8>, tensor<ui8>) -> tensor<3xui8>
  check.expect_eq_const %r, dense<[5, 7, 200]> : tensor<3xui8>
  return
}

// -----

func.func @max_wins() {
  %lo = stablehlo.constant dense<[5]> : tensor<1xi32>
  %x = stablehlo.constant dense<[0]> : tensor<1xi32>
  %hi = stablehlo.constant dense<[1]> : tensor<1xi32>
  %r = stablehlo.clamp %lo, %x, %hi : tensor<1xi32>
  check.expect_eq_const %r, dense<[1]> : tensor<1xi32>
  return
}

// -----

func.func @bf16() {
  %lo = stablehlo.constant dense<[0.5, 0.5]> : tensor<2xbf16>
  %x = stablehlo.constant dense<[0.0, 4.0]> : tensor<2xbf16>
  %hi = stablehlo.constant dense<[2.0, 2.0]> : tensor<2xbf16>
  %r = stablehlo.clamp %lo, %x, %hi : tensor<2xbf16>
  %expected = stablehlo.constant dense<[0.5, 2.0]> : tensor<2xbf16>
  check.expect_close %r, %expected, max_ulp_difference = 0 : tensor<2xbf16>, tensor<2xbf16>
  return
}

// -----

func.func @quantized() {
  %s = stablehlo.constant dense<[-100, 3, 100]> : tensor<3xi8>
  %l = stablehlo.constant dense<-9> : tensor<i8>
  %h = stablehlo.constant dense<21> : tensor<i8>
  %x = stablehlo.bitcast_convert %s : (tensor<3xi8>) -> tensor<3x!quant.uniform<i8:f32, 0.5:1>>
  %lo = stablehlo.bitcast_convert %l : (tensor<i8>) -> tensor<!quant.uniform<i8:f32, 0.5:1>>
  %hi = stablehlo.bitcast_convert %h : (tensor<i8>) -> tensor<!quant.uniform<i8:f32, 0.5:1>>
  %r = "stablehlo.clamp"(%lo, %x, %hi) : (tensor<!quant.uniform<i8:f32, 0.5:1>>, tensor<3x!quant.uniform<i8:f32, 0.5:1>>, tensor<!quant.uniform<i8:f32, 0.5:1>>) -> tensor<3x!quant.uniform<i8:f32, 0.5:1>>
  %b = stablehlo.bitcast_convert %r : (tensor<3x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<3xi8>
  check.expect_eq_const %b, dense<[-9, 3, 21]> : tensor<3xi8>
  return
}
