// RUN: tessera parse --verify-diagnostics %s

func.func @version(%x: tensor<f64>) {
  // expected-error@+1 {{has the api_version 9, expected 0 … 4}}
  %0 = "stablehlo.custom_call"(%x) {call_target_name = "somewhere", api_version = 9 : i32} : (tensor<f64>) -> tensor<f64>
  return
}
