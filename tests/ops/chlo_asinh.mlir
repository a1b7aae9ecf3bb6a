// RUN: tessera check %s

func.func @asinh_f32() {
  %x = stablehlo.constant dense<[-2.5, -1.0, -0.5, -0.0, 0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 10.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<14xf32>
  %r = chlo.asinh %x : tensor<14xf32> -> tensor<14xf32>
  %expected = stablehlo.constant dense<[-1.6472311, -0.8813736, -0.4812118, -0.0, 0.0, 0.24746646, 0.4812118, 0.8813736, 1.1947632, 1.4436355, 2.998223, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<14xf32>
  check.expect_close %r, %expected, max_ulp_difference = 3 : tensor<14xf32>, tensor<14xf32>
  return
}

// -----

func.func @asinh_f64() {
  %x = stablehlo.constant dense<[-2.5, -1.0, -0.5, -0.0, 0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 10.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<14xf64>
  %r = "chlo.asinh"(%x) : (tensor<14xf64>) -> tensor<14xf64>
  %expected = stablehlo.constant dense<[-1.6472311463710958, -0.881373587019543, -0.48121182505960347, -0.0, 0.0, 0.24746646154726346, 0.48121182505960347, 0.881373587019543, 1.1947632172871092, 1.4436354751788103, 2.99822295029797, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<14xf64>
  check.expect_close %r, %expected, max_ulp_difference = 3 : tensor<14xf64>, tensor<14xf64>
  return
}

// -----

func.func @asinh_bf16() {
  %x = stablehlo.constant dense<[-2.5, -1.0, -0.5, -0.0, 0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 10.0, 0x7F80, 0xFF80, 0x7FC0]> : tensor<14xbf16>
  %r = chlo.asinh %x : tensor<14xbf16> -> tensor<14xbf16>
  %expected = stablehlo.constant dense<[-1.6484375, -0.8828125, -0.48046875, -0.0, 0.0, 0.2470703125, 0.48046875, 0.8828125, 1.1953125, 1.4453125, 3.0, 0x7F80, 0xFF80, 0x7FC0]> : tensor<14xbf16>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<14xbf16>, tensor<14xbf16>
  return
}

// -----

func.func @asinh_f16() {
  %x = stablehlo.constant dense<[-2.5, -1.0, -0.5, -0.0, 0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 10.0, 0x7C00, 0xFC00, 0x7E00]> : tensor<14xf16>
  %r = chlo.asinh %x : tensor<14xf16> -> tensor<14xf16>
  %expected = stablehlo.constant dense<[-1.6474609375, -0.88134765625, -0.481201171875, -0.0, 0.0, 0.2474365234375, 0.481201171875, 0.88134765625, 1.1943359375, 1.443359375, 2.998046875, 0x7C00, 0xFC00, 0x7E00]> : tensor<14xf16>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<14xf16>, tensor<14xf16>
  return
}

// -----

func.func @scalar() {
  %x = stablehlo.constant dense<0.5> : tensor<f32>
  %r = "chlo.asinh"(%x) : (tensor<f32>) -> tensor<f32>
  %expected = stablehlo.constant dense<0.4812118> : tensor<f32>
  check.expect_close %r, %expected, max_ulp_difference = 3 : tensor<f32>, tensor<f32>
  return
}

// -----

func.func @complex_f32() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (-1.5, 0.5), (0.25, -3.0), (-2.0, -0.125), (3.0, 0.75)]> : tensor<5xcomplex<f32>>
  %r = "chlo.asinh"(%x) : (tensor<5xcomplex<f32>>) -> tensor<5xcomplex<f32>>
  %expected = stablehlo.constant dense<[(1.4693518, 1.06344), (-1.2264569, 0.2734873), (1.7668693, -1.4826795), (-1.4450319, -0.055860955), (1.844576, 0.23347145)]> : tensor<5xcomplex<f32>>
  check.expect_close %r, %expected, max_ulp_difference = 3 : tensor<5xcomplex<f32>>, tensor<5xcomplex<f32>>
  return
}

// -----

func.func @complex_f64() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (-1.5, 0.5), (0.25, -3.0), (-2.0, -0.125), (3.0, 0.75)]> : tensor<5xcomplex<f64>>
  %r = "chlo.asinh"(%x) : (tensor<5xcomplex<f64>>) -> tensor<5xcomplex<f64>>
  %expected = stablehlo.constant dense<[(1.4693517443681852, 1.0634400235777521), (-1.226456871251406, 0.27348729014155687), (1.7668693026241513, -1.4826795045905576), (-1.4450319254525599, -0.055860956954364105), (1.8445760096309898, 0.2334714490256083)]> : tensor<5xcomplex<f64>>
  check.expect_close %r, %expected, max_ulp_difference = 3 : tensor<5xcomplex<f64>>, tensor<5xcomplex<f64>>
  return
}

// -----

func.func @empty() {
  %x = stablehlo.constant dense<> : tensor<2x0xf32>
  %r = "chlo.asinh"(%x) : (tensor<2x0xf32>) -> tensor<2x0xf32>
  check.expect_eq_const %r, dense<> : tensor<2x0xf32>
  return
}
