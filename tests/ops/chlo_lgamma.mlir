// RUN: tessera check %s

func.func @lgamma_f32() {
  %x = stablehlo.constant dense<[0.25, 0.5, 3.0, 3.5, 10.0, 100.0]> : tensor<6xf32>
  %r = chlo.lgamma %x : tensor<6xf32> -> tensor<6xf32>
  %expected = stablehlo.constant dense<[1.2880225, 0.5723649, 0.6931472, 1.2009736, 12.801827, 359.13422]> : tensor<6xf32>
  check.expect_close %r, %expected, max_ulp_difference = 32 : tensor<6xf32>, tensor<6xf32>
  return
}

// -----

func.func @lgamma_f64() {
  %x = stablehlo.constant dense<[0.25, 0.5, 3.0, 3.5, 10.0, 100.0]> : tensor<6xf64>
  %r = "chlo.lgamma"(%x) : (tensor<6xf64>) -> tensor<6xf64>
  %expected = stablehlo.constant dense<[1.2880225246980774, 0.5723649429247001, 0.6931471805599453, 1.2009736023470743, 12.801827480081469, 359.1342053695754]> : tensor<6xf64>
  check.expect_close %r, %expected, max_ulp_difference = 32 : tensor<6xf64>, tensor<6xf64>
  return
}

// -----

func.func @lgamma_bf16() {
  %x = stablehlo.constant dense<[0.25, 0.5, 3.0, 3.5, 10.0, 100.0]> : tensor<6xbf16>
  %r = chlo.lgamma %x : tensor<6xbf16> -> tensor<6xbf16>
  %expected = stablehlo.constant dense<[1.2890625, 0.57421875, 0.69140625, 1.203125, 12.8125, 360.0]> : tensor<6xbf16>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<6xbf16>, tensor<6xbf16>
  return
}

// -----

func.func @lgamma_f16() {
  %x = stablehlo.constant dense<[0.25, 0.5, 3.0, 3.5, 10.0, 100.0]> : tensor<6xf16>
  %r = chlo.lgamma %x : tensor<6xf16> -> tensor<6xf16>
  %expected = stablehlo.constant dense<[1.2880859375, 0.572265625, 0.693359375, 1.201171875, 12.8046875, 359.25]> : tensor<6xf16>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<6xf16>, tensor<6xf16>
  return
}

// -----

func.func @scalar() {
  %x = stablehlo.constant dense<0.5> : tensor<f32>
  %r = "chlo.lgamma"(%x) : (tensor<f32>) -> tensor<f32>
  %expected = stablehlo.constant dense<0.5723649> : tensor<f32>
  check.expect_close %r, %expected, max_ulp_difference = 32 : tensor<f32>, tensor<f32>
  return
}

// -----

func.func @empty() {
  %x = stablehlo.constant dense<> : tensor<2x0xf32>
  %r = "chlo.lgamma"(%x) : (tensor<2x0xf32>) -> tensor<2x0xf32>
  check.expect_eq_const %r, dense<> : tensor<2x0xf32>
  return
}
