// RUN: tessera check %s
// create_token: a token out of nothing.

func.func @both_forms() {
  %a = stablehlo.create_token : !stablehlo.token
  %b = "stablehlo.create_token"() : () -> !stablehlo.token
  %c = stablehlo.after_all %a, %b : !stablehlo.token
  %e = stablehlo.constant dense<1> : tensor<i32>
  check.expect_eq_const %e, dense<1> : tensor<i32>
  return
}
