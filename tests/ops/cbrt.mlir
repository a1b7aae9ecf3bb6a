// RUN: tessera check %s

func.func @cbrt_f32() {
  %x = stablehlo.constant dense<[-2.5, -1.0, -0.5, -0.0, 0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 10.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<14xf32>
  %r = stablehlo.cbrt %x : tensor<14xf32>
  %expected = stablehlo.constant dense<[-1.3572088, -1.0, -0.7937005, -0.0, 0.0, 0.62996054, 0.7937005, 1.0, 1.1447142, 1.2599211, 2.1544347, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<14xf32>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<14xf32>, tensor<14xf32>
  return
}

// -----

func.func @cbrt_f64() {
  %x = stablehlo.constant dense<[-2.5, -1.0, -0.5, -0.0, 0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 10.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<14xf64>
  %r = "stablehlo.cbrt"(%x) : (tensor<14xf64>) -> tensor<14xf64>
  %expected = stablehlo.constant dense<[-1.3572088082974534, -1.0, -0.7937005259840998, -0.0, 0.0, 0.6299605249474366, 0.7937005259840998, 1.0, 1.1447142425533319, 1.2599210498948732, 2.154434690031884, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<14xf64>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<14xf64>, tensor<14xf64>
  return
}

// -----

func.func @cbrt_bf16() {
  %x = stablehlo.constant dense<[-2.5, -1.0, -0.5, -0.0, 0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 10.0, 0x7F80, 0xFF80, 0x7FC0]> : tensor<14xbf16>
  %r = stablehlo.cbrt %x : tensor<14xbf16>
  %expected = stablehlo.constant dense<[-1.359375, -1.0, -0.79296875, -0.0, 0.0, 0.62890625, 0.79296875, 1.0, 1.1484375, 1.2578125, 2.15625, 0x7F80, 0xFF80, 0x7FC0]> : tensor<14xbf16>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<14xbf16>, tensor<14xbf16>
  return
}

// -----

func.func @cbrt_f16() {
  %x = stablehlo.constant dense<[-2.5, -1.0, -0.5, -0.0, 0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 10.0, 0x7C00, 0xFC00, 0x7E00]> : tensor<14xf16>
  %r = stablehlo.cbrt %x : tensor<14xf16>
  %expected = stablehlo.constant dense<[-1.357421875, -1.0, -0.79345703125, -0.0, 0.0, 0.6298828125, 0.79345703125, 1.0, 1.14453125, 1.259765625, 2.154296875, 0x7C00, 0xFC00, 0x7E00]> : tensor<14xf16>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<14xf16>, tensor<14xf16>
  return
}

// -----

func.func @scalar() {
  %x = stablehlo.constant dense<0.5> : tensor<f32>
  %r = "stablehlo.cbrt"(%x) : (tensor<f32>) -> tensor<f32>
  %expected = stablehlo.constant dense<0.7937005> : tensor<f32>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<f32>, tensor<f32>
  return
}

// -----

func.func @complex_f32() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (-1.5, 0.5), (0.25, -3.0), (-2.0, -0.125), (3.0, 0.75)]> : tensor<5xcomplex<f32>>
  %r = "stablehlo.cbrt"(%x) : (tensor<5xcomplex<f32>>) -> tensor<5xcomplex<f32>>
  %expected = stablehlo.constant dense<[(1.2196165, 0.47171128), (0.68714845, 0.9407634), (1.2699916, -0.6870291), (0.65294886, -1.0784818), (1.4520413, 0.11883731)]> : tensor<5xcomplex<f32>>
  check.expect_close %r, %expected, max_ulp_difference = 3 : tensor<5xcomplex<f32>>, tensor<5xcomplex<f32>>
  return
}

// -----

func.func @complex_f64() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (-1.5, 0.5), (0.25, -3.0), (-2.0, -0.125), (3.0, 0.75)]> : tensor<5xcomplex<f64>>
  %r = "stablehlo.cbrt"(%x) : (tensor<5xcomplex<f64>>) -> tensor<5xcomplex<f64>>
  %expected = stablehlo.constant dense<[(1.2196165079717576, 0.471711267789389), (0.6871484672961216, 0.940763409253381), (1.2699916219082052, -0.6870291181119021), (0.6529488806822518, -1.078481828381612), (1.4520412808648981, 0.11883730835942204)]> : tensor<5xcomplex<f64>>
  check.expect_close %r, %expected, max_ulp_difference = 3 : tensor<5xcomplex<f64>>, tensor<5xcomplex<f64>>
  return
}

// -----

func.func @empty() {
  %x = stablehlo.constant dense<> : tensor<2x0xf32>
  %r = "stablehlo.cbrt"(%x) : (tensor<2x0xf32>) -> tensor<2x0xf32>
  check.expect_eq_const %r, dense<> : tensor<2x0xf32>
  return
}

// -----

func.func @quantized() {
  %s = stablehlo.constant dense<[-40, -8, -3, 0, 5, 20, 100]> : tensor<7xi8>
  %x = stablehlo.bitcast_convert %s : (tensor<7xi8>) -> tensor<7x!quant.uniform<i8:f32, 0.25:-3>>
  %r = stablehlo.cbrt %x : (tensor<7x!quant.uniform<i8:f32, 0.25:-3>>) -> tensor<7x!quant.uniform<i8:f32, 0.5:2>>
  %b = stablehlo.bitcast_convert %r : (tensor<7x!quant.uniform<i8:f32, 0.5:2>>) -> tensor<7xi8>
  check.expect_eq_const %b, dense<[-2, 0, 2, 4, 5, 6, 8]> : tensor<7xi8>
  return
}
