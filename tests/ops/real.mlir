// RUN: tessera check %s

func.func @real_f32() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (-2.5, 0.5), (0.0, -3.0)]> : tensor<3xcomplex<f32>>
  %r = stablehlo.real %x : (tensor<3xcomplex<f32>>) -> tensor<3xf32>
  check.expect_eq_const %r, dense<[1.0, -2.5, 0.0]> : tensor<3xf32>
  return
}

// -----

func.func @real_f64() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (-2.5, 0.5), (0.0, -3.0)]> : tensor<3xcomplex<f64>>
  %r = stablehlo.real %x : (tensor<3xcomplex<f64>>) -> tensor<3xf64>
  check.expect_eq_const %r, dense<[1.0, -2.5, 0.0]> : tensor<3xf64>
  return
}

// -----

func.func @of_floats() {
  %x = stablehlo.constant dense<[1.5, -2.0]> : tensor<2xbf16>
  %r = stablehlo.real %x : tensor<2xbf16>
  check.expect_eq_const %r, dense<[1.5, -2.0]> : tensor<2xbf16>
  return
}

// -----

func.func @scalar() {
  %x = stablehlo.constant dense<(1.5, 2.5)> : tensor<complex<f32>>
  %r = "stablehlo.real"(%x) : (tensor<complex<f32>>) -> tensor<f32>
  check.expect_eq_const %r, dense<1.5> : tensor<f32>
  return
}
