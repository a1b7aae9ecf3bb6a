// RUN: tessera check %s

func.func @ceil_f32() {
  %x = stablehlo.constant dense<[-2.5, -1.0, -0.5, -0.0, 0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 10.0, 0x7F800000, 0xFF800000, 0x7FC00000, 2.25, -2.25]> : tensor<16xf32>
  %r = stablehlo.ceil %x : tensor<16xf32>
  %expected = stablehlo.constant dense<[-2.0, -1.0, -0.0, -0.0, 0.0, 1.0, 1.0, 1.0, 2.0, 2.0, 10.0, 0x7F800000, 0xFF800000, 0x7FC00000, 3.0, -2.0]> : tensor<16xf32>
  check.expect_close %r, %expected, max_ulp_difference = 0 : tensor<16xf32>, tensor<16xf32>
  return
}

// -----

func.func @ceil_f64() {
  %x = stablehlo.constant dense<[-2.5, -1.0, -0.5, -0.0, 0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 10.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 2.25, -2.25]> : tensor<16xf64>
  %r = "stablehlo.ceil"(%x) : (tensor<16xf64>) -> tensor<16xf64>
  %expected = stablehlo.constant dense<[-2.0, -1.0, -0.0, -0.0, 0.0, 1.0, 1.0, 1.0, 2.0, 2.0, 10.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 3.0, -2.0]> : tensor<16xf64>
  check.expect_close %r, %expected, max_ulp_difference = 0 : tensor<16xf64>, tensor<16xf64>
  return
}

// -----

func.func @ceil_bf16() {
  %x = stablehlo.constant dense<[-2.5, -1.0, -0.5, -0.0, 0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 10.0, 0x7F80, 0xFF80, 0x7FC0, 2.25, -2.25]> : tensor<16xbf16>
  %r = stablehlo.ceil %x : tensor<16xbf16>
  %expected = stablehlo.constant dense<[-2.0, -1.0, -0.0, -0.0, 0.0, 1.0, 1.0, 1.0, 2.0, 2.0, 10.0, 0x7F80, 0xFF80, 0x7FC0, 3.0, -2.0]> : tensor<16xbf16>
  check.expect_close %r, %expected, max_ulp_difference = 0 : tensor<16xbf16>, tensor<16xbf16>
  return
}

// -----

func.func @ceil_f16() {
  %x = stablehlo.constant dense<[-2.5, -1.0, -0.5, -0.0, 0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 10.0, 0x7C00, 0xFC00, 0x7E00, 2.25, -2.25]> : tensor<16xf16>
  %r = stablehlo.ceil %x : tensor<16xf16>
  %expected = stablehlo.constant dense<[-2.0, -1.0, -0.0, -0.0, 0.0, 1.0, 1.0, 1.0, 2.0, 2.0, 10.0, 0x7C00, 0xFC00, 0x7E00, 3.0, -2.0]> : tensor<16xf16>
  check.expect_close %r, %expected, max_ulp_difference = 0 : tensor<16xf16>, tensor<16xf16>
  return
}

// -----

func.func @scalar() {
  %x = stablehlo.constant dense<0.5> : tensor<f32>
  %r = "stablehlo.ceil"(%x) : (tensor<f32>) -> tensor<f32>
  check.expect_eq_const %r, dense<1.0> : tensor<f32>
  return
}

// -----

func.func @empty() {
  %x = stablehlo.constant dense<> : tensor<2x0xf32>
  %r = "stablehlo.ceil"(%x) : (tensor<2x0xf32>) -> tensor<2x0xf32>
  check.expect_eq_const %r, dense<> : tensor<2x0xf32>
  return
}

// -----

func.func @quantized() {
  %s = stablehlo.constant dense<[-40, -8, -3, 0, 5, 20, 100]> : tensor<7xi8>
  %x = stablehlo.bitcast_convert %s : (tensor<7xi8>) -> tensor<7x!quant.uniform<i8:f32, 0.25:-3>>
  %r = stablehlo.ceil %x : (tensor<7x!quant.uniform<i8:f32, 0.25:-3>>) -> tensor<7x!quant.uniform<i8:f32, 0.5:2>>
  %b = stablehlo.bitcast_convert %r : (tensor<7x!quant.uniform<i8:f32, 0.5:2>>) -> tensor<7xi8>
  check.expect_eq_const %b, dense<[-16, 0, 2, 4, 6, 14, 54]> : tensor<7xi8>
  return
}
