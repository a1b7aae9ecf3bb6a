// RUN: tessera check %s

func.func @case_0() {
  %a = stablehlo.constant dense<[[4.0, -0.0625, 0.1875], [-2.125, 6.9375, 0.5625], [2.125, 2.0625, 4.5625]]> : tensor<3x3xf64>
  %b = stablehlo.constant dense<[[-0.9375, -1.875], [-1.6875, 2.5], [-0.5625, -0.25]]> : tensor<3x2xf64>
  %r = "stablehlo.triangular_solve"(%a, %b) {left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<3x3xf64>, tensor<3x2xf64>) -> tensor<3x2xf64>
  check.expect_almost_eq_const %r, dense<[[-0.234375, -0.46875], [-0.31503378378378377, 0.21677927927927929], [0.128285820066642, 0.06553128470936691]]> : tensor<3x2xf64>
  return
}

// -----

func.func @case_1() {
  %a = stablehlo.constant dense<[[11.875, -0.375, 2.0], [3.75, 11.8125, -1.4375], [-0.75, -3.6875, 10.0]]> : tensor<3x3xf32>
  %b = stablehlo.constant dense<[[-0.875, -3.9375], [-2.8125, -2.625], [-3.375, -3.4375]]> : tensor<3x2xf32>
  %r = "stablehlo.triangular_solve"(%a, %b) {left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose TRANSPOSE>} : (tensor<3x3xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  check.expect_almost_eq_const %r, dense<[[0.013458647, -0.24922724], [-0.3434524, -0.32953042], [-0.3375, -0.34375]]> : tensor<3x2xf32>
  return
}

// -----

func.func @case_2() {
  %a = stablehlo.constant dense<[[8.5625, -2.125, 3.6875], [0.5625, 8.625, 0.1875], [1.1875, 2.25, 6.5625]]> : tensor<3x3xf64>
  %b = stablehlo.constant dense<[[0.9375, 0.5625], [1.5, 2.0625], [2.125, 0.75]]> : tensor<3x2xf64>
  %r = "stablehlo.triangular_solve"(%a, %b) {left_side = true, lower = true, unit_diagonal = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<3x3xf64>, tensor<3x2xf64>) -> tensor<3x2xf64>
  check.expect_almost_eq_const %r, dense<[[0.9375, 0.5625000000000003], [0.97265625, 1.7460937499999998], [-1.1767578125, -3.8466796875]]> : tensor<3x2xf64>
  return
}

// -----

func.func @case_3() {
  %a = stablehlo.constant dense<[[4.5625, 2.4375, 3.75], [0.4375, 7.5, -2.4375], [-0.3125, 0.6875, 10.1875]]> : tensor<3x3xf32>
  %b = stablehlo.constant dense<[[-0.0625, -2.5625], [-2.6875, 0.25], [0.9375, 3.0625]]> : tensor<3x2xf32>
  %r = "stablehlo.triangular_solve"(%a, %b) {left_side = true, lower = true, unit_diagonal = true, transpose_a = #stablehlo<transpose TRANSPOSE>} : (tensor<3x3xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  check.expect_almost_eq_const %r, dense<[[1.6882324, -0.7937012], [-3.3320312, -1.8554688], [0.9375, 3.0625]]> : tensor<3x2xf32>
  return
}

// -----

func.func @case_4() {
  %a = stablehlo.constant dense<[[10.5625, 0.625, -2.9375], [2.625, 8.375, 2.75], [1.875, -1.5, 7.1875]]> : tensor<3x3xf64>
  %b = stablehlo.constant dense<[[-0.6875, -1.875], [2.1875, -1.0], [1.5625, 0.3125]]> : tensor<3x2xf64>
  %r = "stablehlo.triangular_solve"(%a, %b) {left_side = true, lower = false, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<3x3xf64>, tensor<3x2xf64>) -> tensor<3x2xf64>
  check.expect_almost_eq_const %r, dense<[[-0.01586228876200423, -0.15751318017578686], [0.1898118105126541, -0.1336794289422453], [0.21739130434782608, 0.043478260869565216]]> : tensor<3x2xf64>
  return
}

// -----

func.func @case_5() {
  %a = stablehlo.constant dense<[[7.25, 1.5, -2.625], [0.5, 5.125, -3.1875], [2.6875, 2.5625, 9.4375]]> : tensor<3x3xf32>
  %b = stablehlo.constant dense<[[3.4375, 0.875], [-3.1875, -0.9375], [-2.0, 1.8125]]> : tensor<3x2xf32>
  %r = "stablehlo.triangular_solve"(%a, %b) {left_side = true, lower = false, unit_diagonal = false, transpose_a = #stablehlo<transpose TRANSPOSE>} : (tensor<3x3xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  check.expect_almost_eq_const %r, dense<[[0.47413793, 0.12068965], [-0.7607233, -0.21825063], [-0.33697414, 0.1519085]]> : tensor<3x2xf32>
  return
}

// -----

func.func @case_6() {
  %a = stablehlo.constant dense<[[5.375, 0.8125, 2.8125], [-2.5625, 11.3125, 1.625], [-3.6875, 0.25, 6.625]]> : tensor<3x3xf64>
  %b = stablehlo.constant dense<[[1.625, -2.5], [-0.0625, -0.25], [0.0, 3.375]]> : tensor<3x2xf64>
  %r = "stablehlo.triangular_solve"(%a, %b) {left_side = true, lower = false, unit_diagonal = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<3x3xf64>, tensor<3x2xf64>) -> tensor<3x2xf64>
  check.expect_almost_eq_const %r, dense<[[1.67578125, -7.3330078125], [-0.0625, -5.734375], [0.0, 3.375]]> : tensor<3x2xf64>
  return
}

// -----

func.func @case_7() {
  %a = stablehlo.constant dense<[[11.5625, -3.4375, 2.3125], [-2.625, 5.25, -0.125], [3.8125, 0.1875, 8.6875]]> : tensor<3x3xf32>
  %b = stablehlo.constant dense<[[2.0, -0.1875], [-0.5, 1.5625], [-2.875, 3.0625]]> : tensor<3x2xf32>
  %r = "stablehlo.triangular_solve"(%a, %b) {left_side = true, lower = false, unit_diagonal = true, transpose_a = #stablehlo<transpose TRANSPOSE>} : (tensor<3x3xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  check.expect_almost_eq_const %r, dense<[[2.0, -0.1875], [6.375, 0.91796875], [-6.703125, 3.6108398]]> : tensor<3x2xf32>
  return
}

// -----

func.func @case_8() {
  %a = stablehlo.constant dense<[[6.8125, 0.6875, 3.875], [2.125, 10.0, 2.5625], [-3.0625, -0.5, 10.5]]> : tensor<3x3xf64>
  %b = stablehlo.constant dense<[[-1.9375, -1.5, 3.0625], [2.25, -2.0, -3.9375]]> : tensor<2x3xf64>
  %r = "stablehlo.triangular_solve"(%a, %b) {left_side = false, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<3x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
  check.expect_almost_eq_const %r, dense<[[-0.11104740061162081, -0.13541666666666669, 0.29166666666666663], [0.22993119266055048, -0.21875, -0.375]]> : tensor<2x3xf64>
  return
}

// -----

func.func @case_9() {
  %a = stablehlo.constant dense<[[7.875, 3.0, 0.375], [-2.75, 7.875, -0.375], [0.8125, 1.3125, 5.9375]]> : tensor<3x3xf32>
  %b = stablehlo.constant dense<[[0.0625, -0.0625, -2.6875], [0.0, -2.9375, -2.4375]]> : tensor<2x3xf32>
  %r = "stablehlo.triangular_solve"(%a, %b) {left_side = false, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose TRANSPOSE>} : (tensor<3x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  check.expect_almost_eq_const %r, dense<[[0.007936508, -0.005165029, -0.4525759], [0.0, -0.37301588, -0.32807016]]> : tensor<2x3xf32>
  return
}

// -----

func.func @case_10() {
  %a = stablehlo.constant dense<[[6.25, 3.8125, -3.625], [2.875, 5.6875, 3.625], [-3.0, 0.875, 7.6875]]> : tensor<3x3xf64>
  %b = stablehlo.constant dense<[[-2.1875, -1.1875, -0.75], [0.6875, 1.875, -1.75]]> : tensor<2x3xf64>
  %r = "stablehlo.triangular_solve"(%a, %b) {left_side = false, lower = true, unit_diagonal = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<3x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
  check.expect_almost_eq_const %r, dense<[[-2.91015625, -0.53125, -0.75], [-14.35546875, 3.40625, -1.75]]> : tensor<2x3xf64>
  return
}

// -----

func.func @case_11() {
  %a = stablehlo.constant dense<[[7.0625, -3.75, -1.9375], [-1.375, 10.5, 2.0625], [2.1875, -1.9375, 5.6875]]> : tensor<3x3xf32>
  %b = stablehlo.constant dense<[[-0.75, -0.5625, 2.0625], [2.9375, -0.75, -2.3125]]> : tensor<2x3xf32>
  %r = "stablehlo.triangular_solve"(%a, %b) {left_side = false, lower = true, unit_diagonal = true, transpose_a = #stablehlo<transpose TRANSPOSE>} : (tensor<3x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  check.expect_almost_eq_const %r, dense<[[-0.75, -1.59375, 0.6152344], [2.9375, 3.2890625, -2.3657227]]> : tensor<2x3xf32>
  return
}

// -----

func.func @case_12() {
  %a = stablehlo.constant dense<[[11.125, 0.3125, 3.375], [-0.875, 6.5, -3.5625], [1.875, -0.0625, 6.0]]> : tensor<3x3xf64>
  %b = stablehlo.constant dense<[[-0.4375, -2.9375, 3.8125], [-0.5, -1.625, 0.8125]]> : tensor<2x3xf64>
  %r = "stablehlo.triangular_solve"(%a, %b) {left_side = false, lower = false, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<3x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
  check.expect_almost_eq_const %r, dense<[[-0.03932584269662921, -0.4500324114088159, 0.39033070890953614], [-0.0449438202247191, -0.24783923941227312, 0.013543017142033986]]> : tensor<2x3xf64>
  return
}

// -----

func.func @case_13() {
  %a = stablehlo.constant dense<[[10.375, 3.5, 1.4375], [-2.875, 7.3125, 1.6875], [2.625, -0.1875, 10.8125]]> : tensor<3x3xf32>
  %b = stablehlo.constant dense<[[-3.0, -1.25, 3.8125], [-2.4375, 1.5625, -2.3125]]> : tensor<2x3xf32>
  %r = "stablehlo.triangular_solve"(%a, %b) {left_side = false, lower = false, unit_diagonal = false, transpose_a = #stablehlo<transpose TRANSPOSE>} : (tensor<3x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  check.expect_almost_eq_const %r, dense<[[-0.2528945, -0.25230968, 0.35260117], [-0.29403996, 0.26303047, -0.21387284]]> : tensor<2x3xf32>
  return
}

// -----

func.func @case_14() {
  %a = stablehlo.constant dense<[[5.0, -2.75, 3.25], [3.875, 4.8125, 1.6875], [-3.3125, 2.5625, 6.625]]> : tensor<3x3xf64>
  %b = stablehlo.constant dense<[[-3.625, 3.5, 3.375], [-3.75, -0.875, 3.375]]> : tensor<2x3xf64>
  %r = "stablehlo.triangular_solve"(%a, %b) {left_side = false, lower = false, unit_diagonal = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<3x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
  check.expect_almost_eq_const %r, dense<[[-3.625, -6.468749999999998, 26.072265624999996], [-3.7499999999999996, -11.187499999999996, 34.44140624999999]]> : tensor<2x3xf64>
  return
}

// -----

func.func @case_15() {
  %a = stablehlo.constant dense<[[6.8125, 0.875, 3.0], [-3.5, 7.9375, 0.5625], [3.4375, -0.3125, 10.75]]> : tensor<3x3xf32>
  %b = stablehlo.constant dense<[[0.5, -0.5625, 1.9375], [2.8125, 1.4375, 0.9375]]> : tensor<2x3xf32>
  %r = "stablehlo.triangular_solve"(%a, %b) {left_side = false, lower = false, unit_diagonal = true, transpose_a = #stablehlo<transpose TRANSPOSE>} : (tensor<3x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  check.expect_almost_eq_const %r, dense<[[-3.8666992, -1.6523438, 1.9375], [-0.7963867, 0.91015625, 0.9375]]> : tensor<2x3xf32>
  return
}

// -----

func.func @adjoint_left() {
  %a = stablehlo.constant dense<[[(12.0, 1.625), (0.8125, 3.1875), (-2.75, -3.4375)], [(3.375, 3.9375), (10.5, -0.125), (-1.0625, -1.875)], [(-0.6875, -2.3125), (1.3125, -0.375), (10.3125, -1.625)]]> : tensor<3x3xcomplex<f32>>
  %b = stablehlo.constant dense<[[(3.5625, 3.5625), (0.0, 1.25)], [(3.625, -0.75), (1.375, 2.0)], [(-1.0, -1.0), (-0.8125, -2.25)]]> : tensor<3x2xcomplex<f32>>
  %r = "stablehlo.triangular_solve"(%a, %b) {left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose ADJOINT>} : (tensor<3x3xcomplex<f32>>, tensor<3x2xcomplex<f32>>) -> tensor<3x2xcomplex<f32>>
  check.expect_almost_eq_const %r, dense<[[(0.1325554, 0.46534064), (-0.16623862, 0.07615815)], [(0.35534704, -0.061783303), (0.14017832, 0.21784885)], [(-0.10953012, -0.0797104), (-0.11042615, -0.20078133)]]> : tensor<3x2xcomplex<f32>>
  return
}

// -----

func.func @adjoint_right() {
  %a = stablehlo.constant dense<[[(10.0625, 1.9375), (-3.375, -2.875), (-0.25, -2.8125)], [(-0.6875, -3.5625), (7.5625, 2.6875), (-2.3125, 2.0625)], [(-0.9375, -3.6875), (-3.0625, 0.5), (7.4375, -0.25)]]> : tensor<3x3xcomplex<f64>>
  %b = stablehlo.constant dense<[[(1.375, -2.125), (-1.0, 0.0), (2.4375, -1.8125)], [(0.0625, -0.5625), (-2.1875, -1.5625), (0.0, 0.1875)]]> : tensor<2x3xcomplex<f64>>
  %r = "stablehlo.triangular_solve"(%a, %b) {left_side = false, lower = false, unit_diagonal = false, transpose_a = #stablehlo<transpose ADJOINT>} : (tensor<3x3xcomplex<f64>>, tensor<2x3xcomplex<f64>>) -> tensor<2x3xcomplex<f64>>
  check.expect_almost_eq_const %r, dense<[[(0.1423906108971117, -0.28084673484411193), (0.027942088657937368, 0.019178896215237377), (0.3191789518233759, -0.2544261832545673)], [(-0.10970947171507155, -0.10996944989464402), (-0.20000156558297671, -0.269755490587189), (0.000846441419200113, 0.02518163222120336)]]> : tensor<2x3xcomplex<f64>>
  return
}

// -----

func.func @batched() {
  %a = stablehlo.constant dense<[[[[10.125, 1.5, -1.0], [0.0, 6.5625, -1.5], [1.125, 2.25, 5.5]], [[6.0, -3.1875, 3.9375], [1.5625, 5.25, 2.0625], [-1.5625, -1.625, 7.9375]]], [[[9.125, 1.25, -3.75], [1.9375, 7.25, 3.375], [0.625, 3.5, 6.0]], [[9.3125, -1.25, 2.875], [0.875, 10.0625, 0.75], [2.125, -2.8125, 5.8125]]]]> : tensor<2x2x3x3xf32>
  %b = stablehlo.constant dense<[[[[1.6875, -2.5625], [-3.375, 0.5], [3.8125, -1.5]], [[-2.375, 1.8125], [-2.0, 2.25], [-2.4375, -2.5]]], [[[3.9375, 0.8125], [-1.75, -0.375], [0.875, -3.6875]], [[3.9375, -0.1875], [3.625, 2.3125], [-3.6875, 2.4375]]]]> : tensor<2x2x3x2xf32>
  %r = "stablehlo.triangular_solve"(%a, %b) {left_side = true, lower = false, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<2x2x3x3xf32>, tensor<2x2x3x2xf32>) -> tensor<2x2x3x2xf32>
  check.expect_almost_eq_const %r, dense<[[[[0.2878467, -0.28207472], [-0.35584417, 0.013852814], [0.6931818, -0.27272728]], [[-0.33259806, 0.8021888], [-0.26031122, 0.55230594], [-0.30708662, -0.31496063]]], [[[0.53380376, -0.19563356], [-0.30926725, 0.234375], [0.14583333, -0.6145833]], [[0.67337894, -0.12294748], [0.40753356, 0.1985574], [-0.6344086, 0.41935483]]]]> : tensor<2x2x3x2xf32>
  return
}

// -----

func.func @no_right_hand_side() {
  %a = stablehlo.constant dense<[[8.1875, 3.0625, 0.8125], [-1.8125, 9.625, -1.75], [-1.3125, 0.6875, 6.625]]> : tensor<3x3xf32>
  %b = stablehlo.constant dense<> : tensor<3x0xf32>
  %r = "stablehlo.triangular_solve"(%a, %b) {left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<3x3xf32>, tensor<3x0xf32>) -> tensor<3x0xf32>
  check.expect_almost_eq_const %r, dense<> : tensor<3x0xf32>
  return
}
