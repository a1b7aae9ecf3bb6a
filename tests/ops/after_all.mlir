// RUN: tessera check %s
// after_all: tokens joined.

func.func @tokens() {
  %a = stablehlo.create_token : !stablehlo.token
  %b = stablehlo.after_all %a, %a : !stablehlo.token
  %c = "stablehlo.after_all"(%a, %b) : (!stablehlo.token, !stablehlo.token) -> !stablehlo.token
  %d = stablehlo.after_all : !stablehlo.token
  %e = stablehlo.constant dense<1> : tensor<i32>
  check.expect_eq_const %e, dense<1> : tensor<i32>
  return
}
