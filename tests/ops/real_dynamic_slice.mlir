// RUN: tessera check %s
// real_dynamic_slice: a slice whose bounds are operands.

func.func @strides() {
  %a = stablehlo.constant dense<[[1, 2, 3, 4, 5, 6, 7], [8, 9, 10, 11, 12, 13, 14], [15, 16, 17, 18, 19, 20, 21], [22, 23, 24, 25, 26, 27, 28], [29, 30, 31, 32, 33, 34, 35], [36, 37, 38, 39, 40, 41, 42]]> : tensor<6x7xi32>
  %s = stablehlo.constant dense<[1, 0]> : tensor<2xi64>
  %l = stablehlo.constant dense<[6, 7]> : tensor<2xi64>
  %t = stablehlo.constant dense<[2, 3]> : tensor<2xi64>
  %r = stablehlo.real_dynamic_slice %a, %s, %l, %t : (tensor<6x7xi32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xi32>
  %c = stablehlo.reshape %r : (tensor<?x?xi32>) -> tensor<3x3xi32>
  check.expect_eq_const %c, dense<[[8, 11, 14], [22, 25, 28], [36, 39, 42]]> : tensor<3x3xi32>
  return
}

// -----

func.func @generic_static() {
  %a = stablehlo.constant dense<[[1, 2, 3, 4, 5, 6, 7], [8, 9, 10, 11, 12, 13, 14], [15, 16, 17, 18, 19, 20, 21], [22, 23, 24, 25, 26, 27, 28], [29, 30, 31, 32, 33, 34, 35], [36, 37, 38, 39, 40, 41, 42]]> : tensor<6x7xi32>
  %s = stablehlo.constant dense<[1, 0]> : tensor<2xi32>
  %l = stablehlo.constant dense<[3, 7]> : tensor<2xi32>
  %t = stablehlo.constant dense<[1, 1]> : tensor<2xi32>
  %r = "stablehlo.real_dynamic_slice"(%a, %s, %l, %t) : (tensor<6x7xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<2x7xi32>
  check.expect_eq_const %r, dense<[[8, 9, 10, 11, 12, 13, 14], [15, 16, 17, 18, 19, 20, 21]]> : tensor<2x7xi32>
  return
}
