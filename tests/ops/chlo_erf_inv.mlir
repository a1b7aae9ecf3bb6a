// RUN: tessera check %s

func.func @erf_inv_f32() {
  %x = stablehlo.constant dense<[-0.75, -0.5, 0.125, 0.5, 0.75]> : tensor<5xf32>
  %r = chlo.erf_inv %x : tensor<5xf32> -> tensor<5xf32>
  %expected = stablehlo.constant dense<[-0.8134198, -0.47693628, 0.111235455, 0.47693628, 0.8134198]> : tensor<5xf32>
  check.expect_close %r, %expected, max_ulp_difference = 16 : tensor<5xf32>, tensor<5xf32>
  return
}

// -----

func.func @erf_inv_f64() {
  %x = stablehlo.constant dense<[-0.75, -0.5, 0.125, 0.5, 0.75]> : tensor<5xf64>
  %r = "chlo.erf_inv"(%x) : (tensor<5xf64>) -> tensor<5xf64>
  %expected = stablehlo.constant dense<[-0.8134198475976185, -0.4769362762044699, 0.11123545184094996, 0.4769362762044699, 0.8134198475976185]> : tensor<5xf64>
  check.expect_close %r, %expected, max_ulp_difference = 16 : tensor<5xf64>, tensor<5xf64>
  return
}

// -----

func.func @erf_inv_bf16() {
  %x = stablehlo.constant dense<[-0.75, -0.5, 0.125, 0.5, 0.75]> : tensor<5xbf16>
  %r = chlo.erf_inv %x : tensor<5xbf16> -> tensor<5xbf16>
  %expected = stablehlo.constant dense<[-0.8125, -0.4765625, 0.111328125, 0.4765625, 0.8125]> : tensor<5xbf16>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<5xbf16>, tensor<5xbf16>
  return
}

// -----

func.func @erf_inv_f16() {
  %x = stablehlo.constant dense<[-0.75, -0.5, 0.125, 0.5, 0.75]> : tensor<5xf16>
  %r = chlo.erf_inv %x : tensor<5xf16> -> tensor<5xf16>
  %expected = stablehlo.constant dense<[-0.8134765625, -0.47705078125, 0.1112060546875, 0.47705078125, 0.8134765625]> : tensor<5xf16>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<5xf16>, tensor<5xf16>
  return
}

// -----

func.func @scalar() {
  %x = stablehlo.constant dense<0.5> : tensor<f32>
  %r = "chlo.erf_inv"(%x) : (tensor<f32>) -> tensor<f32>
  %expected = stablehlo.constant dense<0.47693628> : tensor<f32>
  check.expect_close %r, %expected, max_ulp_difference = 16 : tensor<f32>, tensor<f32>
  return
}

// -----

func.func @empty() {
  %x = stablehlo.constant dense<> : tensor<2x0xf32>
  %r = "chlo.erf_inv"(%x) : (tensor<2x0xf32>) -> tensor<2x0xf32>
  check.expect_eq_const %r, dense<> : tensor<2x0xf32>
  return
}
