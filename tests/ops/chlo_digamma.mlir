// RUN: tessera check %s

func.func @digamma_f32() {
  %x = stablehlo.constant dense<[0.25, 0.5, 1.0, 2.0, 3.5, 10.0]> : tensor<6xf32>
  %r = chlo.digamma %x : tensor<6xf32> -> tensor<6xf32>
  %expected = stablehlo.constant dense<[-4.2274537, -1.96351, -0.5772157, 0.42278433, 1.1031567, 2.2517526]> : tensor<6xf32>
  check.expect_close %r, %expected, max_ulp_difference = 16 : tensor<6xf32>, tensor<6xf32>
  return
}

// -----

func.func @digamma_f64() {
  %x = stablehlo.constant dense<[0.25, 0.5, 1.0, 2.0, 3.5, 10.0]> : tensor<6xf64>
  %r = "chlo.digamma"(%x) : (tensor<6xf64>) -> tensor<6xf64>
  %expected = stablehlo.constant dense<[-4.2274535333762655, -1.9635100260214235, -0.5772156649015329, 0.42278433509846713, 1.103156640645243, 2.251752589066721]> : tensor<6xf64>
  check.expect_close %r, %expected, max_ulp_difference = 16 : tensor<6xf64>, tensor<6xf64>
  return
}

// -----

func.func @digamma_bf16() {
  %x = stablehlo.constant dense<[0.25, 0.5, 1.0, 2.0, 3.5, 10.0]> : tensor<6xbf16>
  %r = chlo.digamma %x : tensor<6xbf16> -> tensor<6xbf16>
  %expected = stablehlo.constant dense<[-4.21875, -1.9609375, -0.578125, 0.421875, 1.1015625, 2.25]> : tensor<6xbf16>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<6xbf16>, tensor<6xbf16>
  return
}

// -----

func.func @digamma_f16() {
  %x = stablehlo.constant dense<[0.25, 0.5, 1.0, 2.0, 3.5, 10.0]> : tensor<6xf16>
  %r = chlo.digamma %x : tensor<6xf16> -> tensor<6xf16>
  %expected = stablehlo.constant dense<[-4.2265625, -1.9638671875, -0.5771484375, 0.4228515625, 1.103515625, 2.251953125]> : tensor<6xf16>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<6xf16>, tensor<6xf16>
  return
}

// -----

func.func @scalar() {
  %x = stablehlo.constant dense<0.5> : tensor<f32>
  %r = "chlo.digamma"(%x) : (tensor<f32>) -> tensor<f32>
  %expected = stablehlo.constant dense<-1.96351> : tensor<f32>
  check.expect_close %r, %expected, max_ulp_difference = 16 : tensor<f32>, tensor<f32>
  return
}

// -----

func.func @empty() {
  %x = stablehlo.constant dense<> : tensor<2x0xf32>
  %r = "chlo.digamma"(%x) : (tensor<2x0xf32>) -> tensor<2x0xf32>
  check.expect_eq_const %r, dense<> : tensor<2x0xf32>
  return
}
