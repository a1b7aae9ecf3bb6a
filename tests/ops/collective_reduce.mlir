// RUN: tessera check %s

// Only the root, the first of the group, has the sum.
func.func @r(%x: tensor<2xf16>) -> tensor<2xf16> {
  %0 = "stablehlo.collective_reduce"(%x) ({
  ^bb0(%a: tensor<f16>, %b: tensor<f16>):
    %s = stablehlo.add %a, %b : tensor<f16>
    stablehlo.return %s : tensor<f16>
  }) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>} : (tensor<2xf16>) -> tensor<2xf16>
  return %0 : tensor<2xf16>
}
func.func @main() {
  %a = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf16>
  %b = stablehlo.constant dense<[3.0, 4.0]> : tensor<2xf16>
  %r:2 = "interpreter.run_parallel"(%a, %b) {programs = [[@r, @r]]} : (tensor<2xf16>, tensor<2xf16>) -> (tensor<2xf16>, tensor<2xf16>)
  check.expect_eq_const %r#0, dense<0.0> : tensor<2xf16>
  check.expect_eq_const %r#1, dense<[4.0, 6.0]> : tensor<2xf16>
  return
}
