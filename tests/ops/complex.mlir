// RUN: tessera check %s

func.func @complex_f32() {
  %x = stablehlo.constant dense<[1.0, -2.5, 0.0]> : tensor<3xf32>
  %y = stablehlo.constant dense<[2.0, 0.5, -3.0]> : tensor<3xf32>
  %r = stablehlo.complex %x, %y : tensor<3xcomplex<f32>>
  check.expect_eq_const %r, dense<[(1.0, 2.0), (-2.5, 0.5), (0.0, -3.0)]> : tensor<3xcomplex<f32>>
  return
}

// -----

func.func @complex_f64() {
  %x = stablehlo.constant dense<[1.0, -2.5, 0.0]> : tensor<3xf64>
  %y = stablehlo.constant dense<[2.0, 0.5, -3.0]> : tensor<3xf64>
  %r = "stablehlo.complex"(%x, %y) : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xcomplex<f64>>
  check.expect_eq_const %r, dense<[(1.0, 2.0), (-2.5, 0.5), (0.0, -3.0)]> : tensor<3xcomplex<f64>>
  return
}

// -----

func.func @scalar() {
  %x = stablehlo.constant dense<1.5> : tensor<f32>
  %r = stablehlo.complex %x, %x : tensor<complex<f32>>
  check.expect_eq_const %r, dense<(1.5, 1.5)> : tensor<complex<f32>>
  return
}
