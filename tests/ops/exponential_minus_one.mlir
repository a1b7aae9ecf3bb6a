// RUN: tessera check %s

func.func @exponential_minus_one_f32() {
  %x = stablehlo.constant dense<[-2.5, -1.0, -0.5, -0.0, 0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 10.0, 0x7F800000, 0xFF800000, 0x7FC00000, 0.0009765625]> : tensor<15xf32>
  %r = stablehlo.exponential_minus_one %x : tensor<15xf32>
  %expected = stablehlo.constant dense<[-0.917915, -0.63212055, -0.39346933, -0.0, 0.0, 0.28402543, 0.6487213, 1.7182819, 3.481689, 6.389056, 22025.465, 0x7F800000, -1.0, 0x7FC00000, 0.0009770395]> : tensor<15xf32>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<15xf32>, tensor<15xf32>
  return
}

// -----

func.func @exponential_minus_one_f64() {
  %x = stablehlo.constant dense<[-2.5, -1.0, -0.5, -0.0, 0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 10.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 0.0009765625]> : tensor<15xf64>
  %r = "stablehlo.exponential_minus_one"(%x) : (tensor<15xf64>) -> tensor<15xf64>
  %expected = stablehlo.constant dense<[-0.9179150013761012, -0.6321205588285577, -0.3934693402873666, -0.0, 0.0, 0.2840254166877415, 0.6487212707001282, 1.7182818284590453, 3.481689070338065, 6.38905609893065, 22025.465794806718, 0x7FF0000000000000, -1.0, 0x7FF8000000000000, 0.0009770394924165351]> : tensor<15xf64>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<15xf64>, tensor<15xf64>
  return
}

// -----

func.func @exponential_minus_one_bf16() {
  %x = stablehlo.constant dense<[-2.5, -1.0, -0.5, -0.0, 0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 10.0, 0x7F80, 0xFF80, 0x7FC0, 0.0009765625]> : tensor<15xbf16>
  %r = stablehlo.exponential_minus_one %x : tensor<15xbf16>
  %expected = stablehlo.constant dense<[-0.91796875, -0.6328125, -0.392578125, -0.0, 0.0, 0.283203125, 0.6484375, 1.71875, 3.484375, 6.375, 22016.0, 0x7F80, -1.0, 0x7FC0, 0.0009765625]> : tensor<15xbf16>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<15xbf16>, tensor<15xbf16>
  return
}

// -----

func.func @exponential_minus_one_f16() {
  %x = stablehlo.constant dense<[-2.5, -1.0, -0.5, -0.0, 0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 10.0, 0x7C00, 0xFC00, 0x7E00, 0.0009765625]> : tensor<15xf16>
  %r = stablehlo.exponential_minus_one %x : tensor<15xf16>
  %expected = stablehlo.constant dense<[-0.91796875, -0.63232421875, -0.3935546875, -0.0, 0.0, 0.283935546875, 0.64892578125, 1.71875, 3.482421875, 6.390625, 22032.0, 0x7C00, -1.0, 0x7E00, 0.0009775161743164062]> : tensor<15xf16>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<15xf16>, tensor<15xf16>
  return
}

// -----

func.func @scalar() {
  %x = stablehlo.constant dense<0.5> : tensor<f32>
  %r = "stablehlo.exponential_minus_one"(%x) : (tensor<f32>) -> tensor<f32>
  %expected = stablehlo.constant dense<0.6487213> : tensor<f32>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<f32>, tensor<f32>
  return
}

// -----

func.func @complex_f32() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (-1.5, 0.5), (0.25, -3.0), (-2.0, -0.125), (3.0, 0.75)]> : tensor<5xcomplex<f32>>
  %r = "stablehlo.exponential_minus_one"(%x) : (tensor<5xcomplex<f32>>) -> tensor<5xcomplex<f32>>
  %expected = stablehlo.constant dense<[(-2.1312044, 2.4717267), (-0.80418485, 0.106974296), (-2.2711756, -0.18120168), (-0.8657206, -0.01687289), (13.696363, 13.69108)]> : tensor<5xcomplex<f32>>
  check.expect_close %r, %expected, max_ulp_difference = 3 : tensor<5xcomplex<f32>>, tensor<5xcomplex<f32>>
  return
}

// -----

func.func @complex_f64() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (-1.5, 0.5), (0.25, -3.0), (-2.0, -0.125), (3.0, 0.75)]> : tensor<5xcomplex<f64>>
  %r = "stablehlo.exponential_minus_one"(%x) : (tensor<5xcomplex<f64>>) -> tensor<5xcomplex<f64>>
  %expected = stablehlo.constant dense<[(-2.1312043837568138, 2.4717266720048188), (-0.8041848624219318, 0.10697429720800304), (-2.2711755279651245, -0.18120167715204843), (-0.8657206476788124, -0.01687289035513896), (13.69636379205055, 13.691080482724537)]> : tensor<5xcomplex<f64>>
  check.expect_close %r, %expected, max_ulp_difference = 3 : tensor<5xcomplex<f64>>, tensor<5xcomplex<f64>>
  return
}

// -----

func.func @empty() {
  %x = stablehlo.constant dense<> : tensor<2x0xf32>
  %r = "stablehlo.exponential_minus_one"(%x) : (tensor<2x0xf32>) -> tensor<2x0xf32>
  check.expect_eq_const %r, dense<> : tensor<2x0xf32>
  return
}

// -----

func.func @quantized() {
  %s = stablehlo.constant dense<[-40, -8, -3, 0, 5, 20, 100]> : tensor<7xi8>
  %x = stablehlo.bitcast_convert %s : (tensor<7xi8>) -> tensor<7x!quant.uniform<i8:f32, 0.25:-3>>
  %r = stablehlo.exponential_minus_one %x : (tensor<7x!quant.uniform<i8:f32, 0.25:-3>>) -> tensor<7x!quant.uniform<i8:f32, 0.5:2>>
  %b = stablehlo.bitcast_convert %r : (tensor<7x!quant.uniform<i8:f32, 0.5:2>>) -> tensor<7xi8>
  check.expect_eq_const %b, dense<[0, 1, 2, 4, 15, 127, 127]> : tensor<7xi8>
  return
}
