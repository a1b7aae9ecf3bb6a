// RUN: tessera check %s

func.func @s(%x: tensor<2xf64>) -> tensor<2xf64> {
  %0 = "stablehlo.cross-replica-sum"(%x) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xf64>) -> tensor<2xf64>
  return %0 : tensor<2xf64>
}
func.func @main() {
  %a = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf64>
  %b = stablehlo.constant dense<[3.0, 4.0]> : tensor<2xf64>
  %r:2 = "interpreter.run_parallel"(%a, %b) {programs = [[@s], [@s]]} : (tensor<2xf64>, tensor<2xf64>) -> (tensor<2xf64>, tensor<2xf64>)
  check.expect_eq_const %r#0, dense<[4.0, 6.0]> : tensor<2xf64>
  check.expect_eq_const %r#1, dense<[4.0, 6.0]> : tensor<2xf64>
  return
}
