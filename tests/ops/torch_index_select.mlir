// RUN: tessera check %s
// torch_index_select: entries of one dimension chosen by index.

func.func @columns() {
  %a = stablehlo.constant dense<[[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]]> : tensor<3x4xi32>
  %i = stablehlo.constant dense<[2, 0, 2]> : tensor<3xi32>
  %r = "stablehlo.torch_index_select"(%a, %i) <{batch_dims = 0 : i64, dim = 1 : i64}> : (tensor<3x4xi32>, tensor<3xi32>) -> tensor<3x3xi32>
  check.expect_eq_const %r, dense<[[3, 1, 3], [7, 5, 7], [11, 9, 11]]> : tensor<3x3xi32>
  return
}

// -----

func.func @rows() {
  %a = stablehlo.constant dense<[[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]]> : tensor<3x4xi32>
  %i = stablehlo.constant dense<[2, 0, 2]> : tensor<3xi32>
  %r = "stablehlo.torch_index_select"(%a, %i) <{dim = 0 : i64, batch_dims = 0 : i64}> : (tensor<3x4xi32>, tensor<3xi32>) -> tensor<3x4xi32>
  check.expect_eq_const %r, dense<[[9, 10, 11, 12], [1, 2, 3, 4], [9, 10, 11, 12]]> : tensor<3x4xi32>
  return
}

// -----

func.func @matrix_of_indices() {
  %a = stablehlo.constant dense<[[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]]> : tensor<3x4xi32>
  %i = stablehlo.constant dense<[[0, 1], [2, 0]]> : tensor<2x2xi32>
  %r = "stablehlo.torch_index_select"(%a, %i) <{batch_dims = 0 : i64, dim = 1 : i64}> : (tensor<3x4xi32>, tensor<2x2xi32>) -> tensor<3x2x2xi32>
  check.expect_eq_const %r, dense<[[[1, 2], [3, 1]], [[5, 6], [7, 5]], [[9, 10], [11, 9]]]> : tensor<3x2x2xi32>
  return
}

// -----

func.func @batch() {
  %a = stablehlo.constant dense<[[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]]> : tensor<3x4xi32>
  %i = stablehlo.constant dense<[[3, 0], [1, 1], [2, 3]]> : tensor<3x2xi32>
  %r = "stablehlo.torch_index_select"(%a, %i) <{batch_dims = 1 : i64, dim = 1 : i64}> : (tensor<3x4xi32>, tensor<3x2xi32>) -> tensor<3x2xi32>
  check.expect_eq_const %r, dense<[[4, 1], [6, 6], [11, 12]]> : tensor<3x2xi32>
  return
}

// -----

func.func @one() {
  %a = stablehlo.constant dense<[[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]]> : tensor<3x4xi32>
  %i = stablehlo.constant dense<1> : tensor<i32>
  %r = "stablehlo.torch_index_select"(%a, %i) <{batch_dims = 0 : i64, dim = 0 : i64}> : (tensor<3x4xi32>, tensor<i32>) -> tensor<4xi32>
  check.expect_eq_const %r, dense<[5, 6, 7, 8]> : tensor<4xi32>
  return
}
