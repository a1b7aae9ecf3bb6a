// RUN: tessera parse --verify-diagnostics %s

func.func @c1() {
  // expected-error@+1 {{'stablehlo.iota' op C1: iota_dimension is 2, expected it in [0, 2)}}
  %0 = "stablehlo.iota"() <{iota_dimension = 2 : i64}> : () -> tensor<2x3xi32>
  return
}

// -----

func.func @bools() {
  // expected-error@+1 {{'stablehlo.iota' op the result must be a tensor of integers, floats or complex numbers, or per-tensor quantized, got tensor<2xi1>}}
  %0 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<2xi1>
  return
}
