// RUN: tessera parse --verify-diagnostics %s

func.func @c1(%a: tensor<3x4x2xf32>, %b: tensor<5x2xi64>) {
  // expected-error@+1 {{'stablehlo.gather' op C1: the operand has rank 3, expected the total length of offset_dims [1, 2], collapsed_slice_dims [] and operand_batching_dims [], 2}}
  %0 = "stablehlo.gather"(%a, %b) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], start_index_map = [1, 0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2, 2>}> : (tensor<3x4x2xf32>, tensor<5x2xi64>) -> tensor<5x2x2xf32>
  return
}

// -----

func.func @c2(%a: tensor<3x4x2xf32>, %b: tensor<5x2xi64>) {
  // expected-error@+1 {{'stablehlo.gather' op C2: index_vector_dim is 3, expected it in [0, 2]}}
  %0 = "stablehlo.gather"(%a, %b) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [0], start_index_map = [1, 0], index_vector_dim = 3>, slice_sizes = array<i64: 1, 2, 2>}> : (tensor<3x4x2xf32>, tensor<5x2xi64>) -> tensor<5x2x2xf32>
  return
}

// -----

func.func @c3(%a: tensor<3x4x2xf32>, %b: tensor<5x2xi64>) {
  // expected-error@+1 {{'stablehlo.gather' op C3: start_index_map [1] has length 1, expected 2, the size of an index vector}}
  %0 = "stablehlo.gather"(%a, %b) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [0], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2, 2>}> : (tensor<3x4x2xf32>, tensor<5x2xi64>) -> tensor<5x2x2xf32>
  return
}

// -----

func.func @c4(%a: tensor<3x4x2xf32>, %b: tensor<5x2xi64>) {
  // expected-error@+1 {{'stablehlo.gather' op C4: offset_dims are [2, 1], expected ascending order without duplicates}}
  %0 = "stablehlo.gather"(%a, %b) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 1], collapsed_slice_dims = [0], start_index_map = [1, 0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2, 2>}> : (tensor<3x4x2xf32>, tensor<5x2xi64>) -> tensor<5x2x2xf32>
  return
}

// -----

func.func @c5(%a: tensor<3x4x2xf32>, %b: tensor<5x2xi64>) {
  // expected-error@+1 {{'stablehlo.gather' op C5: offset_dims are [1, 3], expected each in [0, 3)}}
  %0 = "stablehlo.gather"(%a, %b) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 3], collapsed_slice_dims = [0], start_index_map = [1, 0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2, 2>}> : (tensor<3x4x2xf32>, tensor<5x2xi64>) -> tensor<5x2x2xf32>
  return
}

// -----

func.func @c6(%a: tensor<3x4x2xf32>, %b: tensor<3x1xi64>) {
  // expected-error@+1 {{'stablehlo.gather' op C6: collapsed_slice_dims [0] and operand_batching_dims [0] name a dimension twice, expected each at most once}}
  %0 = "stablehlo.gather"(%a, %b) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [1], index_vector_dim = 1, operand_batching_dims = [0], start_indices_batching_dims = [0]>, slice_sizes = array<i64: 1, 1, 2>}> : (tensor<3x4x2xf32>, tensor<3x1xi64>) -> tensor<3x2xf32>
  return
}

// -----

func.func @c7(%a: tensor<3x4x2xf32>, %b: tensor<5x2xi64>) {
  // expected-error@+1 {{'stablehlo.gather' op C7: collapsed_slice_dims are [1, 0], expected ascending order}}
  %0 = "stablehlo.gather"(%a, %b) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [1, 0], start_index_map = [1, 0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1, 2>}> : (tensor<3x4x2xf32>, tensor<5x2xi64>) -> tensor<5x2xf32>
  return
}

// -----

func.func @c8(%a: tensor<3x4x2xf32>, %b: tensor<5x2xi64>) {
  // expected-error@+1 {{'stablehlo.gather' op C8: collapsed_slice_dims are [3], expected each in [0, 3)}}
  %0 = "stablehlo.gather"(%a, %b) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [3], start_index_map = [1, 0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2, 2>}> : (tensor<3x4x2xf32>, tensor<5x2xi64>) -> tensor<5x2x2xf32>
  return
}

// -----

