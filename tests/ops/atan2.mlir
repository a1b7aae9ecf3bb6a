// RUN: tessera check %s

func.func @atan2_f32() {
  %x = stablehlo.constant dense<[1.0, -2.5, 0.5, 3.0, -0.0, 0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 7.5, 10000.0, -3.0]> : tensor<12xf32>
  %y = stablehlo.constant dense<[2.0, 0.25, -0.5, 3.0, 0.0, -0.0, 1.0, 0x7F800000, 1.0, 0x7FC00000, 3.0, 2.0]> : tensor<12xf32>
  %r = stablehlo.atan2 %x, %y : tensor<12xf32>
  %expected = stablehlo.constant dense<[0.4636476, -1.4711276, 2.3561945, 0.7853982, -0.0, 3.1415927, 1.5707964, -0.7853982, 0x7FC00000, 0x7FC00000, 1.5704963, -0.98279375]> : tensor<12xf32>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<12xf32>, tensor<12xf32>
  return
}

// -----

func.func @atan2_f64() {
  %x = stablehlo.constant dense<[1.0, -2.5, 0.5, 3.0, -0.0, 0.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 7.5, 10000.0, -3.0]> : tensor<12xf64>
  %y = stablehlo.constant dense<[2.0, 0.25, -0.5, 3.0, 0.0, -0.0, 1.0, 0x7FF0000000000000, 1.0, 0x7FF8000000000000, 3.0, 2.0]> : tensor<12xf64>
  %r = "stablehlo.atan2"(%x, %y) : (tensor<12xf64>, tensor<12xf64>) -> tensor<12xf64>
  %expected = stablehlo.constant dense<[0.4636476090008061, -1.4711276743037347, 2.356194490192345, 0.7853981633974483, -0.0, 3.141592653589793, 1.5707963267948966, -0.7853981633974483, 0x7FF8000000000000, 0x7FF8000000000000, 1.5704963268038967, -0.982793723247329]> : tensor<12xf64>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<12xf64>, tensor<12xf64>
  return
}

// -----

func.func @atan2_bf16() {
  %x = stablehlo.constant dense<[1.0, -2.5, 0.5, 3.0, -0.0, 0.0, 0x7F80, 0xFF80, 0x7FC0, 7.5, 9984.0, -3.0]> : tensor<12xbf16>
  %y = stablehlo.constant dense<[2.0, 0.25, -0.5, 3.0, 0.0, -0.0, 1.0, 0x7F80, 1.0, 0x7FC0, 3.0, 2.0]> : tensor<12xbf16>
  %r = stablehlo.atan2 %x, %y : tensor<12xbf16>
  %expected = stablehlo.constant dense<[0.462890625, -1.46875, 2.359375, 0.78515625, -0.0, 3.140625, 1.5703125, -0.78515625, 0x7FC0, 0x7FC0, 1.5703125, -0.984375]> : tensor<12xbf16>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<12xbf16>, tensor<12xbf16>
  return
}

// -----

func.func @atan2_f16() {
  %x = stablehlo.constant dense<[1.0, -2.5, 0.5, 3.0, -0.0, 0.0, 0x7C00, 0xFC00, 0x7E00, 7.5, 10000.0, -3.0]> : tensor<12xf16>
  %y = stablehlo.constant dense<[2.0, 0.25, -0.5, 3.0, 0.0, -0.0, 1.0, 0x7C00, 1.0, 0x7E00, 3.0, 2.0]> : tensor<12xf16>
  %r = stablehlo.atan2 %x, %y : tensor<12xf16>
  %expected = stablehlo.constant dense<[0.463623046875, -1.470703125, 2.35546875, 0.78515625, -0.0, 3.140625, 1.5703125, -0.78515625, 0x7E00, 0x7E00, 1.5703125, -0.98291015625]> : tensor<12xf16>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<12xf16>, tensor<12xf16>
  return
}

// -----

