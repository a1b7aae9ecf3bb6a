// RUN: tessera check %s

func.func @zeta_f64() {
  %x = stablehlo.constant dense<[2.0, 3.0, 4.5, 1.5]> : tensor<4xf64>
  %y = stablehlo.constant dense<[1.0, 0.5, 2.0, 10.0]> : tensor<4xf64>
  %r = "chlo.zeta"(%x, %y) : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  %expected = stablehlo.constant dense<[1.6449340668482264, 8.41439832211716, 0.05470751076145426, 0.6486616319415704]> : tensor<4xf64>
  check.expect_close %r, %expected, max_ulp_difference = 8 : tensor<4xf64>, tensor<4xf64>
  return
}

// -----

func.func @zeta_f32() {
  %x = stablehlo.constant dense<[2.0, 3.0, 4.5, 1.5]> : tensor<4xf32>
  %y = stablehlo.constant dense<[1.0, 0.5, 2.0, 10.0]> : tensor<4xf32>
  %r = chlo.zeta %x, %y : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %expected = stablehlo.constant dense<[1.644934, 8.414398, 0.054707512, 0.6486616]> : tensor<4xf32>
  check.expect_close %r, %expected, max_ulp_difference = 3 : tensor<4xf32>, tensor<4xf32>
  return
}