func.func @c9(%a: tensor<3x4x2xf32>, %b: tensor<5x2xi64>) {
  // expected-error@+1 {{'stablehlo.gather' op C9: collapsed dimension 0 has slice size 2, expected at most 1}}
  %0 = "stablehlo.gather"(%a, %b) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [0], start_index_map = [1, 0], index_vector_dim = 1>, slice_sizes = array<i64: 2, 2, 2>}> : (tensor<3x4x2xf32>, tensor<5x2xi64>) -> tensor<5x2x2xf32>
  return
}

// -----

func.func @c10(%a: tensor<3x4x2xf32>, %b: tensor<4x3x1xi64>) {
  // expected-error@+1 {{'stablehlo.gather' op C10: operand_batching_dims are [1, 0], expected ascending order}}
  %0 = "stablehlo.gather"(%a, %b) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], start_index_map = [2], index_vector_dim = 2, operand_batching_dims = [1, 0], start_indices_batching_dims = [0, 1]>, slice_sizes = array<i64: 1, 1, 2>}> : (tensor<3x4x2xf32>, tensor<4x3x1xi64>) -> tensor<4x3x2xf32>
  return
}

// -----

func.func @c11(%a: tensor<3x4x2xf32>, %b: tensor<3x1xi64>) {
  // expected-error@+1 {{'stablehlo.gather' op C11: operand_batching_dims are [5], expected each in [0, 3)}}
  %0 = "stablehlo.gather"(%a, %b) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [1], start_index_map = [1], index_vector_dim = 1, operand_batching_dims = [5], start_indices_batching_dims = [0]>, slice_sizes = array<i64: 1, 1, 2>}> : (tensor<3x4x2xf32>, tensor<3x1xi64>) -> tensor<3x2xf32>
  return
}

// -----

func.func @c12(%a: tensor<3x4x2xf32>, %b: tensor<3x1xi64>) {
  // expected-error@+1 {{'stablehlo.gather' op C12: batching dimension 0 has slice size 2, expected at most 1}}
  %0 = "stablehlo.gather"(%a, %b) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [1], start_index_map = [1], index_vector_dim = 1, operand_batching_dims = [0], start_indices_batching_dims = [0]>, slice_sizes = array<i64: 2, 1, 2>}> : (tensor<3x4x2xf32>, tensor<3x1xi64>) -> tensor<3x2xf32>
  return
}

// -----

func.func @c13(%a: tensor<3x3x2xf32>, %b: tensor<3x1xi64>) {
  // expected-error@+1 {{'stablehlo.gather' op C13: start_indices_batching_dims are [0, 0], expected no dimension twice}}
  %0 = "stablehlo.gather"(%a, %b) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], start_index_map = [2], index_vector_dim = 1, operand_batching_dims = [0, 1], start_indices_batching_dims = [0, 0]>, slice_sizes = array<i64: 1, 1, 2>}> : (tensor<3x3x2xf32>, tensor<3x1xi64>) -> tensor<3x2xf32>
  return
}

// -----

func.func @c14(%a: tensor<3x4x2xf32>, %b: tensor<3x1xi64>) {
  // expected-error@+1 {{'stablehlo.gather' op C14: start_indices_batching_dims are [2], expected each in [0, 2)}}
  %0 = "stablehlo.gather"(%a, %b) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [1], start_index_map = [1], index_vector_dim = 1, operand_batching_dims = [0], start_indices_batching_dims = [2]>, slice_sizes = array<i64: 1, 1, 2>}> : (tensor<3x4x2xf32>, tensor<3x1xi64>) -> tensor<3x2xf32>
  return
}

// -----

func.func @c15(%a: tensor<3x4x2xf32>, %b: tensor<3x1xi64>) {
  // expected-error@+1 {{'stablehlo.gather' op C15: start_indices_batching_dims [1] contains index_vector_dim 1, expected other dimensions only}}
  %0 = "stablehlo.gather"(%a, %b) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [1], start_index_map = [1], index_vector_dim = 1, operand_batching_dims = [0], start_indices_batching_dims = [1]>, slice_sizes = array<i64: 1, 1, 2>}> : (tensor<3x4x2xf32>, tensor<3x1xi64>) -> tensor<3x2xf32>
  return
}

// -----

func.func @c16(%a: tensor<3x4x2xf32>, %b: tensor<3x1xi64>) {
  // expected-error@+1 {{'stablehlo.gather' op C16: operand_batching_dims [0] and start_indices_batching_dims [] differ in length, expected equal lengths}}
  %0 = "stablehlo.gather"(%a, %b) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [1], start_index_map = [1], index_vector_dim = 1, operand_batching_dims = [0]>, slice_sizes = array<i64: 1, 1, 2>}> : (tensor<3x4x2xf32>, tensor<3x1xi64>) -> tensor<3x2xf32>
  return
}

