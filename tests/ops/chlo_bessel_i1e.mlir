// RUN: tessera check %s

func.func @bessel_i1e_f32() {
  %x = stablehlo.constant dense<[-2.5, -1.0, 0.5, 1.0, 2.0, 10.0, 100.0]> : tensor<7xf32>
  %r = chlo.bessel_i1e %x : tensor<7xf32> -> tensor<7xf32>
  %expected = stablehlo.constant dense<[-0.20658465, -0.20791042, 0.1564208, 0.20791042, 0.21526928, 0.121262684, 0.039744154]> : tensor<7xf32>
  check.expect_close %r, %expected, max_ulp_difference = 3 : tensor<7xf32>, tensor<7xf32>
  return
}

// -----

func.func @bessel_i1e_f64() {
  %x = stablehlo.constant dense<[-2.5, -1.0, 0.5, 1.0, 2.0, 10.0, 100.0]> : tensor<7xf64>
  %r = "chlo.bessel_i1e"(%x) : (tensor<7xf64>) -> tensor<7xf64>
  %expected = stablehlo.constant dense<[-0.20658464953126657, -0.20791041534970844, 0.1564208031848717, 0.20791041534970844, 0.21526928924893765, 0.12126268138445552, 0.03974415302513025]> : tensor<7xf64>
  check.expect_close %r, %expected, max_ulp_difference = 3 : tensor<7xf64>, tensor<7xf64>
  return
}

// -----

func.func @bessel_i1e_bf16() {
  %x = stablehlo.constant dense<[-2.5, -1.0, 0.5, 1.0, 2.0, 10.0, 100.0]> : tensor<7xbf16>
  %r = chlo.bessel_i1e %x : tensor<7xbf16> -> tensor<7xbf16>
  %expected = stablehlo.constant dense<[-0.20703125, -0.2080078125, 0.15625, 0.2080078125, 0.21484375, 0.12109375, 0.039794921875]> : tensor<7xbf16>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<7xbf16>, tensor<7xbf16>
  return
}

// -----

func.func @bessel_i1e_f16() {
  %x = stablehlo.constant dense<[-2.5, -1.0, 0.5, 1.0, 2.0, 10.0, 100.0]> : tensor<7xf16>
  %r = chlo.bessel_i1e %x : tensor<7xf16> -> tensor<7xf16>
  %expected = stablehlo.constant dense<[-0.20654296875, -0.2078857421875, 0.1563720703125, 0.2078857421875, 0.2152099609375, 0.12127685546875, 0.03973388671875]> : tensor<7xf16>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<7xf16>, tensor<7xf16>
  return
}

// -----

func.func @scalar() {
  %x = stablehlo.constant dense<0.5> : tensor<f32>
  %r = "chlo.bessel_i1e"(%x) : (tensor<f32>) -> tensor<f32>
  %expected = stablehlo.constant dense<0.1564208> : tensor<f32>
  check.expect_close %r, %expected, max_ulp_difference = 3 : tensor<f32>, tensor<f32>
  return
}

// -----

func.func @empty() {
  %x = stablehlo.constant dense<> : tensor<2x0xf32>
  %r = "chlo.bessel_i1e"(%x) : (tensor<2x0xf32>) -> tensor<2x0xf32>
  check.expect_eq_const %r, dense<> : tensor<2x0xf32>
  return
}
