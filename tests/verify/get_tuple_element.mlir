// RUN: tessera parse --verify-diagnostics %s

func.func @c1(%a: tuple<tensor<2x3xf32>>) {
  // expected-error@+1 {{'stablehlo.get_tuple_element' op C1: index is 1, expected it in [0, 1)}}
  %0 = "stablehlo.get_tuple_element"(%a) <{index = 1 : i32}> : (tuple<tensor<2x3xf32>>) -> tensor<2x3xf32>
  return
}

// -----

func.func @c2(%a: tuple<tensor<2x3xf32>>) {
  // expected-error@+1 {{'stablehlo.get_tuple_element' op C2: the result has type tensor<f32>, expected that of element 0, tensor<2x3xf32>}}
  %0 = "stablehlo.get_tuple_element"(%a) <{index = 0 : i32}> : (tuple<tensor<2x3xf32>>) -> tensor<f32>
  return
}

// -----

func.func @c2_scale(%x: tuple<tensor<2x!quant.uniform<i8:f32, 0.5:0>>>) {
  // expected-error@+1 {{'stablehlo.get_tuple_element' op C2: the result has type tensor<2x!quant.uniform<i8:f32, 2.500000e-01>>, expected that of element 0, tensor<2x!quant.uniform<i8:f32, 5.000000e-01>>}}
  %0 = "stablehlo.get_tuple_element"(%x) {index = 0 : i32} : (tuple<tensor<2x!quant.uniform<i8:f32, 0.5:0>>>) -> tensor<2x!quant.uniform<i8:f32, 0.25:0>>
  return
}
