// RUN: tessera check %s

func.func @log_plus_one_f32() {
  %x = stablehlo.constant dense<[-1.0, -0.5, -0.0, 0.0, 0.0009765625, 0.5, 1.0, 10.0, 0x7F800000, -2.0, 0x7FC00000]> : tensor<11xf32>
  %r = stablehlo.log_plus_one %x : tensor<11xf32>
  %expected = stablehlo.constant dense<[0xFF800000, -0.6931472, -0.0, 0.0, 0.00097608595, 0.4054651, 0.6931472, 2.3978953, 0x7F800000, 0x7FC00000, 0x7FC00000]> : tensor<11xf32>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<11xf32>, tensor<11xf32>
  return
}

// -----

func.func @log_plus_one_f64() {
  %x = stablehlo.constant dense<[-1.0, -0.5, -0.0, 0.0, 0.0009765625, 0.5, 1.0, 10.0, 0x7FF0000000000000, -2.0, 0x7FF8000000000000]> : tensor<11xf64>
  %r = "stablehlo.log_plus_one"(%x) : (tensor<11xf64>) -> tensor<11xf64>
  %expected = stablehlo.constant dense<[0xFFF0000000000000, -0.6931471805599453, -0.0, 0.0, 0.0009760859730554589, 0.4054651081081644, 0.6931471805599453, 2.3978952727983707, 0x7FF0000000000000, 0x7FF8000000000000, 0x7FF8000000000000]> : tensor<11xf64>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<11xf64>, tensor<11xf64>
  return
}

// -----

func.func @log_plus_one_bf16() {
  %x = stablehlo.constant dense<[-1.0, -0.5, -0.0, 0.0, 0.0009765625, 0.5, 1.0, 10.0, 0x7F80, -2.0, 0x7FC0]> : tensor<11xbf16>
  %r = stablehlo.log_plus_one %x : tensor<11xbf16>
  %expected = stablehlo.constant dense<[0xFF80, -0.69140625, -0.0, 0.0, 0.0009765625, 0.40625, 0.69140625, 2.390625, 0x7F80, 0x7FC0, 0x7FC0]> : tensor<11xbf16>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<11xbf16>, tensor<11xbf16>
  return
}

// -----

func.func @log_plus_one_f16() {
  %x = stablehlo.constant dense<[-1.0, -0.5, -0.0, 0.0, 0.0009765625, 0.5, 1.0, 10.0, 0x7C00, -2.0, 0x7E00]> : tensor<11xf16>
  %r = stablehlo.log_plus_one %x : tensor<11xf16>
  %expected = stablehlo.constant dense<[0xFC00, -0.693359375, -0.0, 0.0, 0.0009760856628417969, 0.405517578125, 0.693359375, 2.3984375, 0x7C00, 0x7E00, 0x7E00]> : tensor<11xf16>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<11xf16>, tensor<11xf16>
  return
}

// -----

func.func @scalar() {
  %x = stablehlo.constant dense<0.5> : tensor<f32>
  %r = "stablehlo.log_plus_one"(%x) : (tensor<f32>) -> tensor<f32>
  %expected = stablehlo.constant dense<0.4054651> : tensor<f32>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<f32>, tensor<f32>
  return
}

// -----

func.func @complex_f32() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (-1.5, 0.5), (0.25, -3.0), (-2.0, -0.125), (3.0, 0.75)]> : tensor<5xcomplex<f32>>
  %r = "stablehlo.log_plus_one"(%x) : (tensor<5xcomplex<f32>>) -> tensor<5xcomplex<f32>>
  %expected = stablehlo.constant dense<[(1.0397208, 0.7853982), (-0.3465736, 2.3561945), (1.178655, -1.1760052), (0.0077520935, -3.0172377), (1.4035705, 0.18534794)]> : tensor<5xcomplex<f32>>
  check.expect_close %r, %expected, max_ulp_difference = 3 : tensor<5xcomplex<f32>>, tensor<5xcomplex<f32>>
  return
}

// -----

func.func @complex_f64() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (-1.5, 0.5), (0.25, -3.0), (-2.0, -0.125), (3.0, 0.75)]> : tensor<5xcomplex<f64>>
  %r = "stablehlo.log_plus_one"(%x) : (tensor<5xcomplex<f64>>) -> tensor<5xcomplex<f64>>
  %expected = stablehlo.constant dense<[(1.0397207708399179, 0.7853981633974483), (-0.34657359027997264, 2.356194490192345), (1.1786549963416462, -1.176005207095135), (0.007752093267982627, -3.017237659043032), (1.4035705518732204, 0.18534794999569476)]> : tensor<5xcomplex<f64>>
  check.expect_close %r, %expected, max_ulp_difference = 3 : tensor<5xcomplex<f64>>, tensor<5xcomplex<f64>>
  return
}

// -----

func.func @empty() {
  %x = stablehlo.constant dense<> : tensor<2x0xf32>
  %r = "stablehlo.log_plus_one"(%x) : (tensor<2x0xf32>) -> tensor<2x0xf32>
  check.expect_eq_const %r, dense<> : tensor<2x0xf32>
  return
}

// -----

func.func @quantized() {
  %s = stablehlo.constant dense<[0, 5, 20, 100]> : tensor<4xi8>
  %x = stablehlo.bitcast_convert %s : (tensor<4xi8>) -> tensor<4x!quant.uniform<i8:f32, 0.25:-3>>
  %r = stablehlo.log_plus_one %x : (tensor<4x!quant.uniform<i8:f32, 0.25:-3>>) -> tensor<4x!quant.uniform<i8:f32, 0.5:2>>
  %b = stablehlo.bitcast_convert %r : (tensor<4x!quant.uniform<i8:f32, 0.5:2>>) -> tensor<4xi8>
  check.expect_eq_const %b, dense<[3, 4, 6, 9]> : tensor<4xi8>
  return
}
