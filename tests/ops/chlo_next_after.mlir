// RUN: tessera check %s

func.func @next_after_f32() {
  %x = stablehlo.constant dense<[1.0, -1.0, 0.0, -0.0, 2.0, 1.0]> : tensor<6xf32>
  %y = stablehlo.constant dense<[2.0, -2.0, 1.0, -1.0, 2.0, 0xFF800000]> : tensor<6xf32>
  %r = chlo.next_after %x, %y : tensor<6xf32>, tensor<6xf32> -> tensor<6xf32>
  %expected = stablehlo.constant dense<[1.0000001, -1.0000001, 1.0e-45, -1.0e-45, 2.0, 0.99999994]> : tensor<6xf32>
  check.expect_close %r, %expected, max_ulp_difference = 0 : tensor<6xf32>, tensor<6xf32>
  return
}

// -----

func.func @next_after_f64() {
  %x = stablehlo.constant dense<[1.0, -1.0, 0.0, -0.0, 2.0, 1.0]> : tensor<6xf64>
  %y = stablehlo.constant dense<[2.0, -2.0, 1.0, -1.0, 2.0, 0xFFF0000000000000]> : tensor<6xf64>
  %r = "chlo.next_after"(%x, %y) : (tensor<6xf64>, tensor<6xf64>) -> tensor<6xf64>
  %expected = stablehlo.constant dense<[1.0000000000000002, -1.0000000000000002, 5.0e-324, -5.0e-324, 2.0, 0.9999999999999999]> : tensor<6xf64>
  check.expect_close %r, %expected, max_ulp_difference = 0 : tensor<6xf64>, tensor<6xf64>
  return
}
