// RUN: tessera check %s
// optimization_barrier: values handed through.

func.func @values_and_tokens() {
  %a = stablehlo.constant dense<[1, 2]> : tensor<2xi8>
  %k = stablehlo.create_token : !stablehlo.token
  %r:2 = stablehlo.optimization_barrier %a, %k : tensor<2xi8>, !stablehlo.token
  %s = "stablehlo.optimization_barrier"(%r#0) : (tensor<2xi8>) -> tensor<2xi8>
  check.expect_eq_const %s, dense<[1, 2]> : tensor<2xi8>
  return
}
