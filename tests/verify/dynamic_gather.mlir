// RUN: tessera parse --verify-diagnostics %s

func.func @c1(%a: tensor<3x4x2xf32>, %b: tensor<5x2xi64>, %c: tensor<3xi64>) {
  // expected-error@+1 {{'stablehlo.dynamic_gather' op C1: the operand has rank 3, expected the total length of offset_dims [1, 2], collapsed_slice_dims [] and operand_batching_dims [], 2}}
  %0 = "stablehlo.dynamic_gather"(%a, %b, %c) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], start_index_map = [1, 0], index_vector_dim = 1>}> : (tensor<3x4x2xf32>, tensor<5x2xi64>, tensor<3xi64>) -> tensor<5x?x?xf32>
  return
}

// -----

func.func @c2(%a: tensor<3x4x2xf32>, %b: tensor<5x2xi64>, %c: tensor<3xi64>) {
  // expected-error@+1 {{'stablehlo.dynamic_gather' op C2: index_vector_dim is 3, expected it in [0, 2]}}
  %0 = "stablehlo.dynamic_gather"(%a, %b, %c) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [0], start_index_map = [1, 0], index_vector_dim = 3>}> : (tensor<3x4x2xf32>, tensor<5x2xi64>, tensor<3xi64>) -> tensor<5x?x?xf32>
  return
}

// -----

func.func @c3(%a: tensor<3x4x2xf32>, %b: tensor<5x2xi64>, %c: tensor<3xi64>) {
  // expected-error@+1 {{'stablehlo.dynamic_gather' op C3: start_index_map [1] has length 1, expected 2, the size of an index vector}}
  %0 = "stablehlo.dynamic_gather"(%a, %b, %c) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [0], start_index_map = [1], index_vector_dim = 1>}> : (tensor<3x4x2xf32>, tensor<5x2xi64>, tensor<3xi64>) -> tensor<5x?x?xf32>
  return
}

// -----

func.func @c4(%a: tensor<3x4x2xf32>, %b: tensor<5x2xi64>, %c: tensor<3xi64>) {
  // expected-error@+1 {{'stablehlo.dynamic_gather' op C4: offset_dims are [2, 1], expected ascending order without duplicates}}
  %0 = "stablehlo.dynamic_gather"(%a, %b, %c) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 1], collapsed_slice_dims = [0], start_index_map = [1, 0], index_vector_dim = 1>}> : (tensor<3x4x2xf32>, tensor<5x2xi64>, tensor<3xi64>) -> tensor<5x?x?xf32>
  return
}

// -----

func.func @c5(%a: tensor<3x4x2xf32>, %b: tensor<5x2xi64>, %c: tensor<3xi64>) {
  // expected-error@+1 {{'stablehlo.dynamic_gather' op C5: offset_dims are [1, 3], expected each in [0, 3)}}
  %0 = "stablehlo.dynamic_gather"(%a, %b, %c) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 3], collapsed_slice_dims = [0], start_index_map = [1, 0], index_vector_dim = 1>}> : (tensor<3x4x2xf32>, tensor<5x2xi64>, tensor<3xi64>) -> tensor<5x?x?xf32>
  return
}

// -----

func.func @c6(%a: tensor<3x4x2xf32>, %b: tensor<5x2xi64>, %c: tensor<3xi64>) {
  // expected-error@+1 {{'stablehlo.dynamic_gather' op C6: collapsed_slice_dims are [1, 0], expected ascending order}}
  %0 = "stablehlo.dynamic_gather"(%a, %b, %c) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [1, 0], start_index_map = [1, 0], index_vector_dim = 1>}> : (tensor<3x4x2xf32>, tensor<5x2xi64>, tensor<3xi64>) -> tensor<5x?xf32>
  return
}

// -----

func.func @c7(%a: tensor<3x4x2xf32>, %b: tensor<5x2xi64>, %c: tensor<3xi64>) {
  // expected-error@+1 {{'stablehlo.dynamic_gather' op C7: collapsed_slice_dims are [3], expected each in [0, 3)}}
  %0 = "stablehlo.dynamic_gather"(%a, %b, %c) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [3], start_index_map = [1, 0], index_vector_dim = 1>}> : (tensor<3x4x2xf32>, tensor<5x2xi64>, tensor<3xi64>) -> tensor<5x?x?xf32>
  return
}

// -----

func.func @c9(%a: tensor<3x4x2xf32>, %b: tensor<5x2xi64>, %c: tensor<3xi64>) {
  // expected-error@+1 {{'stablehlo.dynamic_gather' op C9: start_index_map [1, 1] and operand_batching_dims [] name a dimension twice, expected each at most once}}
  %0 = "stablehlo.dynamic_gather"(%a, %b, %c) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [0], start_index_map = [1, 1], index_vector_dim = 1>}> : (tensor<3x4x2xf32>, tensor<5x2xi64>, tensor<3xi64>) -> tensor<5x?x?xf32>
  return
}

