// RUN: tessera check %s
// tuple: values put together.

func.func @nested() {
  %a = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %b = stablehlo.constant dense<3> : tensor<i32>
  %t = stablehlo.tuple %b : tuple<tensor<i32>>
  %u = "stablehlo.tuple"(%a, %t) : (tensor<2xf32>, tuple<tensor<i32>>) -> tuple<tensor<2xf32>, tuple<tensor<i32>>>
  %v = stablehlo.get_tuple_element %u[1] : (tuple<tensor<2xf32>, tuple<tensor<i32>>>) -> tuple<tensor<i32>>
  %w = stablehlo.get_tuple_element %v[0] : (tuple<tensor<i32>>) -> tensor<i32>
  check.expect_eq_const %w, dense<3> : tensor<i32>
  return
}

// -----

func.func @with_token_and_empty() {
  %k = stablehlo.create_token : !stablehlo.token
  %t = stablehlo.tuple %k, %k : tuple<!stablehlo.token, !stablehlo.token>
  %e = stablehlo.tuple : tuple<>
  %u = stablehlo.tuple %e, %t : tuple<tuple<>, tuple<!stablehlo.token, !stablehlo.token>>
  %c = stablehlo.constant dense<true> : tensor<i1>
  check.expect_eq_const %c, dense<true> : tensor<i1>
  return
}
