// RUN: tessera check %s

func.func @feature_1_f64() {
  %x = stablehlo.constant dense<[[[3.5, -4.0], [-0.9375, -3.75], [1.75, 0.375]], [[-2.8125, -3.4375], [2.0, -2.375], [2.75, -1.375]]]> : tensor<2x3x2xf64>
  %s = stablehlo.constant dense<[-0.625, -3.8125, 2.75]> : tensor<3xf64>
  %m = stablehlo.constant dense<[-1.6875, -1.265625, 0.875]> : tensor<3xf64>
  %v = stablehlo.constant dense<[9.146484375, 4.543701171875, 2.3984375]> : tensor<3xf64>
  %g = stablehlo.constant dense<[[[-2.25, 3.9375], [-3.8125, -3.125], [-3.0, 1.4375]], [[1.0625, -2.375], [-3.25, -1.9375], [-2.75, 1.75]]]> : tensor<2x3x2xf64>
  %a, %b, %c = "stablehlo.batch_norm_grad"(%x, %s, %m, %v, %g) {epsilon = 0.25 : f32, feature_index = 1 : i64} : (tensor<2x3x2xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<2x3x2xf64>) -> (tensor<2x3x2xf64>, tensor<3xf64>, tensor<3xf64>)
  check.expect_almost_eq_const %a, dense<[[[-0.023491818388357802, -0.5602066304544929], [1.3022526135368062, 0.6034533121950079], [-2.250976843770019, 2.5196827747414923]], [[-0.0887902796375393, 0.67248872848039], [-0.19772569880440985, -1.7079802269274043], [0.15538212530089576, -0.4240880562723699]]]> : tensor<2x3x2xf64>
  check.expect_almost_eq_const %b, dense<[-5.812157961810824, -0.8911689540485837, -7.642548957793557]> : tensor<3xf64>
  check.expect_almost_eq_const %c, dense<[0.375, -12.125, -2.5625]> : tensor<3xf64>
  return
}

// -----

func.func @feature_2_f32() {
  %x = stablehlo.constant dense<[[[3.5, -4.0], [-0.9375, -3.75], [1.75, 0.375]], [[-2.8125, -3.4375], [2.0, -2.375], [2.75, -1.375]]]> : tensor<2x3x2xf32>
  %s = stablehlo.constant dense<[3.25, -0.5625]> : tensor<2xf32>
  %m = stablehlo.constant dense<[1.0416666, -2.4270833]> : tensor<2xf32>
  %v = stablehlo.constant dense<[4.858941, 2.3677301]> : tensor<2xf32>
  %g = stablehlo.constant dense<[[[-1.3125, 0.1875], [-1.375, -2.5625], [-3.3125, 1.25]], [[2.375, 0.1875], [1.4375, -3.125], [0.375, 1.375]]]> : tensor<2x3x2xf32>
  %a, %b, %c = "stablehlo.batch_norm_grad"(%x, %s, %m, %v, %g) {epsilon = 0.25 : f32, feature_index = 2 : i64} : (tensor<2x3x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2x3x2xf32>) -> (tensor<2x3x2xf32>, tensor<2xf32>, tensor<2xf32>)
  check.expect_almost_eq_const %a, dense<[[[-0.30121815, -0.48872504], [-2.4698634, 0.50991815], [-3.996747, -0.113207065]], [[2.0437706, -0.39295074], [2.950223, 0.93959427], [1.7738351, -0.45462963]]]> : tensor<2x3x2xf32>
  check.expect_almost_eq_const %b, dense<[-4.4184375, 4.754229]> : tensor<2xf32>
  check.expect_almost_eq_const %c, dense<[-1.8125, -2.6875]> : tensor<2xf32>
  return
}
