// RUN: tessera check %s

func.func @constant() {
  %x = chlo.constant dense<[1, 2]> : tensor<2xi32>
  %y = "chlo.constant"() {value = dense<3.5> : tensor<2xf32>} : () -> tensor<2xf32>
  check.expect_eq_const %x, dense<[1, 2]> : tensor<2xi32>
  check.expect_eq_const %y, dense<3.5> : tensor<2xf32>
  return
}
