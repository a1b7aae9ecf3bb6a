// RUN: tessera check %s

func.func @asin_f32() {
  %x = stablehlo.constant dense<[-1.0, -0.75, -0.5, -0.0, 0.0, 0.125, 0.5, 0.75, 1.0, 2.0, 0x7FC00000]> : tensor<11xf32>
  %r = chlo.asin %x : tensor<11xf32> -> tensor<11xf32>
  %expected = stablehlo.constant dense<[-1.5707964, -0.8480621, -0.5235988, -0.0, 0.0, 0.12532783, 0.5235988, 0.8480621, 1.5707964, 0x7FC00000, 0x7FC00000]> : tensor<11xf32>
  check.expect_close %r, %expected, max_ulp_difference = 3 : tensor<11xf32>, tensor<11xf32>
  return
}

// -----

func.func @asin_f64() {
  %x = stablehlo.constant dense<[-1.0, -0.75, -0.5, -0.0, 0.0, 0.125, 0.5, 0.75, 1.0, 2.0, 0x7FF8000000000000]> : tensor<11xf64>
  %r = "chlo.asin"(%x) : (tensor<11xf64>) -> tensor<11xf64>
  %expected = stablehlo.constant dense<[-1.5707963267948966, -0.848062078981481, -0.5235987755982989, -0.0, 0.0, 0.1253278311680654, 0.5235987755982989, 0.848062078981481, 1.5707963267948966, 0x7FF8000000000000, 0x7FF8000000000000]> : tensor<11xf64>
  check.expect_close %r, %expected, max_ulp_difference = 3 : tensor<11xf64>, tensor<11xf64>
  return
}

// -----

func.func @asin_bf16() {
  %x = stablehlo.constant dense<[-1.0, -0.75, -0.5, -0.0, 0.0, 0.125, 0.5, 0.75, 1.0, 2.0, 0x7FC0]> : tensor<11xbf16>
  %r = chlo.asin %x : tensor<11xbf16> -> tensor<11xbf16>
  %expected = stablehlo.constant dense<[-1.5703125, -0.84765625, -0.5234375, -0.0, 0.0, 0.125, 0.5234375, 0.84765625, 1.5703125, 0x7FC0, 0x7FC0]> : tensor<11xbf16>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<11xbf16>, tensor<11xbf16>
  return
}

// -----

func.func @asin_f16() {
  %x = stablehlo.constant dense<[-1.0, -0.75, -0.5, -0.0, 0.0, 0.125, 0.5, 0.75, 1.0, 2.0, 0x7E00]> : tensor<11xf16>
  %r = chlo.asin %x : tensor<11xf16> -> tensor<11xf16>
  %expected = stablehlo.constant dense<[-1.5703125, -0.84814453125, -0.5234375, -0.0, 0.0, 0.1253662109375, 0.5234375, 0.84814453125, 1.5703125, 0x7E00, 0x7E00]> : tensor<11xf16>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<11xf16>, tensor<11xf16>
  return
}

// -----

func.func @scalar() {
  %x = stablehlo.constant dense<0.5> : tensor<f32>
  %r = "chlo.asin"(%x) : (tensor<f32>) -> tensor<f32>
  %expected = stablehlo.constant dense<0.5235988> : tensor<f32>
  check.expect_close %r, %expected, max_ulp_difference = 3 : tensor<f32>, tensor<f32>
  return
}

// -----

func.func @complex_f32() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (-1.5, 0.5), (0.25, -3.0), (-2.0, -0.125), (3.0, 0.75)]> : tensor<5xcomplex<f32>>
  %r = "chlo.asin"(%x) : (tensor<5xcomplex<f32>>) -> tensor<5xcomplex<f32>>
  %expected = stablehlo.constant dense<[(0.42707857, 1.5285709), (-1.1711572, 1.069311), (0.07891728, -1.8214042), (-1.4988142, -1.3199507), (1.3126, 1.7984284)]> : tensor<5xcomplex<f32>>
  check.expect_close %r, %expected, max_ulp_difference = 3 : tensor<5xcomplex<f32>>, tensor<5xcomplex<f32>>
  return
}

// -----

func.func @complex_f64() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (-1.5, 0.5), (0.25, -3.0), (-2.0, -0.125), (3.0, 0.75)]> : tensor<5xcomplex<f64>>
  %r = "chlo.asin"(%x) : (tensor<5xcomplex<f64>>) -> tensor<5xcomplex<f64>>
  %expected = stablehlo.constant dense<[(0.42707858639247614, 1.5285709194809982), (-1.1711572594583726, 1.0693110431581105), (0.07891728019870327, -1.8214041607957312), (-1.4988142592876712, -1.3199506863946082), (1.3126000435075036, 1.7984283835761978)]> : tensor<5xcomplex<f64>>
  check.expect_close %r, %expected, max_ulp_difference = 3 : tensor<5xcomplex<f64>>, tensor<5xcomplex<f64>>
  return
}

// -----

func.func @empty() {
  %x = stablehlo.constant dense<> : tensor<2x0xf32>
  %r = "chlo.asin"(%x) : (tensor<2x0xf32>) -> tensor<2x0xf32>
  check.expect_eq_const %r, dense<> : tensor<2x0xf32>
  return
}
