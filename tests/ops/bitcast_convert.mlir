// RUN: tessera check %s

func.func @same_width() {
  %x = stablehlo.constant dense<[1.0, -0.0, 0x7FA00001]> : tensor<3xf32>
  %r = stablehlo.bitcast_convert %x : (tensor<3xf32>) -> tensor<3xui32>
  check.expect_eq_const %r, dense<[0x3F800000, 0x80000000, 0x7FA00001]> : tensor<3xui32>
  %back = "stablehlo.bitcast_convert"(%r) : (tensor<3xui32>) -> tensor<3xi32>
  check.expect_eq_const %back, dense<[1065353216, -2147483648, 2141192193]> : tensor<3xi32>
  return
}

// -----

func.func @narrower() {
  %x = stablehlo.constant dense<[0x01020304, 0x7F000000]> : tensor<2xui32>
  %r = stablehlo.bitcast_convert %x : (tensor<2xui32>) -> tensor<2x4xi8>
  check.expect_eq_const %r, dense<[[4, 3, 2, 1], [0, 0, 0, 127]]> : tensor<2x4xi8>
  %s = stablehlo.bitcast_convert %x : (tensor<2xui32>) -> tensor<2x8xui4>
  check.expect_eq_const %s, dense<[[4, 0, 3, 0, 2, 0, 1, 0], [0, 0, 0, 0, 0, 0, 15, 7]]> : tensor<2x8xui4>
  return
}

// -----

func.func @wider() {
  %x = stablehlo.constant dense<[[4, 3, 2, 1], [0, 0, -128, 63]]> : tensor<2x4xi8>
  %r = stablehlo.bitcast_convert %x : (tensor<2x4xi8>) -> tensor<2xf32>
  %b = stablehlo.bitcast_convert %r : (tensor<2xf32>) -> tensor<2xui32>
  check.expect_eq_const %b, dense<[0x01020304, 0x3F800000]> : tensor<2xui32>
  %n = stablehlo.constant dense<[-1, 7, 2, -8]> : tensor<4xi4>
  %w = stablehlo.bitcast_convert %n : (tensor<4xi4>) -> tensor<ui16>
  check.expect_eq_const %w, dense<0x827F> : tensor<ui16>
  return
}

// -----

func.func @bools() {
  %x = stablehlo.constant dense<[true, false, true, true, false, false, false, true]> : tensor<8xi1>
  %r = stablehlo.bitcast_convert %x : (tensor<8xi1>) -> tensor<ui8>
  check.expect_eq_const %r, dense<0x8D> : tensor<ui8>
  %b = stablehlo.bitcast_convert %r : (tensor<ui8>) -> tensor<8xi1>
  check.expect_eq_const %b, dense<[true, false, true, true, false, false, false, true]> : tensor<8xi1>
  return
}

// -----

func.func @complex_and_quantized() {
  %x = stablehlo.constant dense<(1.0, 2.0)> : tensor<complex<f64>>
  %r = stablehlo.bitcast_convert %x : (tensor<complex<f64>>) -> tensor<2xcomplex<f32>>
  check.expect_eq_const %r, dense<[(0.0, 1.875), (0.0, 2.0)]> : tensor<2xcomplex<f32>>
  %s = stablehlo.constant dense<[1, -2]> : tensor<2xi8>
  %q = stablehlo.bitcast_convert %s : (tensor<2xi8>) -> tensor<2x!quant.uniform<i8:f32, 0.5:1>>
  %i = stablehlo.bitcast_convert %q : (tensor<2x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<2xi8>
  check.expect_eq_const %i, dense<[1, -2]> : tensor<2xi8>
  return
}
