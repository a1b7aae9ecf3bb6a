// RUN: tessera check %s

func.func @erfc_f32() {
  %x = stablehlo.constant dense<[-2.5, -1.0, 0.0, 0.125, 0.5, 1.0, 2.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<10xf32>
  %r = chlo.erfc %x : tensor<10xf32> -> tensor<10xf32>
  %expected = stablehlo.constant dense<[1.999593, 1.8427008, 1.0, 0.8596838, 0.47950011, 0.1572992, 0.004677735, 0.0, 2.0, 0x7FC00000]> : tensor<10xf32>
  check.expect_close %r, %expected, max_ulp_difference = 16 : tensor<10xf32>, tensor<10xf32>
  return
}

// -----

func.func @erfc_f64() {
  %x = stablehlo.constant dense<[-2.5, -1.0, 0.0, 0.125, 0.5, 1.0, 2.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<10xf64>
  %r = "chlo.erfc"(%x) : (tensor<10xf64>) -> tensor<10xf64>
  %expected = stablehlo.constant dense<[1.999593047982555, 1.8427007929497148, 1.0, 0.8596837951986662, 0.4795001221869535, 0.15729920705028513, 0.004677734981047266, 0.0, 2.0, 0x7FF8000000000000]> : tensor<10xf64>
  check.expect_close %r, %expected, max_ulp_difference = 16 : tensor<10xf64>, tensor<10xf64>
  return
}

// -----

func.func @erfc_bf16() {
  %x = stablehlo.constant dense<[-2.5, -1.0, 0.0, 0.125, 0.5, 1.0, 2.0, 0x7F80, 0xFF80, 0x7FC0]> : tensor<10xbf16>
  %r = chlo.erfc %x : tensor<10xbf16> -> tensor<10xbf16>
  %expected = stablehlo.constant dense<[2.0, 1.84375, 1.0, 0.859375, 0.48046875, 0.1572265625, 0.004669189453125, 0.0, 2.0, 0x7FC0]> : tensor<10xbf16>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<10xbf16>, tensor<10xbf16>
  return
}

// -----

func.func @erfc_f16() {
  %x = stablehlo.constant dense<[-2.5, -1.0, 0.0, 0.125, 0.5, 1.0, 2.0, 0x7C00, 0xFC00, 0x7E00]> : tensor<10xf16>
  %r = chlo.erfc %x : tensor<10xf16> -> tensor<10xf16>
  %expected = stablehlo.constant dense<[2.0, 1.8427734375, 1.0, 0.85986328125, 0.4794921875, 0.1573486328125, 0.00467681884765625, 0.0, 2.0, 0x7E00]> : tensor<10xf16>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<10xf16>, tensor<10xf16>
  return
}

// -----

func.func @scalar() {
  %x = stablehlo.constant dense<0.5> : tensor<f32>
  %r = "chlo.erfc"(%x) : (tensor<f32>) -> tensor<f32>
  %expected = stablehlo.constant dense<0.47950011> : tensor<f32>
  check.expect_close %r, %expected, max_ulp_difference = 16 : tensor<f32>, tensor<f32>
  return
}

// -----

func.func @empty() {
  %x = stablehlo.constant dense<> : tensor<2x0xf32>
  %r = "chlo.erfc"(%x) : (tensor<2x0xf32>) -> tensor<2x0xf32>
  check.expect_eq_const %r, dense<> : tensor<2x0xf32>
  return
}
