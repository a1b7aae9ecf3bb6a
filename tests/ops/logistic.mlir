// RUN: tessera check %s

func.func @logistic_f32() {
  %x = stablehlo.constant dense<[-2.5, -1.0, -0.5, -0.0, 0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 10.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<14xf32>
  %r = stablehlo.logistic %x : tensor<14xf32>
  %expected = stablehlo.constant dense<[0.07585818, 0.26894143, 0.37754068, 0.5, 0.5, 0.5621765, 0.62245935, 0.7310586, 0.8175745, 0.8807971, 0.9999546, 1.0, 0.0, 0x7FC00000]> : tensor<14xf32>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<14xf32>, tensor<14xf32>
  return
}

// -----

func.func @logistic_f64() {
  %x = stablehlo.constant dense<[-2.5, -1.0, -0.5, -0.0, 0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 10.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<14xf64>
  %r = "stablehlo.logistic"(%x) : (tensor<14xf64>) -> tensor<14xf64>
  %expected = stablehlo.constant dense<[0.07585818002124355, 0.2689414213699951, 0.37754066879814546, 0.5, 0.5, 0.5621765008857981, 0.6224593312018546, 0.7310585786300049, 0.8175744761936437, 0.8807970779778824, 0.9999546021312976, 1.0, 0.0, 0x7FF8000000000000]> : tensor<14xf64>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<14xf64>, tensor<14xf64>
  return
}

// -----

func.func @logistic_bf16() {
  %x = stablehlo.constant dense<[-2.5, -1.0, -0.5, -0.0, 0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 10.0, 0x7F80, 0xFF80, 0x7FC0]> : tensor<14xbf16>
  %r = stablehlo.logistic %x : tensor<14xbf16>
  %expected = stablehlo.constant dense<[0.07568359375, 0.26953125, 0.376953125, 0.5, 0.5, 0.5625, 0.62109375, 0.73046875, 0.81640625, 0.87890625, 1.0, 1.0, 0.0, 0x7FC0]> : tensor<14xbf16>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<14xbf16>, tensor<14xbf16>
  return
}

// -----

func.func @logistic_f16() {
  %x = stablehlo.constant dense<[-2.5, -1.0, -0.5, -0.0, 0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 10.0, 0x7C00, 0xFC00, 0x7E00]> : tensor<14xf16>
  %r = stablehlo.logistic %x : tensor<14xf16>
  %expected = stablehlo.constant dense<[0.07586669921875, 0.26904296875, 0.37744140625, 0.5, 0.5, 0.56201171875, 0.62255859375, 0.73095703125, 0.8173828125, 0.880859375, 1.0, 1.0, 0.0, 0x7E00]> : tensor<14xf16>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<14xf16>, tensor<14xf16>
  return
}

// -----

func.func @scalar() {
  %x = stablehlo.constant dense<0.5> : tensor<f32>
  %r = "stablehlo.logistic"(%x) : (tensor<f32>) -> tensor<f32>
  %expected = stablehlo.constant dense<0.62245935> : tensor<f32>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<f32>, tensor<f32>
  return
}

// -----

func.func @complex_f32() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (-1.5, 0.5), (0.25, -3.0), (-2.0, -0.125), (3.0, 0.75)]> : tensor<5xcomplex<f32>>
  %r = "stablehlo.logistic"(%x) : (tensor<5xcomplex<f32>>) -> tensor<5xcomplex<f32>>
  %expected = stablehlo.constant dense<[(1.0214154, 0.40343872), (0.17038938, 0.07421466), (3.5493557, -1.7035002), (0.118578, -0.013111529), (0.9638184, 0.031559248)]> : tensor<5xcomplex<f32>>
  check.expect_close %r, %expected, max_ulp_difference = 3 : tensor<5xcomplex<f32>>, tensor<5xcomplex<f32>>
  return
}

// -----

func.func @complex_f64() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (-1.5, 0.5), (0.25, -3.0), (-2.0, -0.125), (3.0, 0.75)]> : tensor<5xcomplex<f64>>
  %r = "stablehlo.logistic"(%x) : (tensor<5xcomplex<f64>>) -> tensor<5xcomplex<f64>>
  %expected = stablehlo.constant dense<[(1.0214153641721806, 0.4034387060815425), (0.17038937893273845, 0.07421465940354967), (3.549355837550806, -1.703500153159033), (0.1185780041205965, -0.01311152906261284), (0.9638183837604717, 0.03155924687355389)]> : tensor<5xcomplex<f64>>
  check.expect_close %r, %expected, max_ulp_difference = 3 : tensor<5xcomplex<f64>>, tensor<5xcomplex<f64>>
  return
}

// -----

func.func @empty() {
  %x = stablehlo.constant dense<> : tensor<2x0xf32>
  %r = "stablehlo.logistic"(%x) : (tensor<2x0xf32>) -> tensor<2x0xf32>
  check.expect_eq_const %r, dense<> : tensor<2x0xf32>
  return
}

// -----

func.func @quantized() {
  %s = stablehlo.constant dense<[-40, -8, -3, 0, 5, 20, 100]> : tensor<7xi8>
  %x = stablehlo.bitcast_convert %s : (tensor<7xi8>) -> tensor<7x!quant.uniform<i8:f32, 0.25:-3>>
  %r = stablehlo.logistic %x : (tensor<7x!quant.uniform<i8:f32, 0.25:-3>>) -> tensor<7x!quant.uniform<i8:f32, 0.5:2>>
  %b = stablehlo.bitcast_convert %r : (tensor<7x!quant.uniform<i8:f32, 0.5:2>>) -> tensor<7xi8>
  check.expect_eq_const %b, dense<[2, 2, 3, 3, 4, 4, 4]> : tensor<7xi8>
  return
}
