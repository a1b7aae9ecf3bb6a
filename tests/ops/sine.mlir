// RUN: tessera check %s

func.func @sine_f32() {
  %x = stablehlo.constant dense<[-2.5, -1.0, -0.0, 0.0, 0.5, 1.0, 3.0, 100.0, 0x7F800000, 0x7FC00000]> : tensor<10xf32>
  %r = stablehlo.sine %x : tensor<10xf32>
  %expected = stablehlo.constant dense<[-0.5984721, -0.84147096, -0.0, 0.0, 0.47942555, 0.84147096, 0.14112, -0.50636566, 0x7FC00000, 0x7FC00000]> : tensor<10xf32>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<10xf32>, tensor<10xf32>
  return
}

// -----

func.func @sine_f64() {
  %x = stablehlo.constant dense<[-2.5, -1.0, -0.0, 0.0, 0.5, 1.0, 3.0, 100.0, 0x7FF0000000000000, 0x7FF8000000000000]> : tensor<10xf64>
  %r = "stablehlo.sine"(%x) : (tensor<10xf64>) -> tensor<10xf64>
  %expected = stablehlo.constant dense<[-0.5984721441039565, -0.8414709848078965, -0.0, 0.0, 0.479425538604203, 0.8414709848078965, 0.1411200080598672, -0.5063656411097588, 0x7FF8000000000000, 0x7FF8000000000000]> : tensor<10xf64>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<10xf64>, tensor<10xf64>
  return
}

// -----

func.func @sine_bf16() {
  %x = stablehlo.constant dense<[-2.5, -1.0, -0.0, 0.0, 0.5, 1.0, 3.0, 100.0, 0x7F80, 0x7FC0]> : tensor<10xbf16>
  %r = stablehlo.sine %x : tensor<10xbf16>
  %expected = stablehlo.constant dense<[-0.59765625, -0.83984375, -0.0, 0.0, 0.478515625, 0.83984375, 0.1416015625, -0.5078125, 0x7FC0, 0x7FC0]> : tensor<10xbf16>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<10xbf16>, tensor<10xbf16>
  return
}

// -----

func.func @sine_f16() {
  %x = stablehlo.constant dense<[-2.5, -1.0, -0.0, 0.0, 0.5, 1.0, 3.0, 100.0, 0x7C00, 0x7E00]> : tensor<10xf16>
  %r = stablehlo.sine %x : tensor<10xf16>
  %expected = stablehlo.constant dense<[-0.5986328125, -0.84130859375, -0.0, 0.0, 0.4794921875, 0.84130859375, 0.14111328125, -0.50634765625, 0x7E00, 0x7E00]> : tensor<10xf16>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<10xf16>, tensor<10xf16>
  return
}

// -----

func.func @scalar() {
  %x = stablehlo.constant dense<0.5> : tensor<f32>
  %r = "stablehlo.sine"(%x) : (tensor<f32>) -> tensor<f32>
  %expected = stablehlo.constant dense<0.47942555> : tensor<f32>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<f32>, tensor<f32>
  return
}

// -----

func.func @complex_f32() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (-1.5, 0.5), (0.25, -3.0), (-2.0, -0.125), (3.0, 0.75)]> : tensor<5xcomplex<f32>>
  %r = "stablehlo.sine"(%x) : (tensor<5xcomplex<f32>>) -> tensor<5xcomplex<f32>>
  %expected = stablehlo.constant dense<[(3.1657784, 1.959601), (-1.1248013, 0.036860824), (2.4907794, -9.706444), (-0.91641057, 0.052153926), (0.18270572, -0.8140874)]> : tensor<5xcomplex<f32>>
  check.expect_close %r, %expected, max_ulp_difference = 3 : tensor<5xcomplex<f32>>, tensor<5xcomplex<f32>>
  return
}

// -----

func.func @complex_f64() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (-1.5, 0.5), (0.25, -3.0), (-2.0, -0.125), (3.0, 0.75)]> : tensor<5xcomplex<f64>>
  %r = "stablehlo.sine"(%x) : (tensor<5xcomplex<f64>>) -> tensor<5xcomplex<f64>>
  %expected = stablehlo.constant dense<[(3.165778513216168, 1.9596010414216058), (-1.1248012470579227, 0.03686082371280446), (2.490779438191711, -9.706443456311078), (-0.9164105676434869, 0.05215392490440838), (0.18270571556857168, -0.8140873944454716)]> : tensor<5xcomplex<f64>>
  check.expect_close %r, %expected, max_ulp_difference = 3 : tensor<5xcomplex<f64>>, tensor<5xcomplex<f64>>
  return
}

// -----

func.func @empty() {
  %x = stablehlo.constant dense<> : tensor<2x0xf32>
  %r = "stablehlo.sine"(%x) : (tensor<2x0xf32>) -> tensor<2x0xf32>
  check.expect_eq_const %r, dense<> : tensor<2x0xf32>
  return
}

// -----

func.func @quantized() {
  %s = stablehlo.constant dense<[-40, -8, -3, 0, 5, 20, 100]> : tensor<7xi8>
  %x = stablehlo.bitcast_convert %s : (tensor<7xi8>) -> tensor<7x!quant.uniform<i8:f32, 0.25:-3>>
  %r = stablehlo.sine %x : (tensor<7x!quant.uniform<i8:f32, 0.25:-3>>) -> tensor<7x!quant.uniform<i8:f32, 0.5:2>>
  %b = stablehlo.bitcast_convert %r : (tensor<7x!quant.uniform<i8:f32, 0.5:2>>) -> tensor<7xi8>
  check.expect_eq_const %b, dense<[2, 0, 2, 3, 4, 1, 3]> : tensor<7xi8>
  return
}
