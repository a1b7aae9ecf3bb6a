// RUN: tessera parse --verify-diagnostics %s

func.func @c1(%t: !stablehlo.token) {
  // expected-error@+1 {{'stablehlo.infeed' op C1: has no results, expected at least a token}}
  "stablehlo.infeed"(%t) : (!stablehlo.token) -> ()
  return
}

// -----

func.func @c2(%t: !stablehlo.token) {
  // expected-error@+1 {{'stablehlo.infeed' op C2: result 0 is !stablehlo.token, expected a tensor}}
  %0:2 = "stablehlo.infeed"(%t) : (!stablehlo.token) -> (!stablehlo.token, !stablehlo.token)
  return
}

// -----

func.func @c3(%t: !stablehlo.token) {
  // expected-error@+1 {{'stablehlo.infeed' op C3: the last result is tensor<2xf32>, expected !stablehlo.token}}
  %0 = "stablehlo.infeed"(%t) : (!stablehlo.token) -> tensor<2xf32>
  return
}
