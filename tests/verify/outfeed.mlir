// RUN: tessera parse --verify-diagnostics %s

func.func @no_token(%x: tensor<2xf32>) {
  // expected-error@+1 {{'stablehlo.outfeed' op the last operand is tensor<2xf32>, expected !stablehlo.token}}
  %0 = "stablehlo.outfeed"(%x, %x) {outfeed_config = ""} : (tensor<2xf32>, tensor<2xf32>) -> !stablehlo.token
  return
}

// -----

func.func @payload(%t: !stablehlo.token) {
  // expected-error@+1 {{'stablehlo.outfeed' op operand 0 is !stablehlo.token, expected a tensor}}
  %0 = "stablehlo.outfeed"(%t, %t) {outfeed_config = ""} : (!stablehlo.token, !stablehlo.token) -> !stablehlo.token
  return
}
