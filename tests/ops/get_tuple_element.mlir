// RUN: tessera check %s
// get_tuple_element: one value taken out of a tuple.

func.func @both_forms() {
  %a = stablehlo.constant dense<[1, 2]> : tensor<2xi8>
  %b = stablehlo.constant dense<(1.0, 2.0)> : tensor<complex<f64>>
  %t = stablehlo.tuple %a, %b : tuple<tensor<2xi8>, tensor<complex<f64>>>
  %c = stablehlo.get_tuple_element %t[0] : (tuple<tensor<2xi8>, tensor<complex<f64>>>) -> tensor<2xi8>
  %d = "stablehlo.get_tuple_element"(%t) <{index = 1 : i32}> : (tuple<tensor<2xi8>, tensor<complex<f64>>>) -> tensor<complex<f64>>
  check.expect_eq_const %c, dense<[1, 2]> : tensor<2xi8>
  check.expect_eq_const %d, dense<(1.0, 2.0)> : tensor<complex<f64>>
  return
}
