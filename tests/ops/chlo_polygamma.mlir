// RUN: tessera check %s

func.func @polygamma_f64() {
  %x = stablehlo.constant dense<[0.0, 1.0, 2.0, 3.0]> : tensor<4xf64>
  %y = stablehlo.constant dense<[3.5, 0.5, 2.0, 10.0]> : tensor<4xf64>
  %r = "chlo.polygamma"(%x, %y) : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  %expected = stablehlo.constant dense<[1.103156640645243, 4.934802200544679, -0.4041138063191886, 0.0023199013042898686]> : tensor<4xf64>
  check.expect_close %r, %expected, max_ulp_difference = 16 : tensor<4xf64>, tensor<4xf64>
  return
}

// -----

func.func @polygamma_f32() {
  %x = stablehlo.constant dense<[0.0, 1.0, 2.0, 3.0]> : tensor<4xf32>
  %y = stablehlo.constant dense<[3.5, 0.5, 2.0, 10.0]> : tensor<4xf32>
  %r = chlo.polygamma %x, %y : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %expected = stablehlo.constant dense<[1.1031567, 4.934802, -0.4041138, 0.0023199013]> : tensor<4xf32>
  check.expect_close %r, %expected, max_ulp_difference = 4 : tensor<4xf32>, tensor<4xf32>
  return
}
