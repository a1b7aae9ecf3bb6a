// RUN: tessera check %s

func.func @atan_f32() {
  %x = stablehlo.constant dense<[-2.5, -1.0, -0.5, -0.0, 0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 10.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<14xf32>
  %r = chlo.atan %x : tensor<14xf32> -> tensor<14xf32>
  %expected = stablehlo.constant dense<[-1.19029, -0.7853982, -0.4636476, -0.0, 0.0, 0.24497867, 0.4636476, 0.7853982, 0.98279375, 1.1071488, 1.4711276, 1.5707964, -1.5707964, 0x7FC00000]> : tensor<14xf32>
  check.expect_close %r, %expected, max_ulp_difference = 3 : tensor<14xf32>, tensor<14xf32>
  return
}

// -----

func.func @atan_f64() {
  %x = stablehlo.constant dense<[-2.5, -1.0, -0.5, -0.0, 0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 10.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<14xf64>
  %r = "chlo.atan"(%x) : (tensor<14xf64>) -> tensor<14xf64>
  %expected = stablehlo.constant dense<[-1.1902899496825317, -0.7853981633974483, -0.4636476090008061, -0.0, 0.0, 0.24497866312686414, 0.4636476090008061, 0.7853981633974483, 0.982793723247329, 1.1071487177940904, 1.4711276743037347, 1.5707963267948966, -1.5707963267948966, 0x7FF8000000000000]> : tensor<14xf64>
  check.expect_close %r, %expected, max_ulp_difference = 3 : tensor<14xf64>, tensor<14xf64>
  return
}

// -----

func.func @atan_bf16() {
  %x = stablehlo.constant dense<[-2.5, -1.0, -0.5, -0.0, 0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 10.0, 0x7F80, 0xFF80, 0x7FC0]> : tensor<14xbf16>
  %r = chlo.atan %x : tensor<14xbf16> -> tensor<14xbf16>
  %expected = stablehlo.constant dense<[-1.1875, -0.78515625, -0.462890625, -0.0, 0.0, 0.2451171875, 0.462890625, 0.78515625, 0.984375, 1.109375, 1.46875, 1.5703125, -1.5703125, 0x7FC0]> : tensor<14xbf16>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<14xbf16>, tensor<14xbf16>
  return
}

// -----

func.func @atan_f16() {
  %x = stablehlo.constant dense<[-2.5, -1.0, -0.5, -0.0, 0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 10.0, 0x7C00, 0xFC00, 0x7E00]> : tensor<14xf16>
  %r = chlo.atan %x : tensor<14xf16> -> tensor<14xf16>
  %expected = stablehlo.constant dense<[-1.1904296875, -0.78515625, -0.463623046875, -0.0, 0.0, 0.2449951171875, 0.463623046875, 0.78515625, 0.98291015625, 1.107421875, 1.470703125, 1.5703125, -1.5703125, 0x7E00]> : tensor<14xf16>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<14xf16>, tensor<14xf16>
  return
}

// -----

func.func @scalar() {
  %x = stablehlo.constant dense<0.5> : tensor<f32>
  %r = "chlo.atan"(%x) : (tensor<f32>) -> tensor<f32>
  %expected = stablehlo.constant dense<0.4636476> : tensor<f32>
  check.expect_close %r, %expected, max_ulp_difference = 3 : tensor<f32>, tensor<f32>
  return
}

// -----

func.func @complex_f32() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (-1.5, 0.5), (0.25, -3.0), (-2.0, -0.125), (3.0, 0.75)]> : tensor<5xcomplex<f32>>
  %r = "chlo.atan"(%x) : (tensor<5xcomplex<f32>>) -> tensor<5xcomplex<f32>>
  %expected = stablehlo.constant dense<[(1.3389726, 0.4023595), (-1.0172219, 0.14694667), (1.5398282, -0.34367222), (-1.1083964, -0.02494279), (1.2651885, 0.07148911)]> : tensor<5xcomplex<f32>>
  check.expect_close %r, %expected, max_ulp_difference = 3 : tensor<5xcomplex<f32>>, tensor<5xcomplex<f32>>
  return
}

// -----

func.func @complex_f64() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (-1.5, 0.5), (0.25, -3.0), (-2.0, -0.125), (3.0, 0.75)]> : tensor<5xcomplex<f64>>
  %r = "chlo.atan"(%x) : (tensor<5xcomplex<f64>>) -> tensor<5xcomplex<f64>>
  %expected = stablehlo.constant dense<[(1.3389725222944935, 0.40235947810852507), (-1.0172219678978514, 0.14694666622552977), (1.5398282345194945, -0.34367220374989566), (-1.1083963758408342, -0.024942788436237526), (1.2651884866374963, 0.0714891116210778)]> : tensor<5xcomplex<f64>>
  check.expect_close %r, %expected, max_ulp_difference = 3 : tensor<5xcomplex<f64>>, tensor<5xcomplex<f64>>
  return
}

// -----

func.func @empty() {
  %x = stablehlo.constant dense<> : tensor<2x0xf32>
  %r = "chlo.atan"(%x) : (tensor<2x0xf32>) -> tensor<2x0xf32>
  check.expect_eq_const %r, dense<> : tensor<2x0xf32>
  return
}
