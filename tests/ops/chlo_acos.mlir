// RUN: tessera check %s

func.func @acos_f32() {
  %x = stablehlo.constant dense<[-1.0, -0.75, -0.5, -0.0, 0.0, 0.125, 0.5, 0.75, 1.0, 2.0, 0x7FC00000]> : tensor<11xf32>
  %r = chlo.acos %x : tensor<11xf32> -> tensor<11xf32>
  %expected = stablehlo.constant dense<[3.1415927, 2.4188583, 2.0943952, 1.5707964, 1.5707964, 1.4454685, 1.0471976, 0.7227343, 0.0, 0x7FC00000, 0x7FC00000]> : tensor<11xf32>
  check.expect_close %r, %expected, max_ulp_difference = 3 : tensor<11xf32>, tensor<11xf32>
  return
}

// -----

func.func @acos_f64() {
  %x = stablehlo.constant dense<[-1.0, -0.75, -0.5, -0.0, 0.0, 0.125, 0.5, 0.75, 1.0, 2.0, 0x7FF8000000000000]> : tensor<11xf64>
  %r = "chlo.acos"(%x) : (tensor<11xf64>) -> tensor<11xf64>
  %expected = stablehlo.constant dense<[3.141592653589793, 2.4188584057763776, 2.0943951023931957, 1.5707963267948966, 1.5707963267948966, 1.4454684956268313, 1.0471975511965979, 0.7227342478134157, 0.0, 0x7FF8000000000000, 0x7FF8000000000000]> : tensor<11xf64>
  check.expect_close %r, %expected, max_ulp_difference = 3 : tensor<11xf64>, tensor<11xf64>
  return
}

// -----

func.func @acos_bf16() {
  %x = stablehlo.constant dense<[-1.0, -0.75, -0.5, -0.0, 0.0, 0.125, 0.5, 0.75, 1.0, 2.0, 0x7FC0]> : tensor<11xbf16>
  %r = chlo.acos %x : tensor<11xbf16> -> tensor<11xbf16>
  %expected = stablehlo.constant dense<[3.140625, 2.421875, 2.09375, 1.5703125, 1.5703125, 1.4453125, 1.046875, 0.72265625, 0.0, 0x7FC0, 0x7FC0]> : tensor<11xbf16>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<11xbf16>, tensor<11xbf16>
  return
}

// -----

func.func @acos_f16() {
  %x = stablehlo.constant dense<[-1.0, -0.75, -0.5, -0.0, 0.0, 0.125, 0.5, 0.75, 1.0, 2.0, 0x7E00]> : tensor<11xf16>
  %r = chlo.acos %x : tensor<11xf16> -> tensor<11xf16>
  %expected = stablehlo.constant dense<[3.140625, 2.41796875, 2.09375, 1.5703125, 1.5703125, 1.4453125, 1.046875, 0.72265625, 0.0, 0x7E00, 0x7E00]> : tensor<11xf16>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<11xf16>, tensor<11xf16>
  return
}

// -----

func.func @scalar() {
  %x = stablehlo.constant dense<0.5> : tensor<f32>
  %r = "chlo.acos"(%x) : (tensor<f32>) -> tensor<f32>
  %expected = stablehlo.constant dense<1.0471976> : tensor<f32>
  check.expect_close %r, %expected, max_ulp_difference = 3 : tensor<f32>, tensor<f32>
  return
}

// -----

func.func @complex_f32() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (-1.5, 0.5), (0.25, -3.0), (-2.0, -0.125), (3.0, 0.75)]> : tensor<5xcomplex<f32>>
  %r = "chlo.acos"(%x) : (tensor<5xcomplex<f32>>) -> tensor<5xcomplex<f32>>
  %expected = stablehlo.constant dense<[(1.1437178, -1.5285709), (2.7419536, -1.069311), (1.4918791, 1.8214042), (3.0696106, 1.3199507), (0.2581963, -1.7984284)]> : tensor<5xcomplex<f32>>
  check.expect_close %r, %expected, max_ulp_difference = 3 : tensor<5xcomplex<f32>>, tensor<5xcomplex<f32>>
  return
}

// -----

func.func @complex_f64() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (-1.5, 0.5), (0.25, -3.0), (-2.0, -0.125), (3.0, 0.75)]> : tensor<5xcomplex<f64>>
  %r = "chlo.acos"(%x) : (tensor<5xcomplex<f64>>) -> tensor<5xcomplex<f64>>
  %expected = stablehlo.constant dense<[(1.1437177404024206, -1.5285709194809982), (2.741953586253269, -1.0693110431581105), (1.4918790465961933, 1.8214041607957312), (3.0696105860825678, 1.3199506863946082), (0.258196283287393, -1.7984283835761978)]> : tensor<5xcomplex<f64>>
  check.expect_close %r, %expected, max_ulp_difference = 3 : tensor<5xcomplex<f64>>, tensor<5xcomplex<f64>>
  return
}

// -----

func.func @empty() {
  %x = stablehlo.constant dense<> : tensor<2x0xf32>
  %r = "chlo.acos"(%x) : (tensor<2x0xf32>) -> tensor<2x0xf32>
  check.expect_eq_const %r, dense<> : tensor<2x0xf32>
  return
}
