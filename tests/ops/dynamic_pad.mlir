// RUN: tessera check %s
// dynamic_pad: a pad whose amounts are operands.

func.func @interior() {
  %a = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %l = stablehlo.constant dense<[0, 1]> : tensor<2xi64>
  %h = stablehlo.constant dense<[2, 1]> : tensor<2xi64>
  %i = stablehlo.constant dense<[1, 2]> : tensor<2xi64>
  %r = stablehlo.dynamic_pad %a, %z, %l, %h, %i : (tensor<2x3xi32>, tensor<i32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xi32>
  %c = stablehlo.reshape %r : (tensor<?x?xi32>) -> tensor<5x9xi32>
  check.expect_eq_const %c, dense<[[0, 1, 0, 0, 2, 0, 0, 3, 0], [0, 0, 0, 0, 0, 0, 0, 0, 0], [0, 4, 0, 0, 5, 0, 0, 6, 0], [0, 0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0, 0]]> : tensor<5x9xi32>
  return
}

// -----

func.func @negative() {
  %a = stablehlo.constant dense<[[1, 2, 3, 4, 5], [6, 7, 8, 9, 10], [11, 12, 13, 14, 15], [16, 17, 18, 19, 20]]> : tensor<4x5xi32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %l = stablehlo.constant dense<[-1, -3]> : tensor<2xi32>
  %h = stablehlo.constant dense<[-2, -1]> : tensor<2xi32>
  %i = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %r = "stablehlo.dynamic_pad"(%a, %z, %l, %h, %i) : (tensor<4x5xi32>, tensor<i32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x?xi32>
  %c = stablehlo.reshape %r : (tensor<?x?xi32>) -> tensor<4x9xi32>
  check.expect_eq_const %c, dense<[[0, 0, 0, 0, 0, 0, 0, 0, 0], [7, 0, 0, 8, 0, 0, 9, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0, 0], [12, 0, 0, 13, 0, 0, 14, 0, 0]]> : tensor<4x9xi32>
  return
}

// -----

func.func @static_result() {
  %a = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %l = stablehlo.constant dense<[1, 0]> : tensor<2xi8>
  %h = stablehlo.constant dense<[0, 1]> : tensor<2xi8>
  %i = stablehlo.constant dense<[0, 0]> : tensor<2xi8>
  %r = stablehlo.dynamic_pad %a, %z, %l, %h, %i : (tensor<2x3xi32>, tensor<i32>, tensor<2xi8>, tensor<2xi8>, tensor<2xi8>) -> tensor<3x4xi32>
  check.expect_eq_const %r, dense<[[0, 0, 0, 0], [1, 2, 3, 0], [4, 5, 6, 0]]> : tensor<3x4xi32>
  return
}
