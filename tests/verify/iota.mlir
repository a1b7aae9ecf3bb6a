// RUN: tessera parse --verify-diagnostics %s

func.func @c1() {
  // expected-error@+1 {{C1: iota_dimension is 2, expected it in [0, 2)}}
  %0 = "stablehlo.iota"() <{iota_dimension = 2 : i64}> : () -> tensor<2x3xi32>
  return
}

// -----

func.func @bools() {
  // expected-error@+1 {{the result must be a tensor of integers, floats or complex numbers}}
  %0 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<2xi1>
  return
}