func.func @complex_f32() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (-1.5, 0.5), (0.25, -3.0), (-2.0, -0.125), (3.0, 0.75)]> : tensor<5xcomplex<f32>>
  %y = stablehlo.constant dense<[(0.5, -1.0), (2.0, 0.25), (-1.0, -1.0), (3.0, 2.0), (-0.5, 4.0)]> : tensor<5xcomplex<f32>>
  %r = "stablehlo.atan2"(%x, %y) : (tensor<5xcomplex<f32>>, tensor<5xcomplex<f32>>) -> tensor<5xcomplex<f32>>
  %expected = stablehlo.constant dense<[(1.9081668, 0.37908688), (-0.65273213, 0.2232681), (-1.9016241, 0.33697382), (-0.47379848, 0.22754805), (0.21084376, -0.9656464)]> : tensor<5xcomplex<f32>>
  check.expect_close %r, %expected, max_ulp_difference = 3 : tensor<5xcomplex<f32>>, tensor<5xcomplex<f32>>
  return
}

// -----

func.func @complex_f64() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (-1.5, 0.5), (0.25, -3.0), (-2.0, -0.125), (3.0, 0.75)]> : tensor<5xcomplex<f64>>
  %y = stablehlo.constant dense<[(0.5, -1.0), (2.0, 0.25), (-1.0, -1.0), (3.0, 2.0), (-0.5, 4.0)]> : tensor<5xcomplex<f64>>
  %r = "stablehlo.atan2"(%x, %y) : (tensor<5xcomplex<f64>>, tensor<5xcomplex<f64>>) -> tensor<5xcomplex<f64>>
  %expected = stablehlo.constant dense<[(1.908166797906673, 0.3790868723420221), (-0.6527321202929559, 0.22326811044303696), (-1.9016240961176685, 0.33697380704633867), (-0.4737984984304153, 0.22754804335307138), (0.2108437595984504, -0.9656463932505689)]> : tensor<5xcomplex<f64>>
  check.expect_close %r, %expected, max_ulp_difference = 3 : tensor<5xcomplex<f64>>, tensor<5xcomplex<f64>>
  return
}

// -----

func.func @empty() {
  %x = stablehlo.constant dense<> : tensor<2x0xf32>
  %r = "stablehlo.atan2"(%x, %x) : (tensor<2x0xf32>, tensor<2x0xf32>) -> tensor<2x0xf32>
  check.expect_eq_const %r, dense<> : tensor<2x0xf32>
  return
}

// -----

func.func @scalar() {
  %x = stablehlo.constant dense<2.0> : tensor<f32>
  %r = "stablehlo.atan2"(%x, %x) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %expected = stablehlo.constant dense<0.7853982> : tensor<f32>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<f32>, tensor<f32>
  return
}

// -----

func.func @quantized() {
  %s = stablehlo.constant dense<[-40, -8, -3, 0, 5, 20, 100]> : tensor<7xi8>
  %t = stablehlo.constant dense<[3, 12, 5, -4, 100, -120, 9]> : tensor<7xi8>
  %x = stablehlo.bitcast_convert %s : (tensor<7xi8>) -> tensor<7x!quant.uniform<i8:f32, 0.25:-3>>
  %y = stablehlo.bitcast_convert %t : (tensor<7xi8>) -> tensor<7x!quant.uniform<i8:f32, 0.125:4>>
  %r = stablehlo.atan2 %x, %y : (tensor<7x!quant.uniform<i8:f32, 0.25:-3>>, tensor<7x!quant.uniform<i8:f32, 0.125:4>>) -> tensor<7x!quant.uniform<i8:f32, 0.5:2>>
  %b = stablehlo.bitcast_convert %r : (tensor<7x!quant.uniform<i8:f32, 0.5:2>>) -> tensor<7xi8>
  check.expect_eq_const %b, dense<[-1, 0, 2, 7, 2, 8, 5]> : tensor<7xi8>
  return
}
