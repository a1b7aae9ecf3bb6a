// RUN: tessera check %s

func.func @tanh_f32() {
  %x = stablehlo.constant dense<[-2.5, -1.0, -0.5, -0.0, 0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 10.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<14xf32>
  %r = stablehlo.tanh %x : tensor<14xf32>
  %expected = stablehlo.constant dense<[-0.9866143, -0.7615942, -0.46211717, -0.0, 0.0, 0.24491866, 0.46211717, 0.7615942, 0.90514827, 0.9640276, 1.0, 1.0, -1.0, 0x7FC00000]> : tensor<14xf32>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<14xf32>, tensor<14xf32>
  return
}

// -----

func.func @tanh_f64() {
  %x = stablehlo.constant dense<[-2.5, -1.0, -0.5, -0.0, 0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 10.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<14xf64>
  %r = "stablehlo.tanh"(%x) : (tensor<14xf64>) -> tensor<14xf64>
  %expected = stablehlo.constant dense<[-0.9866142981514303, -0.7615941559557649, -0.46211715726000974, -0.0, 0.0, 0.24491866240370913, 0.46211715726000974, 0.7615941559557649, 0.9051482536448664, 0.9640275800758169, 0.9999999958776927, 1.0, -1.0, 0x7FF8000000000000]> : tensor<14xf64>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<14xf64>, tensor<14xf64>
  return
}

// -----

func.func @tanh_bf16() {
  %x = stablehlo.constant dense<[-2.5, -1.0, -0.5, -0.0, 0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 10.0, 0x7F80, 0xFF80, 0x7FC0]> : tensor<14xbf16>
  %r = stablehlo.tanh %x : tensor<14xbf16>
  %expected = stablehlo.constant dense<[-0.98828125, -0.76171875, -0.462890625, -0.0, 0.0, 0.2451171875, 0.462890625, 0.76171875, 0.90625, 0.96484375, 1.0, 1.0, -1.0, 0x7FC0]> : tensor<14xbf16>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<14xbf16>, tensor<14xbf16>
  return
}

// -----

func.func @tanh_f16() {
  %x = stablehlo.constant dense<[-2.5, -1.0, -0.5, -0.0, 0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 10.0, 0x7C00, 0xFC00, 0x7E00]> : tensor<14xf16>
  %r = stablehlo.tanh %x : tensor<14xf16>
  %expected = stablehlo.constant dense<[-0.98681640625, -0.76171875, -0.462158203125, -0.0, 0.0, 0.244873046875, 0.462158203125, 0.76171875, 0.9052734375, 0.9638671875, 1.0, 1.0, -1.0, 0x7E00]> : tensor<14xf16>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<14xf16>, tensor<14xf16>
  return
}

// -----

func.func @scalar() {
  %x = stablehlo.constant dense<0.5> : tensor<f32>
  %r = "stablehlo.tanh"(%x) : (tensor<f32>) -> tensor<f32>
  %expected = stablehlo.constant dense<0.46211717> : tensor<f32>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<f32>, tensor<f32>
  return
}

// -----

func.func @complex_f32() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (-1.5, 0.5), (0.25, -3.0), (-2.0, -0.125), (3.0, 0.75)]> : tensor<5xcomplex<f32>>
  %r = "stablehlo.tanh"(%x) : (tensor<5xcomplex<f32>>) -> tensor<5xcomplex<f32>>
  %expected = stablehlo.constant dense<[(1.1667362, -0.2434582), (-0.944373, 0.079324454), (0.24959107, 0.13383274), (-0.9650874, -0.008749255), (0.9996372, 0.004943322)]> : tensor<5xcomplex<f32>>
  check.expect_close %r, %expected, max_ulp_difference = 3 : tensor<5xcomplex<f32>>, tensor<5xcomplex<f32>>
  return
}

// -----

func.func @complex_f64() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (-1.5, 0.5), (0.25, -3.0), (-2.0, -0.125), (3.0, 0.75)]> : tensor<5xcomplex<f64>>
  %r = "stablehlo.tanh"(%x) : (tensor<5xcomplex<f64>>) -> tensor<5xcomplex<f64>>
  %expected = stablehlo.constant dense<[(1.16673625724092, -0.24345820118572525), (-0.9443729864226215, 0.07932445480395668), (0.24959107241921713, 0.13383274251519148), (-0.9650874212512804, -0.008749255167012176), (0.9996371610597968, 0.004943321841667708)]> : tensor<5xcomplex<f64>>
  check.expect_close %r, %expected, max_ulp_difference = 3 : tensor<5xcomplex<f64>>, tensor<5xcomplex<f64>>
  return
}

// -----

func.func @empty() {
  %x = stablehlo.constant dense<> : tensor<2x0xf32>
  %r = "stablehlo.tanh"(%x) : (tensor<2x0xf32>) -> tensor<2x0xf32>
  check.expect_eq_const %r, dense<> : tensor<2x0xf32>
  return
}

// -----

func.func @quantized() {
  %s = stablehlo.constant dense<[-40, -8, -3, 0, 5, 20, 100]> : tensor<7xi8>
  %x = stablehlo.bitcast_convert %s : (tensor<7xi8>) -> tensor<7x!quant.uniform<i8:f32, 0.25:-3>>
  %r = stablehlo.tanh %x : (tensor<7x!quant.uniform<i8:f32, 0.25:-3>>) -> tensor<7x!quant.uniform<i8:f32, 0.5:2>>
  %b = stablehlo.bitcast_convert %r : (tensor<7x!quant.uniform<i8:f32, 0.5:2>>) -> tensor<7xi8>
  check.expect_eq_const %b, dense<[0, 0, 2, 3, 4, 4, 4]> : tensor<7xi8>
  return
}
