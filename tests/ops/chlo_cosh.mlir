// RUN: tessera check %s

func.func @cosh_f32() {
  %x = stablehlo.constant dense<[-2.5, -1.0, -0.0, 0.0, 0.5, 1.0, 3.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<10xf32>
  %r = chlo.cosh %x : tensor<10xf32> -> tensor<10xf32>
  %expected = stablehlo.constant dense<[6.1322894, 1.5430807, 1.0, 1.0, 1.127626, 1.5430807, 10.067662, 0x7F800000, 0x7F800000, 0x7FC00000]> : tensor<10xf32>
  check.expect_close %r, %expected, max_ulp_difference = 8 : tensor<10xf32>, tensor<10xf32>
  return
}

// -----

func.func @cosh_f64() {
  %x = stablehlo.constant dense<[-2.5, -1.0, -0.0, 0.0, 0.5, 1.0, 3.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<10xf64>
  %r = "chlo.cosh"(%x) : (tensor<10xf64>) -> tensor<10xf64>
  %expected = stablehlo.constant dense<[6.132289479663686, 1.5430806348152437, 1.0, 1.0, 1.1276259652063807, 1.5430806348152437, 10.067661995777765, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF8000000000000]> : tensor<10xf64>
  check.expect_close %r, %expected, max_ulp_difference = 8 : tensor<10xf64>, tensor<10xf64>
  return
}

// -----

func.func @cosh_bf16() {
  %x = stablehlo.constant dense<[-2.5, -1.0, -0.0, 0.0, 0.5, 1.0, 3.0, 0x7F80, 0xFF80, 0x7FC0]> : tensor<10xbf16>
  %r = chlo.cosh %x : tensor<10xbf16> -> tensor<10xbf16>
  %expected = stablehlo.constant dense<[6.125, 1.546875, 1.0, 1.0, 1.125, 1.546875, 10.0625, 0x7F80, 0x7F80, 0x7FC0]> : tensor<10xbf16>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<10xbf16>, tensor<10xbf16>
  return
}

// -----

func.func @cosh_f16() {
  %x = stablehlo.constant dense<[-2.5, -1.0, -0.0, 0.0, 0.5, 1.0, 3.0, 0x7C00, 0xFC00, 0x7E00]> : tensor<10xf16>
  %r = chlo.cosh %x : tensor<10xf16> -> tensor<10xf16>
  %expected = stablehlo.constant dense<[6.1328125, 1.54296875, 1.0, 1.0, 1.1279296875, 1.54296875, 10.0703125, 0x7C00, 0x7C00, 0x7E00]> : tensor<10xf16>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<10xf16>, tensor<10xf16>
  return
}

// -----

func.func @scalar() {
  %x = stablehlo.constant dense<0.5> : tensor<f32>
  %r = "chlo.cosh"(%x) : (tensor<f32>) -> tensor<f32>
  %expected = stablehlo.constant dense<1.127626> : tensor<f32>
  check.expect_close %r, %expected, max_ulp_difference = 8 : tensor<f32>, tensor<f32>
  return
}

// -----

func.func @complex_f32() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (-1.5, 0.5), (0.25, -3.0), (-2.0, -0.125), (3.0, 0.75)]> : tensor<5xcomplex<f32>>
  %r = "chlo.cosh"(%x) : (tensor<5xcomplex<f32>>) -> tensor<5xcomplex<f32>>
  %expected = stablehlo.constant dense<[(-0.64214814, 1.0686074), (2.0644336, -1.020831), (-1.0210912, -0.03564865), (3.7328417, 0.45217785), (7.3663964, 6.828572)]> : tensor<5xcomplex<f32>>
  check.expect_close %r, %expected, max_ulp_difference = 8 : tensor<5xcomplex<f32>>, tensor<5xcomplex<f32>>
  return
}

// -----

func.func @complex_f64() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (-1.5, 0.5), (0.25, -3.0), (-2.0, -0.125), (3.0, 0.75)]> : tensor<5xcomplex<f64>>
  %r = "chlo.cosh"(%x) : (tensor<5xcomplex<f64>>) -> tensor<5xcomplex<f64>>
  %expected = stablehlo.constant dense<[(-0.64214812471552, 1.0686074213827783), (2.064433656760715, -1.0208309495976968), (-1.0210912297761832, -0.035648652183990444), (3.7328417883534124, 0.45217785437376523), (7.366396217894588, 6.828571843588534)]> : tensor<5xcomplex<f64>>
  check.expect_close %r, %expected, max_ulp_difference = 8 : tensor<5xcomplex<f64>>, tensor<5xcomplex<f64>>
  return
}

// -----

func.func @empty() {
  %x = stablehlo.constant dense<> : tensor<2x0xf32>
  %r = "chlo.cosh"(%x) : (tensor<2x0xf32>) -> tensor<2x0xf32>
  check.expect_eq_const %r, dense<> : tensor<2x0xf32>
  return
}
