// RUN: tessera parse --verify-diagnostics %s

func.func @not_a_token(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{'stablehlo.after_all' op operand 0 must be a token, got tensor<2x3xf32>}}
  %0 = "stablehlo.after_all"(%a) : (tensor<2x3xf32>) -> !stablehlo.token
  return
}
