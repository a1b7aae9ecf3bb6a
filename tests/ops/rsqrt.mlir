// RUN: tessera check %s

func.func @rsqrt_f32() {
  %x = stablehlo.constant dense<[0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 10.0, 1000.0, 0x7F800000, -1.0, 0x7FC00000]> : tensor<11xf32>
  %r = stablehlo.rsqrt %x : tensor<11xf32>
  %expected = stablehlo.constant dense<[0x7F800000, 2.0, 1.4142135, 1.0, 0.8164966, 0.70710677, 0.31622776, 0.031622775, 0.0, 0x7FC00000, 0x7FC00000]> : tensor<11xf32>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<11xf32>, tensor<11xf32>
  return
}

// -----

func.func @rsqrt_f64() {
  %x = stablehlo.constant dense<[0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 10.0, 1000.0, 0x7FF0000000000000, -1.0, 0x7FF8000000000000]> : tensor<11xf64>
  %r = "stablehlo.rsqrt"(%x) : (tensor<11xf64>) -> tensor<11xf64>
  %expected = stablehlo.constant dense<[0x7FF0000000000000, 2.0, 1.4142135623730951, 1.0, 0.816496580927726, 0.7071067811865476, 0.31622776601683794, 0.03162277660168379, 0.0, 0x7FF8000000000000, 0x7FF8000000000000]> : tensor<11xf64>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<11xf64>, tensor<11xf64>
  return
}

// -----

func.func @rsqrt_bf16() {
  %x = stablehlo.constant dense<[0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 10.0, 1000.0, 0x7F80, -1.0, 0x7FC0]> : tensor<11xbf16>
  %r = stablehlo.rsqrt %x : tensor<11xbf16>
  %expected = stablehlo.constant dense<[0x7F80, 2.0, 1.4140625, 1.0, 0.81640625, 0.70703125, 0.31640625, 0.03173828125, 0.0, 0x7FC0, 0x7FC0]> : tensor<11xbf16>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<11xbf16>, tensor<11xbf16>
  return
}

// -----

func.func @rsqrt_f16() {
  %x = stablehlo.constant dense<[0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 10.0, 1000.0, 0x7C00, -1.0, 0x7E00]> : tensor<11xf16>
  %r = stablehlo.rsqrt %x : tensor<11xf16>
  %expected = stablehlo.constant dense<[0x7C00, 2.0, 1.4140625, 1.0, 0.81640625, 0.70703125, 0.316162109375, 0.0316162109375, 0.0, 0x7E00, 0x7E00]> : tensor<11xf16>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<11xf16>, tensor<11xf16>
  return
}

// -----

func.func @scalar() {
  %x = stablehlo.constant dense<0.5> : tensor<f32>
  %r = "stablehlo.rsqrt"(%x) : (tensor<f32>) -> tensor<f32>
  %expected = stablehlo.constant dense<1.4142135> : tensor<f32>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<f32>, tensor<f32>
  return
}

// -----

func.func @complex_f32() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (-1.5, 0.5), (0.25, -3.0), (-2.0, -0.125), (3.0, 0.75)]> : tensor<5xcomplex<f32>>
  %r = "stablehlo.rsqrt"(%x) : (tensor<5xcomplex<f32>>) -> tensor<5xcomplex<f32>>
  %expected = stablehlo.constant dense<[(0.56886446, -0.35157758), (0.12738825, -0.78500175), (0.4241274, 0.39025357), (0.022043305, 0.70607394), (0.56440514, -0.06948145)]> : tensor<5xcomplex<f32>>
  check.expect_close %r, %expected, max_ulp_difference = 3 : tensor<5xcomplex<f32>>, tensor<5xcomplex<f32>>
  return
}

// -----

func.func @complex_f64() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (-1.5, 0.5), (0.25, -3.0), (-2.0, -0.125), (3.0, 0.75)]> : tensor<5xcomplex<f64>>
  %r = "stablehlo.rsqrt"(%x) : (tensor<5xcomplex<f64>>) -> tensor<5xcomplex<f64>>
  %expected = stablehlo.constant dense<[(0.5688644810057831, -0.3515775842541429), (0.12738824913169164, -0.7850017617921873), (0.42412741382249247, 0.3902535794316358), (0.022043304349315118, 0.7060739210414216), (0.5644051397612604, -0.0694814478321331)]> : tensor<5xcomplex<f64>>
  check.expect_close %r, %expected, max_ulp_difference = 3 : tensor<5xcomplex<f64>>, tensor<5xcomplex<f64>>
  return
}

// -----

func.func @empty() {
  %x = stablehlo.constant dense<> : tensor<2x0xf32>
  %r = "stablehlo.rsqrt"(%x) : (tensor<2x0xf32>) -> tensor<2x0xf32>
  check.expect_eq_const %r, dense<> : tensor<2x0xf32>
  return
}

// -----

func.func @quantized() {
  %s = stablehlo.constant dense<[0, 5, 20, 100]> : tensor<4xi8>
  %x = stablehlo.bitcast_convert %s : (tensor<4xi8>) -> tensor<4x!quant.uniform<i8:f32, 0.25:-3>>
  %r = stablehlo.rsqrt %x : (tensor<4x!quant.uniform<i8:f32, 0.25:-3>>) -> tensor<4x!quant.uniform<i8:f32, 0.5:2>>
  %b = stablehlo.bitcast_convert %r : (tensor<4x!quant.uniform<i8:f32, 0.5:2>>) -> tensor<4xi8>
  check.expect_eq_const %b, dense<[4, 3, 3, 2]> : tensor<4xi8>
  return
}
