// chlo, check, interpreter and builtin forms.
// RUN: tessera parse %s > %t.printed
// RUN: grep -v '^//' %s > %t.wanted
// RUN: diff %t.wanted %t.printed
module {
  func.func @chlo(%arg0: tensor<4xf32>, %arg1: tensor<2x4xf32>) -> (tensor<2xf32>, tensor<2xi32>) {
    %0 = chlo.erf %arg0 : tensor<4xf32> -> tensor<4xf32>
    %1 = chlo.is_inf %arg0 : tensor<4xf32> -> tensor<4xi1>
    %2 = chlo.next_after %arg0, %arg0 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
    %3 = chlo.broadcast_add %arg0, %arg1 {broadcast_dimensions = array<i64: 1>} : (tensor<4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %4 = chlo.broadcast_compare %arg0, %arg1 {compare_type = #chlo<comparison_type FLOAT>, comparison_direction = #chlo<comparison_direction LT>} : (tensor<4xf32>, tensor<2x4xf32>) -> tensor<2x4xi1>
    %values, %indices = chlo.top_k(%arg0, k = 2) : tensor<4xf32> -> (tensor<2xf32>, tensor<2xi32>)
    %5 = chlo.constant dense<1.000000e+00> : tensor<f32>
    %6:2 = chlo.scan(%arg0) inits (%5) dimension=0  attributes {is_reverse = true} {
    ^bb0(%input: tensor<f32>, %carry: tensor<f32>):
      %8 = stablehlo.add %input, %carry : tensor<f32>
      stablehlo.return %8, %8 : tensor<f32>, tensor<f32>
    } : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>, tensor<f32>)
    %7:3 = chlo.scan(%arg0, %arg0) inits (%5) dimension=0  {
    ^bb0(%input: tensor<f32>, %input_0: tensor<f32>, %carry: tensor<f32>):
      %8 = stablehlo.add %input, %input_0 : tensor<f32>
      stablehlo.return %8, %input, %carry : tensor<f32>, tensor<f32>, tensor<f32>
    } : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<f32>)
    return %values, %indices : tensor<2xf32>, tensor<2xi32>
  }
  func.func @checks(%arg0: tensor<2xf32>, %arg1: tensor<2xf32>) {
    check.expect_eq %arg0, %arg1 : tensor<2xf32>
    check.expect_eq_const %arg0, dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
    check.expect_almost_eq %arg0, %arg1 : tensor<2xf32>
    check.expect_almost_eq %arg0, %arg1, tolerance = 1.000000e-01 : tensor<2xf32>
    check.expect_almost_eq_const %arg0, dense<1.000000e+00> : tensor<2xf32> {tolerance = 1.000000e-01 : f64}
    check.expect_close %arg0, %arg1, max_ulp_difference = 18446744073709551615, min_ulp_difference = 2 : tensor<2xf32>, tensor<2xf32>
    %0 = interpreter.probe %arg0, probe_id = "p" : tensor<2xf32>
    check.expect_serialized_eq %0, probe_id = "p", iter = 1 : tensor<2xf32>
    interpreter.print %0 : tensor<2xf32>
    %1 = builtin.unrealized_conversion_cast %0 : tensor<2xf32> to tensor<2xf32>
    return
  }
}
