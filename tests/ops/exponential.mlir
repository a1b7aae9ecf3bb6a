// RUN: tessera check %s

func.func @exponential_f32() {
  %x = stablehlo.constant dense<[-2.5, -1.0, -0.5, -0.0, 0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 10.0, 0x7F800000, 0xFF800000, 0x7FC00000, -100.0]> : tensor<15xf32>
  %r = stablehlo.exponential %x : tensor<15xf32>
  %expected = stablehlo.constant dense<[0.082085, 0.36787945, 0.60653067, 1.0, 1.0, 1.2840254, 1.6487212, 2.7182817, 4.481689, 7.389056, 22026.465, 0x7F800000, 0.0, 0x7FC00000, 3.8e-44]> : tensor<15xf32>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<15xf32>, tensor<15xf32>
  return
}

// -----

func.func @exponential_f64() {
  %x = stablehlo.constant dense<[-2.5, -1.0, -0.5, -0.0, 0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 10.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, -100.0]> : tensor<15xf64>
  %r = "stablehlo.exponential"(%x) : (tensor<15xf64>) -> tensor<15xf64>
  %expected = stablehlo.constant dense<[0.0820849986238988, 0.36787944117144233, 0.6065306597126334, 1.0, 1.0, 1.2840254166877414, 1.6487212707001282, 2.718281828459045, 4.4816890703380645, 7.38905609893065, 22026.465794806718, 0x7FF0000000000000, 0.0, 0x7FF8000000000000, 3.720075976020836e-44]> : tensor<15xf64>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<15xf64>, tensor<15xf64>
  return
}

// -----

func.func @exponential_bf16() {
  %x = stablehlo.constant dense<[-2.5, -1.0, -0.5, -0.0, 0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 10.0, 0x7F80, 0xFF80, 0x7FC0, -100.0]> : tensor<15xbf16>
  %r = stablehlo.exponential %x : tensor<15xbf16>
  %expected = stablehlo.constant dense<[0.08203125, 0.3671875, 0.60546875, 1.0, 1.0, 1.28125, 1.6484375, 2.71875, 4.46875, 7.375, 22016.0, 0x7F80, 0.0, 0x7FC0, 0.0]> : tensor<15xbf16>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<15xbf16>, tensor<15xbf16>
  return
}

// -----

func.func @exponential_f16() {
  %x = stablehlo.constant dense<[-2.5, -1.0, -0.5, -0.0, 0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 10.0, 0x7C00, 0xFC00, 0x7E00, -100.0]> : tensor<15xf16>
  %r = stablehlo.exponential %x : tensor<15xf16>
  %expected = stablehlo.constant dense<[0.08209228515625, 0.367919921875, 0.6064453125, 1.0, 1.0, 1.2841796875, 1.6484375, 2.71875, 4.48046875, 7.390625, 22032.0, 0x7C00, 0.0, 0x7E00, 0.0]> : tensor<15xf16>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<15xf16>, tensor<15xf16>
  return
}

// -----

func.func @scalar() {
  %x = stablehlo.constant dense<0.5> : tensor<f32>
  %r = "stablehlo.exponential"(%x) : (tensor<f32>) -> tensor<f32>
  %expected = stablehlo.constant dense<1.6487212> : tensor<f32>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<f32>, tensor<f32>
  return
}

// -----

func.func @complex_f32() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (-1.5, 0.5), (0.25, -3.0), (-2.0, -0.125), (3.0, 0.75)]> : tensor<5xcomplex<f32>>
  %r = "stablehlo.exponential"(%x) : (tensor<5xcomplex<f32>>) -> tensor<5xcomplex<f32>>
  %expected = stablehlo.constant dense<[(-1.1312044, 2.4717267), (0.19581513, 0.106974296), (-1.2711755, -0.18120168), (0.13427936, -0.01687289), (14.696363, 13.69108)]> : tensor<5xcomplex<f32>>
  check.expect_close %r, %expected, max_ulp_difference = 3 : tensor<5xcomplex<f32>>, tensor<5xcomplex<f32>>
  return
}

// -----

func.func @complex_f64() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (-1.5, 0.5), (0.25, -3.0), (-2.0, -0.125), (3.0, 0.75)]> : tensor<5xcomplex<f64>>
  %r = "stablehlo.exponential"(%x) : (tensor<5xcomplex<f64>>) -> tensor<5xcomplex<f64>>
  %expected = stablehlo.constant dense<[(-1.1312043837568135, 2.4717266720048188), (0.1958151375780682, 0.10697429720800304), (-1.2711755279651245, -0.18120167715204843), (0.13427935232118762, -0.01687289035513896), (14.69636379205055, 13.691080482724537)]> : tensor<5xcomplex<f64>>
  check.expect_close %r, %expected, max_ulp_difference = 3 : tensor<5xcomplex<f64>>, tensor<5xcomplex<f64>>
  return
}

// -----

func.func @empty() {
  %x = stablehlo.constant dense<> : tensor<2x0xf32>
  %r = "stablehlo.exponential"(%x) : (tensor<2x0xf32>) -> tensor<2x0xf32>
  check.expect_eq_const %r, dense<> : tensor<2x0xf32>
  return
}

// -----

func.func @quantized() {
  %s = stablehlo.constant dense<[-40, -8, -3, 0, 5, 20, 100]> : tensor<7xi8>
  %x = stablehlo.bitcast_convert %s : (tensor<7xi8>) -> tensor<7x!quant.uniform<i8:f32, 0.25:-3>>
  %r = stablehlo.exponential %x : (tensor<7x!quant.uniform<i8:f32, 0.25:-3>>) -> tensor<7x!quant.uniform<i8:f32, 0.5:2>>
  %b = stablehlo.bitcast_convert %r : (tensor<7x!quant.uniform<i8:f32, 0.5:2>>) -> tensor<7xi8>
  check.expect_eq_const %b, dense<[2, 3, 4, 6, 17, 127, 127]> : tensor<7xi8>
  return
}