// -----

func.func @c17(%a: tensor<3x4x2xf32>, %b: tensor<5x1xi64>) {
  // expected-error@+1 {{'stablehlo.gather' op C17: batching dimension 0 of the operand has size 3 and 0 of start_indices 5, expected equal}}
  %0 = "stablehlo.gather"(%a, %b) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [1], start_index_map = [1], index_vector_dim = 1, operand_batching_dims = [0], start_indices_batching_dims = [0]>, slice_sizes = array<i64: 1, 1, 2>}> : (tensor<3x4x2xf32>, tensor<5x1xi64>) -> tensor<3x2xf32>
  return
}

// -----

func.func @c18(%a: tensor<3x4x2xf32>, %b: tensor<3x1xi64>) {
  // expected-error@+1 {{'stablehlo.gather' op C18: start_index_map [0] and operand_batching_dims [0] name a dimension twice, expected each at most once}}
  %0 = "stablehlo.gather"(%a, %b) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [1], start_index_map = [0], index_vector_dim = 1, operand_batching_dims = [0], start_indices_batching_dims = [0]>, slice_sizes = array<i64: 1, 1, 2>}> : (tensor<3x4x2xf32>, tensor<3x1xi64>) -> tensor<3x2xf32>
  return
}

// -----

func.func @c19(%a: tensor<3x4x2xf32>, %b: tensor<5x2xi64>) {
  // expected-error@+1 {{'stablehlo.gather' op C19: start_index_map is [1, 3], expected each in [0, 3)}}
  %0 = "stablehlo.gather"(%a, %b) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [0], start_index_map = [1, 3], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2, 2>}> : (tensor<3x4x2xf32>, tensor<5x2xi64>) -> tensor<5x2x2xf32>
  return
}

// -----

func.func @c20(%a: tensor<3x4x2xf32>, %b: tensor<5x2xi64>) {
  // expected-error@+1 {{'stablehlo.gather' op C20: slice_sizes [1, 2] has length 2, expected 3, one entry per dimension}}
  %0 = "stablehlo.gather"(%a, %b) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [0], start_index_map = [1, 0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2>}> : (tensor<3x4x2xf32>, tensor<5x2xi64>) -> tensor<5x2x2xf32>
  return
}

// -----

func.func @c21(%a: tensor<3x4x2xf32>, %b: tensor<5x2xi64>) {
  // expected-error@+1 {{'stablehlo.gather' op C21: slice_sizes are [1, 5, 2], expected each from 0 to the operand's [3, 4, 2]}}
  %0 = "stablehlo.gather"(%a, %b) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [0], start_index_map = [1, 0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 5, 2>}> : (tensor<3x4x2xf32>, tensor<5x2xi64>) -> tensor<5x2x2xf32>
  return
}

// -----

func.func @c22(%a: tensor<3x4x2xf32>, %b: tensor<5x2xi64>) {
  // expected-error@+1 {{'stablehlo.gather' op C22: the result's shape is [5, 2, 3], expected [5, 2, 2]}}
  %0 = "stablehlo.gather"(%a, %b) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [0], start_index_map = [1, 0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2, 2>}> : (tensor<3x4x2xf32>, tensor<5x2xi64>) -> tensor<5x2x3xf32>
  return
}

// -----

func.func @c23(%a: tensor<3x4x2xf32>, %b: tensor<5x2xi64>) {
  // expected-error@+1 {{'stablehlo.gather' op C23: the result's element type is f64, expected the operand's f32}}
  %0 = "stablehlo.gather"(%a, %b) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [0], start_index_map = [1, 0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2, 2>}> : (tensor<3x4x2xf32>, tensor<5x2xi64>) -> tensor<5x2x2xf64>
  return
}

// -----

func.func @float_indices(%a: tensor<3x4x2xf32>, %b: tensor<5x2xf32>) {
  // expected-error@+1 {{'stablehlo.gather' op operand 1 must be a tensor of integers, got tensor<5x2xf32>}}
  %0 = "stablehlo.gather"(%a, %b) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [0], start_index_map = [1, 0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2, 2>}> : (tensor<3x4x2xf32>, tensor<5x2xf32>) -> tensor<5x2x2xf32>
  return
}
