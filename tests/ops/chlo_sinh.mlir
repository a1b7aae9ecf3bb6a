// RUN: tessera check %s

func.func @sinh_f32() {
  %x = stablehlo.constant dense<[-2.5, -1.0, -0.0, 0.0, 0.5, 1.0, 3.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<10xf32>
  %r = chlo.sinh %x : tensor<10xf32> -> tensor<10xf32>
  %expected = stablehlo.constant dense<[-6.0502043, -1.1752012, -0.0, 0.0, 0.5210953, 1.1752012, 10.017875, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<10xf32>
  check.expect_close %r, %expected, max_ulp_difference = 8 : tensor<10xf32>, tensor<10xf32>
  return
}

// -----

func.func @sinh_f64() {
  %x = stablehlo.constant dense<[-2.5, -1.0, -0.0, 0.0, 0.5, 1.0, 3.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<10xf64>
  %r = "chlo.sinh"(%x) : (tensor<10xf64>) -> tensor<10xf64>
  %expected = stablehlo.constant dense<[-6.0502044810397875, -1.1752011936438014, -0.0, 0.0, 0.5210953054937474, 1.1752011936438014, 10.017874927409903, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<10xf64>
  check.expect_close %r, %expected, max_ulp_difference = 8 : tensor<10xf64>, tensor<10xf64>
  return
}

// -----

func.func @sinh_bf16() {
  %x = stablehlo.constant dense<[-2.5, -1.0, -0.0, 0.0, 0.5, 1.0, 3.0, 0x7F80, 0xFF80, 0x7FC0]> : tensor<10xbf16>
  %r = chlo.sinh %x : tensor<10xbf16> -> tensor<10xbf16>
  %expected = stablehlo.constant dense<[-6.0625, -1.171875, -0.0, 0.0, 0.51953125, 1.171875, 10.0, 0x7F80, 0xFF80, 0x7FC0]> : tensor<10xbf16>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<10xbf16>, tensor<10xbf16>
  return
}

// -----

func.func @sinh_f16() {
  %x = stablehlo.constant dense<[-2.5, -1.0, -0.0, 0.0, 0.5, 1.0, 3.0, 0x7C00, 0xFC00, 0x7E00]> : tensor<10xf16>
  %r = chlo.sinh %x : tensor<10xf16> -> tensor<10xf16>
  %expected = stablehlo.constant dense<[-6.05078125, -1.1748046875, -0.0, 0.0, 0.52099609375, 1.1748046875, 10.015625, 0x7C00, 0xFC00, 0x7E00]> : tensor<10xf16>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<10xf16>, tensor<10xf16>
  return
}

// -----

func.func @scalar() {
  %x = stablehlo.constant dense<0.5> : tensor<f32>
  %r = "chlo.sinh"(%x) : (tensor<f32>) -> tensor<f32>
  %expected = stablehlo.constant dense<0.5210953> : tensor<f32>
  check.expect_close %r, %expected, max_ulp_difference = 8 : tensor<f32>, tensor<f32>
  return
}

// -----

func.func @complex_f32() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (-1.5, 0.5), (0.25, -3.0), (-2.0, -0.125), (3.0, 0.75)]> : tensor<5xcomplex<f32>>
  %r = "chlo.sinh"(%x) : (tensor<5xcomplex<f32>>) -> tensor<5xcomplex<f32>>
  %expected = stablehlo.constant dense<[(-0.48905626, 1.4031192), (-1.8686185, 1.1278052), (-0.2500843, -0.14555302), (-3.5985625, -0.46905074), (7.3299675, 6.862509)]> : tensor<5xcomplex<f32>>
  check.expect_close %r, %expected, max_ulp_difference = 8 : tensor<5xcomplex<f32>>, tensor<5xcomplex<f32>>
  return
}

// -----

func.func @complex_f64() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (-1.5, 0.5), (0.25, -3.0), (-2.0, -0.125), (3.0, 0.75)]> : tensor<5xcomplex<f64>>
  %r = "chlo.sinh"(%x) : (tensor<5xcomplex<f64>>) -> tensor<5xcomplex<f64>>
  %expected = stablehlo.constant dense<[(-0.4890562590412937, 1.4031192506220407), (-1.8686185191826468, 1.1278052468056998), (-0.25008429818894123, -0.145553024968058), (-3.598562436032225, -0.4690507447289042), (7.329967574155962, 6.862508639136002)]> : tensor<5xcomplex<f64>>
  check.expect_close %r, %expected, max_ulp_difference = 8 : tensor<5xcomplex<f64>>, tensor<5xcomplex<f64>>
  return
}

// -----

func.func @empty() {
  %x = stablehlo.constant dense<> : tensor<2x0xf32>
  %r = "chlo.sinh"(%x) : (tensor<2x0xf32>) -> tensor<2x0xf32>
  check.expect_eq_const %r, dense<> : tensor<2x0xf32>
  return
}
