// RUN: tessera check %s

func.func @constant_like() {
  %x = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %y = "chlo.constant_like"(%x) {value = 3.5 : f32} : (tensor<2xi32>) -> tensor<2xf32>
  check.expect_eq_const %y, dense<3.5> : tensor<2xf32>
  %z = "chlo.constant_like"(%x) {value = 7 : i8} : (tensor<2xi32>) -> tensor<2xi8>
  check.expect_eq_const %z, dense<7> : tensor<2xi8>
  return
}
