// RUN: tessera check %s

// Two processes share one queue, first come, first served; what goes out is gone.
func.func @feed(%t: !stablehlo.token) -> tensor<2xi8> {
  %0:2 = "stablehlo.infeed"(%t) <{infeed_config = ""}> : (!stablehlo.token) -> (tensor<2xi8>, !stablehlo.token)
  %1 = "stablehlo.outfeed"(%0#0, %0#1) <{outfeed_config = ""}> : (tensor<2xi8>, !stablehlo.token) -> !stablehlo.token
  return %0#0 : tensor<2xi8>
}
func.func @first() -> tensor<2xi8> {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xi8>
  return %0 : tensor<2xi8>
}
func.func @second() -> tensor<2xi8> {
  %0 = stablehlo.constant dense<[3, 4]> : tensor<2xi8>
  return %0 : tensor<2xi8>
}
func.func @main() {
  %t = stablehlo.create_token : !stablehlo.token
  %r:2 = "interpreter.run_parallel"(%t, %t) {infeed = [@first, @second], programs = [[@feed], [@feed]]} : (!stablehlo.token, !stablehlo.token) -> (tensor<2xi8>, tensor<2xi8>)
  check.expect_eq_const %r#0, dense<[1, 2]> : tensor<2xi8>
  check.expect_eq_const %r#1, dense<[3, 4]> : tensor<2xi8>
  return
}
