// RUN: tessera check %s

func.func @acosh_f32() {
  %x = stablehlo.constant dense<[1.0, 1.25, 2.0, 10.0, 1000.0, 0x7F800000, 0.5, 0x7FC00000]> : tensor<8xf32>
  %r = chlo.acosh %x : tensor<8xf32> -> tensor<8xf32>
  %expected = stablehlo.constant dense<[0.0, 0.6931472, 1.316958, 2.993223, 7.600902, 0x7F800000, 0x7FC00000, 0x7FC00000]> : tensor<8xf32>
  check.expect_close %r, %expected, max_ulp_difference = 3 : tensor<8xf32>, tensor<8xf32>
  return
}

// -----

func.func @acosh_f64() {
  %x = stablehlo.constant dense<[1.0, 1.25, 2.0, 10.0, 1000.0, 0x7FF0000000000000, 0.5, 0x7FF8000000000000]> : tensor<8xf64>
  %r = "chlo.acosh"(%x) : (tensor<8xf64>) -> tensor<8xf64>
  %expected = stablehlo.constant dense<[0.0, 0.6931471805599453, 1.3169578969248168, 2.993222846126381, 7.600902209541989, 0x7FF0000000000000, 0x7FF8000000000000, 0x7FF8000000000000]> : tensor<8xf64>
  check.expect_close %r, %expected, max_ulp_difference = 3 : tensor<8xf64>, tensor<8xf64>
  return
}

// -----

func.func @acosh_bf16() {
  %x = stablehlo.constant dense<[1.0, 1.25, 2.0, 10.0, 1000.0, 0x7F80, 0.5, 0x7FC0]> : tensor<8xbf16>
  %r = chlo.acosh %x : tensor<8xbf16> -> tensor<8xbf16>
  %expected = stablehlo.constant dense<[0.0, 0.69140625, 1.3203125, 3.0, 7.59375, 0x7F80, 0x7FC0, 0x7FC0]> : tensor<8xbf16>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<8xbf16>, tensor<8xbf16>
  return
}

// -----

func.func @acosh_f16() {
  %x = stablehlo.constant dense<[1.0, 1.25, 2.0, 10.0, 1000.0, 0x7C00, 0.5, 0x7E00]> : tensor<8xf16>
  %r = chlo.acosh %x : tensor<8xf16> -> tensor<8xf16>
  %expected = stablehlo.constant dense<[0.0, 0.693359375, 1.3173828125, 2.994140625, 7.6015625, 0x7C00, 0x7E00, 0x7E00]> : tensor<8xf16>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<8xf16>, tensor<8xf16>
  return
}

// -----

func.func @scalar() {
  %x = stablehlo.constant dense<2.0> : tensor<f32>
  %r = "chlo.acosh"(%x) : (tensor<f32>) -> tensor<f32>
  %expected = stablehlo.constant dense<1.316958> : tensor<f32>
  check.expect_close %r, %expected, max_ulp_difference = 3 : tensor<f32>, tensor<f32>
  return
}

// -----

func.func @complex_f32() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (-1.5, 0.5), (0.25, -3.0), (-2.0, -0.125), (3.0, 0.75)]> : tensor<5xcomplex<f32>>
  %r = "chlo.acosh"(%x) : (tensor<5xcomplex<f32>>) -> tensor<5xcomplex<f32>>
  %expected = stablehlo.constant dense<[(1.5285709, 1.1437178), (1.069311, 2.7419536), (1.8214042, -1.4918791), (1.3199507, -3.0696106), (1.7984284, 0.2581963)]> : tensor<5xcomplex<f32>>
  check.expect_close %r, %expected, max_ulp_difference = 3 : tensor<5xcomplex<f32>>, tensor<5xcomplex<f32>>
  return
}

// -----

func.func @complex_f64() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (-1.5, 0.5), (0.25, -3.0), (-2.0, -0.125), (3.0, 0.75)]> : tensor<5xcomplex<f64>>
  %r = "chlo.acosh"(%x) : (tensor<5xcomplex<f64>>) -> tensor<5xcomplex<f64>>
  %expected = stablehlo.constant dense<[(1.5285709194809982, 1.1437177404024206), (1.0693110431581105, 2.741953586253269), (1.8214041607957312, -1.4918790465961933), (1.3199506863946082, -3.0696105860825678), (1.7984283835761978, 0.258196283287393)]> : tensor<5xcomplex<f64>>
  check.expect_close %r, %expected, max_ulp_difference = 3 : tensor<5xcomplex<f64>>, tensor<5xcomplex<f64>>
  return
}

// -----

func.func @empty() {
  %x = stablehlo.constant dense<> : tensor<2x0xf32>
  %r = "chlo.acosh"(%x) : (tensor<2x0xf32>) -> tensor<2x0xf32>
  check.expect_eq_const %r, dense<> : tensor<2x0xf32>
  return
}
