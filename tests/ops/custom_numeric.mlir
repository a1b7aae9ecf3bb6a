// RUN: tessera check %s

// CHLO functions that JAX carries through StableHLO as custom calls.
func.func @erf() {
  %x = stablehlo.constant dense<[-1.0, 0.0, 0.5]> : tensor<3xf32>
  %r = stablehlo.custom_call @mhlo.erf(%x) {mhlo.attributes = {}, mhlo.version = 1 : i64} : (tensor<3xf32>) -> tensor<3xf32>
  %expected = stablehlo.constant dense<[-0.8427008, 0.0, 0.5204999]> : tensor<3xf32>
  check.expect_close %r, %expected, max_ulp_difference = 4 : tensor<3xf32>, tensor<3xf32>
  return
}

// -----

func.func @tan() {
  %x = stablehlo.constant dense<[-1.0, 0.0, 0.5]> : tensor<3xf64>
  %r = stablehlo.custom_call @mhlo.tan(%x) : (tensor<3xf64>) -> tensor<3xf64>
  %expected = stablehlo.constant dense<[-1.557407724654902, 0.0, 0.5463024898437905]> : tensor<3xf64>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<3xf64>, tensor<3xf64>
  return
}