// -----

func.func @c10(%a: tensor<3x4x2xf32>, %b: tensor<5x2xi64>, %c: tensor<3xi64>) {
  // expected-error@+1 {{'stablehlo.dynamic_gather' op C10: start_index_map is [1, 3], expected each in [0, 3)}}
  %0 = "stablehlo.dynamic_gather"(%a, %b, %c) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [0], start_index_map = [1, 3], index_vector_dim = 1>}> : (tensor<3x4x2xf32>, tensor<5x2xi64>, tensor<3xi64>) -> tensor<5x?x?xf32>
  return
}

// -----

func.func @c11(%a: tensor<3x4x2xf32>, %b: tensor<5x2xi64>, %c: tensor<2xi64>) {
  // expected-error@+1 {{'stablehlo.dynamic_gather' op C11: slice_sizes has length 2, expected 3, one entry per dimension}}
  %0 = "stablehlo.dynamic_gather"(%a, %b, %c) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [0], start_index_map = [1, 0], index_vector_dim = 1>}> : (tensor<3x4x2xf32>, tensor<5x2xi64>, tensor<2xi64>) -> tensor<5x?x?xf32>
  return
}

// -----

func.func @c13(%a: tensor<3x4x2xf32>, %b: tensor<5x2xi64>, %c: tensor<3xi64>) {
  // expected-error@+1 {{'stablehlo.dynamic_gather' op C13: the result's shape is [4, ?, ?], expected [5, ?, ?]}}
  %0 = "stablehlo.dynamic_gather"(%a, %b, %c) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [0], start_index_map = [1, 0], index_vector_dim = 1>}> : (tensor<3x4x2xf32>, tensor<5x2xi64>, tensor<3xi64>) -> tensor<4x?x?xf32>
  return
}

// -----

func.func @c14(%a: tensor<3x4x2xf32>, %b: tensor<5x2xi64>, %c: tensor<3xi64>) {
  // expected-error@+1 {{'stablehlo.dynamic_gather' op C14: the result's element type is f64, expected the operand's f32}}
  %0 = "stablehlo.dynamic_gather"(%a, %b, %c) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [0], start_index_map = [1, 0], index_vector_dim = 1>}> : (tensor<3x4x2xf32>, tensor<5x2xi64>, tensor<3xi64>) -> tensor<5x?x?xf64>
  return
}

// -----

func.func @c8(%a: tensor<3x4x2xf32>, %s: tensor<5x2xi64>, %t: tensor<2x3xf32>, %f: tensor<f32>) {
  %z = "stablehlo.constant"() <{value = dense<[2, 2, 2]> : tensor<3xi64>}> : () -> tensor<3xi64>
  // expected-error@+1 {{'stablehlo.dynamic_gather' op C8: collapsed dimension 0 has slice size 2, expected at most 1}}
  %0 = "stablehlo.dynamic_gather"(%a, %s, %z) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [0], start_index_map = [1, 0], index_vector_dim = 1>}> : (tensor<3x4x2xf32>, tensor<5x2xi64>, tensor<3xi64>) -> tensor<5x?x?xf32>
  return
}

// -----

func.func @c12(%a: tensor<3x4x2xf32>, %s: tensor<5x2xi64>, %t: tensor<2x3xf32>, %f: tensor<f32>) {
  %z = "stablehlo.constant"() <{value = dense<[1, 5, 2]> : tensor<3xi64>}> : () -> tensor<3xi64>
  // expected-error@+1 {{'stablehlo.dynamic_gather' op C12: slice_sizes are [1, 5, 2], expected each from 0 to the operand's [3, 4, 2]}}
  %0 = "stablehlo.dynamic_gather"(%a, %s, %z) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [0], start_index_map = [1, 0], index_vector_dim = 1>}> : (tensor<3x4x2xf32>, tensor<5x2xi64>, tensor<3xi64>) -> tensor<5x?x?xf32>
  return
}

// -----

func.func @c13_sizes(%a: tensor<3x4x2xf32>, %s: tensor<5x2xi64>, %t: tensor<2x3xf32>, %f: tensor<f32>) {
  %z = "stablehlo.constant"() <{value = dense<[1, 3, 2]> : tensor<3xi64>}> : () -> tensor<3xi64>
  // expected-error@+1 {{'stablehlo.dynamic_gather' op C13: the result's shape is [5, 4, 2], expected [5, 3, 2]}}
  %0 = "stablehlo.dynamic_gather"(%a, %s, %z) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [0], start_index_map = [1, 0], index_vector_dim = 1>}> : (tensor<3x4x2xf32>, tensor<5x2xi64>, tensor<3xi64>) -> tensor<5x4x2xf32>
  return
}
