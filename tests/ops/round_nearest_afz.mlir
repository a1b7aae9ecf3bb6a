// RUN: tessera check %s

func.func @round_nearest_afz_f32() {
  %x = stablehlo.constant dense<[-2.5, -1.5, -0.5, -0.25, 0.0, 0.25, 0.5, 1.5, 2.5, 3.0, 0x7F800000, 0xFF800000]> : tensor<12xf32>
  %r = stablehlo.round_nearest_afz %x : tensor<12xf32>
  check.expect_eq_const %r, dense<[-3.0, -2.0, -1.0, -0.0, 0.0, 0.0, 1.0, 2.0, 3.0, 3.0, 0x7F800000, 0xFF800000]> : tensor<12xf32>
  return
}

// -----

func.func @round_nearest_afz_f64() {
  %x = stablehlo.constant dense<[-2.5, -1.5, -0.5, -0.25, 0.0, 0.25, 0.5, 1.5, 2.5, 3.0, 0x7FF0000000000000, 0xFFF0000000000000]> : tensor<12xf64>
  %r = "stablehlo.round_nearest_afz"(%x) : (tensor<12xf64>) -> tensor<12xf64>
  check.expect_eq_const %r, dense<[-3.0, -2.0, -1.0, -0.0, 0.0, 0.0, 1.0, 2.0, 3.0, 3.0, 0x7FF0000000000000, 0xFFF0000000000000]> : tensor<12xf64>
  return
}

// -----

func.func @round_nearest_afz_bf16() {
  %x = stablehlo.constant dense<[-2.5, -1.5, -0.5, -0.25, 0.0, 0.25, 0.5, 1.5, 2.5, 3.0, 0x7F80, 0xFF80]> : tensor<12xbf16>
  %r = stablehlo.round_nearest_afz %x : tensor<12xbf16>
  check.expect_eq_const %r, dense<[-3.0, -2.0, -1.0, -0.0, 0.0, 0.0, 1.0, 2.0, 3.0, 3.0, 0x7F80, 0xFF80]> : tensor<12xbf16>
  return
}

// -----

func.func @round_nearest_afz_f16() {
  %x = stablehlo.constant dense<[-2.5, -1.5, -0.5, -0.25, 0.0, 0.25, 0.5, 1.5, 2.5, 3.0, 0x7C00, 0xFC00]> : tensor<12xf16>
  %r = stablehlo.round_nearest_afz %x : tensor<12xf16>
  check.expect_eq_const %r, dense<[-3.0, -2.0, -1.0, -0.0, 0.0, 0.0, 1.0, 2.0, 3.0, 3.0, 0x7C00, 0xFC00]> : tensor<12xf16>
  return
}

// -----

func.func @scalar() {
  %x = stablehlo.constant dense<0.5> : tensor<f32>
  %r = "stablehlo.round_nearest_afz"(%x) : (tensor<f32>) -> tensor<f32>
  check.expect_eq_const %r, dense<1.0> : tensor<f32>
  return
}

// -----

func.func @empty() {
  %x = stablehlo.constant dense<> : tensor<2x0xf32>
  %r = "stablehlo.round_nearest_afz"(%x) : (tensor<2x0xf32>) -> tensor<2x0xf32>
  check.expect_eq_const %r, dense<> : tensor<2x0xf32>
  return
}

// -----

func.func @quantized() {
  %s = stablehlo.constant dense<[-40, -8, -3, 0, 5, 20, 100]> : tensor<7xi8>
  %x = stablehlo.bitcast_convert %s : (tensor<7xi8>) -> tensor<7x!quant.uniform<i8:f32, 0.25:-3>>
  %r = stablehlo.round_nearest_afz %x : (tensor<7x!quant.uniform<i8:f32, 0.25:-3>>) -> tensor<7x!quant.uniform<i8:f32, 0.5:2>>
  %b = stablehlo.bitcast_convert %r : (tensor<7x!quant.uniform<i8:f32, 0.5:2>>) -> tensor<7xi8>
  check.expect_eq_const %b, dense<[-16, 0, 2, 4, 6, 14, 54]> : tensor<7xi8>
  return
}
