// RUN: tessera check %s

func.func @erf_f32() {
  %x = stablehlo.constant dense<[-2.5, -1.0, -0.0, 0.0, 0.125, 0.5, 1.0, 2.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<11xf32>
  %r = chlo.erf %x : tensor<11xf32> -> tensor<11xf32>
  %expected = stablehlo.constant dense<[-0.999593, -0.8427008, -0.0, 0.0, 0.1403162, 0.5204999, 0.8427008, 0.9953223, 1.0, -1.0, 0x7FC00000]> : tensor<11xf32>
  check.expect_close %r, %expected, max_ulp_difference = 8 : tensor<11xf32>, tensor<11xf32>
  return
}

// -----

func.func @erf_f64() {
  %x = stablehlo.constant dense<[-2.5, -1.0, -0.0, 0.0, 0.125, 0.5, 1.0, 2.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<11xf64>
  %r = "chlo.erf"(%x) : (tensor<11xf64>) -> tensor<11xf64>
  %expected = stablehlo.constant dense<[-0.999593047982555, -0.8427007929497149, -0.0, 0.0, 0.1403162048013338, 0.5204998778130465, 0.8427007929497149, 0.9953222650189527, 1.0, -1.0, 0x7FF8000000000000]> : tensor<11xf64>
  check.expect_close %r, %expected, max_ulp_difference = 8 : tensor<11xf64>, tensor<11xf64>
  return
}

// -----

func.func @erf_bf16() {
  %x = stablehlo.constant dense<[-2.5, -1.0, -0.0, 0.0, 0.125, 0.5, 1.0, 2.0, 0x7F80, 0xFF80, 0x7FC0]> : tensor<11xbf16>
  %r = chlo.erf %x : tensor<11xbf16> -> tensor<11xbf16>
  %expected = stablehlo.constant dense<[-1.0, -0.84375, -0.0, 0.0, 0.140625, 0.51953125, 0.84375, 0.99609375, 1.0, -1.0, 0x7FC0]> : tensor<11xbf16>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<11xbf16>, tensor<11xbf16>
  return
}

// -----

func.func @erf_f16() {
  %x = stablehlo.constant dense<[-2.5, -1.0, -0.0, 0.0, 0.125, 0.5, 1.0, 2.0, 0x7C00, 0xFC00, 0x7E00]> : tensor<11xf16>
  %r = chlo.erf %x : tensor<11xf16> -> tensor<11xf16>
  %expected = stablehlo.constant dense<[-0.99951171875, -0.8427734375, -0.0, 0.0, 0.1402587890625, 0.5205078125, 0.8427734375, 0.9951171875, 1.0, -1.0, 0x7E00]> : tensor<11xf16>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<11xf16>, tensor<11xf16>
  return
}

// -----

func.func @scalar() {
  %x = stablehlo.constant dense<0.5> : tensor<f32>
  %r = "chlo.erf"(%x) : (tensor<f32>) -> tensor<f32>
  %expected = stablehlo.constant dense<0.5204999> : tensor<f32>
  check.expect_close %r, %expected, max_ulp_difference = 8 : tensor<f32>, tensor<f32>
  return
}

// -----

func.func @empty() {
  %x = stablehlo.constant dense<> : tensor<2x0xf32>
  %r = "chlo.erf"(%x) : (tensor<2x0xf32>) -> tensor<2x0xf32>
  check.expect_eq_const %r, dense<> : tensor<2x0xf32>
  return
}
