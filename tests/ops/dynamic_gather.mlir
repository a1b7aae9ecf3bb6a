// RUN: tessera check %s
// dynamic_gather: a gather whose slice sizes are an operand.

func.func @blocks() {
  %a = stablehlo.constant dense<[[[1, 2], [3, 4], [5, 6], [7, 8]], [[9, 10], [11, 12], [13, 14], [15, 16]], [[17, 18], [19, 20], [21, 22], [23, 24]]]> : tensor<3x4x2xi32>
  %s = stablehlo.constant dense<[[[0, 0], [1, 0], [2, 1]], [[0, 1], [1, 1], [0, 9]]]> : tensor<2x3x2xi64>
  %z = stablehlo.constant dense<[1, 2, 2]> : tensor<3xi64>
  %r = "stablehlo.dynamic_gather"(%a, %s, %z) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [0], start_index_map = [1, 0], index_vector_dim = 2>}> : (tensor<3x4x2xi32>, tensor<2x3x2xi64>, tensor<3xi64>) -> tensor<?x?x?x?xi32>
  %c = stablehlo.reshape %r : (tensor<?x?x?x?xi32>) -> tensor<2x3x2x2xi32>
  check.expect_eq_const %c, dense<[[[[1, 2], [3, 4]], [[3, 4], [5, 6]], [[13, 14], [15, 16]]], [[[9, 10], [11, 12]], [[11, 12], [13, 14]], [[17, 18], [19, 20]]]]> : tensor<2x3x2x2xi32>
  return
}

// -----

func.func @static() {
  %a = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6], [7, 8, 9], [10, 11, 12]]> : tensor<4x3xi32>
  %s = stablehlo.constant dense<[3, 0, -1, 7]> : tensor<4xi64>
  %z = stablehlo.constant dense<[1, 3]> : tensor<2xi32>
  %r = "stablehlo.dynamic_gather"(%a, %s, %z) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}> : (tensor<4x3xi32>, tensor<4xi64>, tensor<2xi32>) -> tensor<4x3xi32>
  check.expect_eq_const %r, dense<[[10, 11, 12], [1, 2, 3], [1, 2, 3], [10, 11, 12]]> : tensor<4x3xi32>
  return
}
