// Names of values: numbers per function, special names, what a taken name becomes, packs and groups.
// RUN: tessera parse %s > %t.printed
// RUN: grep -v '^//' %s > %t.wanted
// RUN: diff %t.wanted %t.printed
module {
  func.func @names(%arg0: tensor<i32>, %arg1: tensor<2xf32>) -> tensor<i32> {
    %c = stablehlo.constant dense<true> : tensor<i1>
    %c_0 = stablehlo.constant dense<7> : tensor<ui8>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_1 = stablehlo.constant dense<(1.000000e+00,2.000000e+00)> : tensor<complex<f32>>
    %c_2 = stablehlo.constant dense<1> : tensor<i32>
    %0 = "stablehlo.if"(%c) ({
      %c_3 = stablehlo.constant dense<2> : tensor<i32>
      %2 = stablehlo.add %c_3, %arg0 : tensor<i32>
      stablehlo.return %2 : tensor<i32>
    }, {
      %2 = stablehlo.add %c_2, %arg0 : tensor<i32>
      %3 = "stablehlo.map"(%2) <{dimensions = array<i64>}> ({
      ^bb0(%arg2: tensor<i32>):
        %c_3 = stablehlo.constant dense<3> : tensor<i32>
        %4 = stablehlo.add %arg2, %c_3 : tensor<i32>
        stablehlo.return %4 : tensor<i32>
      }) : (tensor<i32>) -> tensor<i32>
      stablehlo.return %3 : tensor<i32>
    }) : (tensor<i1>) -> tensor<i32>
    %1:2 = stablehlo.optimization_barrier %0, %arg1 : tensor<i32>, tensor<2xf32>
    return %1#0 : tensor<i32>
  }
  func.func @again(%arg0: tensor<4x3x2xf32>, %arg1: tensor<2xf32>) -> tensor<4x3x2xf32> {
    %output, %batch_mean, %batch_var = "stablehlo.batch_norm_training"(%arg0, %arg1, %arg1) <{epsilon = 1.000000e-03 : f32, feature_index = 2 : i64}> : (tensor<4x3x2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<4x3x2xf32>, tensor<2xf32>, tensor<2xf32>)
    %output_0, %batch_mean_1, %batch_var_2 = "stablehlo.batch_norm_training"(%output, %batch_mean, %batch_var) <{epsilon = 1.000000e-03 : f32, feature_index = 2 : i64}> : (tensor<4x3x2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<4x3x2xf32>, tensor<2xf32>, tensor<2xf32>)
    %grad_operand, %grad_scale, %grad_offset = "stablehlo.batch_norm_grad"(%output_0, %arg1, %arg1, %arg1, %arg0) <{epsilon = 1.000000e-03 : f32, feature_index = 2 : i64}> : (tensor<4x3x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<4x3x2xf32>) -> (tensor<4x3x2xf32>, tensor<2xf32>, tensor<2xf32>)
    return %grad_operand : tensor<4x3x2xf32>
  }
}
