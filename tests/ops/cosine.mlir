// RUN: tessera check %s

func.func @cosine_f32() {
  %x = stablehlo.constant dense<[-2.5, -1.0, 0.0, 0.5, 1.0, 3.0, 100.0, 0x7F800000, 0x7FC00000]> : tensor<9xf32>
  %r = stablehlo.cosine %x : tensor<9xf32>
  %expected = stablehlo.constant dense<[-0.8011436, 0.5403023, 1.0, 0.87758255, 0.5403023, -0.9899925, 0.8623189, 0x7FC00000, 0x7FC00000]> : tensor<9xf32>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<9xf32>, tensor<9xf32>
  return
}

// -----

func.func @cosine_f64() {
  %x = stablehlo.constant dense<[-2.5, -1.0, 0.0, 0.5, 1.0, 3.0, 100.0, 0x7FF0000000000000, 0x7FF8000000000000]> : tensor<9xf64>
  %r = "stablehlo.cosine"(%x) : (tensor<9xf64>) -> tensor<9xf64>
  %expected = stablehlo.constant dense<[-0.8011436155469337, 0.5403023058681398, 1.0, 0.8775825618903728, 0.5403023058681398, -0.9899924966004454, 0.8623188722876839, 0x7FF8000000000000, 0x7FF8000000000000]> : tensor<9xf64>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<9xf64>, tensor<9xf64>
  return
}

// -----

func.func @cosine_bf16() {
  %x = stablehlo.constant dense<[-2.5, -1.0, 0.0, 0.5, 1.0, 3.0, 100.0, 0x7F80, 0x7FC0]> : tensor<9xbf16>
  %r = stablehlo.cosine %x : tensor<9xbf16>
  %expected = stablehlo.constant dense<[-0.80078125, 0.5390625, 1.0, 0.87890625, 0.5390625, -0.98828125, 0.86328125, 0x7FC0, 0x7FC0]> : tensor<9xbf16>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<9xbf16>, tensor<9xbf16>
  return
}

// -----

func.func @cosine_f16() {
  %x = stablehlo.constant dense<[-2.5, -1.0, 0.0, 0.5, 1.0, 3.0, 100.0, 0x7C00, 0x7E00]> : tensor<9xf16>
  %r = stablehlo.cosine %x : tensor<9xf16>
  %expected = stablehlo.constant dense<[-0.80126953125, 0.54052734375, 1.0, 0.87744140625, 0.54052734375, -0.990234375, 0.8623046875, 0x7E00, 0x7E00]> : tensor<9xf16>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<9xf16>, tensor<9xf16>
  return
}

// -----

func.func @scalar() {
  %x = stablehlo.constant dense<0.5> : tensor<f32>
  %r = "stablehlo.cosine"(%x) : (tensor<f32>) -> tensor<f32>
  %expected = stablehlo.constant dense<0.87758255> : tensor<f32>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<f32>, tensor<f32>
  return
}

// -----

func.func @complex_f32() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (-1.5, 0.5), (0.25, -3.0), (-2.0, -0.125), (3.0, 0.75)]> : tensor<5xcomplex<f32>>
  %r = "stablehlo.cosine"(%x) : (tensor<5xcomplex<f32>>) -> tensor<5xcomplex<f32>>
  %expected = stablehlo.constant dense<[(2.032723, -3.0518978), (0.079765104, 0.51978993), (9.754683, 2.478462), (-0.4194022, -0.1139584), (-1.2817267, -0.11604534)]> : tensor<5xcomplex<f32>>
  check.expect_close %r, %expected, max_ulp_difference = 3 : tensor<5xcomplex<f32>>, tensor<5xcomplex<f32>>
  return
}

// -----

func.func @complex_f64() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (-1.5, 0.5), (0.25, -3.0), (-2.0, -0.125), (3.0, 0.75)]> : tensor<5xcomplex<f64>>
  %r = "stablehlo.cosine"(%x) : (tensor<5xcomplex<f64>>) -> tensor<5xcomplex<f64>>
  %expected = stablehlo.constant dense<[(2.0327230070196656, -3.0518977991518), (0.0797651053065419, 0.5197899547729212), (9.754682765293259, 2.478461920357826), (-0.4194022191776394, -0.11395840494168001), (-1.2817267373040948, -0.116045343838548)]> : tensor<5xcomplex<f64>>
  check.expect_close %r, %expected, max_ulp_difference = 3 : tensor<5xcomplex<f64>>, tensor<5xcomplex<f64>>
  return
}

// -----

func.func @empty() {
  %x = stablehlo.constant dense<> : tensor<2x0xf32>
  %r = "stablehlo.cosine"(%x) : (tensor<2x0xf32>) -> tensor<2x0xf32>
  check.expect_eq_const %r, dense<> : tensor<2x0xf32>
  return
}

// -----

func.func @quantized() {
  %s = stablehlo.constant dense<[-40, -8, -3, 0, 5, 20, 100]> : tensor<7xi8>
  %x = stablehlo.bitcast_convert %s : (tensor<7xi8>) -> tensor<7x!quant.uniform<i8:f32, 0.25:-3>>
  %r = stablehlo.cosine %x : (tensor<7x!quant.uniform<i8:f32, 0.25:-3>>) -> tensor<7x!quant.uniform<i8:f32, 0.5:2>>
  %b = stablehlo.bitcast_convert %r : (tensor<7x!quant.uniform<i8:f32, 0.5:2>>) -> tensor<7xi8>
  check.expect_eq_const %b, dense<[0, 3, 4, 3, 1, 4, 4]> : tensor<7xi8>
  return
}
