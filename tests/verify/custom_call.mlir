// RUN: tessera parse --verify-diagnostics %s

func.func @version(%x: tensor<f64>) {
  // expected-error@+1 {{'stablehlo.custom_call' op api_version is 9, expected 0 to 4}}
  %0 = "stablehlo.custom_call"(%x) {call_target_name = "somewhere", api_version = 9 : i32} : (tensor<f64>) -> tensor<f64>
  return
}

// -----

func.func @layout(%x: tensor<2x3xf64>) {
  // expected-error@+1 {{'stablehlo.custom_call' op the layout of result 0 is [1, 1], expected a permutation of the 2 dimensions of tensor<2x3xf64>}}
  %0 = "stablehlo.custom_call"(%x) {call_target_name = "somewhere", operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[1, 1]> : tensor<2xindex>]} : (tensor<2x3xf64>) -> tensor<2x3xf64>
  return
}

// -----

func.func @layout_type(%x: tensor<2x3xf64>) {
  // expected-error@+1 {{'stablehlo.custom_call' op the layout of operand 0 is not a list of dimensions, expected dense<…> : tensor<Nxindex>}}
  %0 = "stablehlo.custom_call"(%x) {call_target_name = "somewhere", operand_layouts = [dense<[0, 1]> : tensor<2xi64>], result_layouts = [dense<[1, 0]> : tensor<2xindex>]} : (tensor<2x3xf64>) -> tensor<2x3xf64>
  return
}

// -----

// A tuple has one layout per part.
func.func @layout_tuple(%x: tensor<2x3xf64>, %t: !stablehlo.token) {
  %0 = "stablehlo.custom_call"(%x, %t) {call_target_name = "somewhere", operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>], result_layouts = [dense<[1, 0]> : tensor<2xindex>, dense<> : tensor<0xindex>]} : (tensor<2x3xf64>, !stablehlo.token) -> tuple<tensor<2x3xf64>, !stablehlo.token>
  // expected-error@+1 {{'stablehlo.custom_call' op result_layouts has length 1, expected 2, one per result}}
  %1 = "stablehlo.custom_call"(%t) {call_target_name = "somewhere", operand_layouts = [dense<> : tensor<0xindex>], result_layouts = [dense<[1, 0]> : tensor<2xindex>]} : (!stablehlo.token) -> tuple<tensor<2x3xf64>, !stablehlo.token>
  return
}
