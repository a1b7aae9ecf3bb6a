// RUN: tessera parse --verify-diagnostics %s

func.func @c1(%a: tensor<3x4x2xf32>, %b: tensor<3x5x2xf32>, %c: tensor<5x2xi64>, %d: tensor<5x2x2xf32>, %e: tensor<5x2x2xf32>) {
  // expected-error@+1 {{'stablehlo.scatter' op C1: inputs 0 and 1 have types tensor<3x4x2xf32> and tensor<3x5x2xf32>, expected the same shape}}
  %0:2 = "stablehlo.scatter"(%a, %b, %c, %d, %e) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [1, 0], index_vector_dim = 1>}> ({
    ^bb0(%p0: tensor<f32>, %p1: tensor<f32>, %p2: tensor<f32>, %p3: tensor<f32>):
      "stablehlo.return"(%p0, %p1) : (tensor<f32>, tensor<f32>) -> ()
  }) : (tensor<3x4x2xf32>, tensor<3x5x2xf32>, tensor<5x2xi64>, tensor<5x2x2xf32>, tensor<5x2x2xf32>) -> (tensor<3x4x2xf32>, tensor<3x5x2xf32>)
  return
}

// -----

func.func @c2(%a: tensor<3x4x2xf32>, %b: tensor<5x2xi64>, %c: tensor<5x2x2xf32>) {
  // expected-error@+1 {{'stablehlo.scatter' op C2: the inputs have rank 3, expected the total length of update_window_dims [1, 2], inserted_window_dims [] and input_batching_dims [], 2}}
  %0 = "stablehlo.scatter"(%a, %b, %c) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], scatter_dims_to_operand_dims = [1, 0], index_vector_dim = 1>}> ({
    ^bb0(%p0: tensor<f32>, %p1: tensor<f32>):
      "stablehlo.return"(%p0) : (tensor<f32>) -> ()
  }) : (tensor<3x4x2xf32>, tensor<5x2xi64>, tensor<5x2x2xf32>) -> tensor<3x4x2xf32>
  return
}

// -----

func.func @c3(%a: tensor<3x4x2xf32>, %b: tensor<3x4x2xf32>, %c: tensor<5x2xi64>, %d: tensor<5x2x2xf32>, %e: tensor<5x2x1xf32>) {
  // expected-error@+1 {{'stablehlo.scatter' op C3: updates 0 and 1 have types tensor<5x2x2xf32> and tensor<5x2x1xf32>, expected the same shape}}
  %0:2 = "stablehlo.scatter"(%a, %b, %c, %d, %e) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [1, 0], index_vector_dim = 1>}> ({
    ^bb0(%p0: tensor<f32>, %p1: tensor<f32>, %p2: tensor<f32>, %p3: tensor<f32>):
      "stablehlo.return"(%p0, %p1) : (tensor<f32>, tensor<f32>) -> ()
  }) : (tensor<3x4x2xf32>, tensor<3x4x2xf32>, tensor<5x2xi64>, tensor<5x2x2xf32>, tensor<5x2x1xf32>) -> (tensor<3x4x2xf32>, tensor<3x4x2xf32>)
  return
}

// -----

func.func @c4(%a: tensor<3x4x2xf32>, %b: tensor<5x2xi64>, %c: tensor<6x2x2xf32>) {
  // expected-error@+1 {{'stablehlo.scatter' op C4: dimension 0 of the updates has size 6, expected 5, the size of dimension 0 of scatter_indices}}
  %0 = "stablehlo.scatter"(%a, %b, %c) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [1, 0], index_vector_dim = 1>}> ({
    ^bb0(%p0: tensor<f32>, %p1: tensor<f32>):
      "stablehlo.return"(%p0) : (tensor<f32>) -> ()
  }) : (tensor<3x4x2xf32>, tensor<5x2xi64>, tensor<6x2x2xf32>) -> tensor<3x4x2xf32>
  return
}

// -----

func.func @c4_window(%a: tensor<3x4x2xf32>, %b: tensor<5x2xi64>, %c: tensor<5x5x2xf32>) {
  // expected-error@+1 {{'stablehlo.scatter' op C4: window dimension 1 of the updates has size 5, expected at most the inputs' 4}}
  %0 = "stablehlo.scatter"(%a, %b, %c) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [1, 0], index_vector_dim = 1>}> ({
    ^bb0(%p0: tensor<f32>, %p1: tensor<f32>):
      "stablehlo.return"(%p0) : (tensor<f32>) -> ()
  }) : (tensor<3x4x2xf32>, tensor<5x2xi64>, tensor<5x5x2xf32>) -> tensor<3x4x2xf32>
  return
}

// -----

func.func @c4_rank(%a: tensor<3x4x2xf32>, %b: tensor<5x2xi64>, %c: tensor<5x2x2x1xf32>) {
  // expected-error@+1 {{'stablehlo.scatter' op C4: the updates have rank 4, expected 3: the dimensions of scatter_indices except index_vector_dim, plus update_window_dims}}
  %0 = "stablehlo.scatter"(%a, %b, %c) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [1, 0], index_vector_dim = 1>}> ({
    ^bb0(%p0: tensor<f32>, %p1: tensor<f32>):
      "stablehlo.return"(%p0) : (tensor<f32>) -> ()
  }) : (tensor<3x4x2xf32>, tensor<5x2xi64>, tensor<5x2x2x1xf32>) -> tensor<3x4x2xf32>
  return
}

// -----

func.func @c5(%a: tensor<3xf32>, %b: tensor<1xi64>) {
  // expected-error@+1 {{'stablehlo.scatter' op C5: there are 2 operands, expected at least one input, scatter_indices, and as many updates as inputs}}
  %0 = "stablehlo.scatter"(%a, %b) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      "stablehlo.return"(%p) : (tensor<f32>) -> ()
  }) : (tensor<3xf32>, tensor<1xi64>) -> tensor<3xf32>
  return
}

// -----

func.func @c6(%a: tensor<3x4x2xf32>, %b: tensor<5x2xi64>, %c: tensor<5x2x2xf64>) {
  // expected-error@+1 {{'stablehlo.scatter' op C6: input and update 0 have element types f32 and f64, expected equal}}
  %0 = "stablehlo.scatter"(%a, %b, %c) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [1, 0], index_vector_dim = 1>}> ({
    ^bb0(%p0: tensor<f32>, %p1: tensor<f32>):
      "stablehlo.return"(%p0) : (tensor<f32>) -> ()
  }) : (tensor<3x4x2xf32>, tensor<5x2xi64>, tensor<5x2x2xf64>) -> tensor<3x4x2xf32>
  return
}

// -----

func.func @c7(%a: tensor<3x4x2xf32>, %b: tensor<5x2xi64>, %c: tensor<5x2x2xf32>) {
  // expected-error@+1 {{'stablehlo.scatter' op C7: update_window_dims are [2, 1], expected ascending order without duplicates}}
  %0 = "stablehlo.scatter"(%a, %b, %c) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2, 1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [1, 0], index_vector_dim = 1>}> ({
    ^bb0(%p0: tensor<f32>, %p1: tensor<f32>):
      "stablehlo.return"(%p0) : (tensor<f32>) -> ()
  }) : (tensor<3x4x2xf32>, tensor<5x2xi64>, tensor<5x2x2xf32>) -> tensor<3x4x2xf32>
  return
}

// -----

func.func @c8(%a: tensor<3x4x2xf32>, %b: tensor<5x2xi64>, %c: tensor<5x2x2xf32>) {
  // expected-error@+1 {{'stablehlo.scatter' op C8: update_window_dims are [1, 3], expected each in [0, 3)}}
  %0 = "stablehlo.scatter"(%a, %b, %c) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 3], inserted_window_dims = [0], scatter_dims_to_operand_dims = [1, 0], index_vector_dim = 1>}> ({
    ^bb0(%p0: tensor<f32>, %p1: tensor<f32>):
      "stablehlo.return"(%p0) : (tensor<f32>) -> ()
  }) : (tensor<3x4x2xf32>, tensor<5x2xi64>, tensor<5x2x2xf32>) -> tensor<3x4x2xf32>
  return
}

// -----

func.func @c9(%a: tensor<3x4x2xf32>, %b: tensor<3x1xi64>, %c: tensor<3x2xf32>) {
  // expected-error@+1 {{'stablehlo.scatter' op C9: inserted_window_dims [0] and input_batching_dims [0] name a dimension twice, expected each at most once}}
  %0 = "stablehlo.scatter"(%a, %b, %c) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 1, input_batching_dims = [0], scatter_indices_batching_dims = [0]>}> ({
    ^bb0(%p0: tensor<f32>, %p1: tensor<f32>):
      "stablehlo.return"(%p0) : (tensor<f32>) -> ()
  }) : (tensor<3x4x2xf32>, tensor<3x1xi64>, tensor<3x2xf32>) -> tensor<3x4x2xf32>
  return
}

// -----

func.func @c10(%a: tensor<3x4x2xf32>, %b: tensor<5x2xi64>, %c: tensor<5x2xf32>) {
  // expected-error@+1 {{'stablehlo.scatter' op C10: inserted_window_dims are [1, 0], expected ascending order}}
  %0 = "stablehlo.scatter"(%a, %b, %c) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [1, 0], scatter_dims_to_operand_dims = [1, 0], index_vector_dim = 1>}> ({
    ^bb0(%p0: tensor<f32>, %p1: tensor<f32>):
      "stablehlo.return"(%p0) : (tensor<f32>) -> ()
  }) : (tensor<3x4x2xf32>, tensor<5x2xi64>, tensor<5x2xf32>) -> tensor<3x4x2xf32>
  return
}

// -----

func.func @c11(%a: tensor<3x4x2xf32>, %b: tensor<5x2xi64>, %c: tensor<5x2x2xf32>) {
  // expected-error@+1 {{'stablehlo.scatter' op C11: inserted_window_dims are [3], expected each in [0, 3)}}
  %0 = "stablehlo.scatter"(%a, %b, %c) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], inserted_window_dims = [3], scatter_dims_to_operand_dims = [1, 0], index_vector_dim = 1>}> ({
    ^bb0(%p0: tensor<f32>, %p1: tensor<f32>):
      "stablehlo.return"(%p0) : (tensor<f32>) -> ()
  }) : (tensor<3x4x2xf32>, tensor<5x2xi64>, tensor<5x2x2xf32>) -> tensor<3x4x2xf32>
  return
}

// -----

func.func @c12(%a: tensor<3x4x2xf32>, %b: tensor<4x3x1xi64>, %c: tensor<4x3x2xf32>) {
  // expected-error@+1 {{'stablehlo.scatter' op C12: input_batching_dims are [1, 0], expected ascending order}}
  %0 = "stablehlo.scatter"(%a, %b, %c) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], scatter_dims_to_operand_dims = [2], index_vector_dim = 2, input_batching_dims = [1, 0], scatter_indices_batching_dims = [0, 1]>}> ({
    ^bb0(%p0: tensor<f32>, %p1: tensor<f32>):
      "stablehlo.return"(%p0) : (tensor<f32>) -> ()
  }) : (tensor<3x4x2xf32>, tensor<4x3x1xi64>, tensor<4x3x2xf32>) -> tensor<3x4x2xf32>
  return
}

// -----

func.func @c13(%a: tensor<3x4x2xf32>, %b: tensor<3x1xi64>, %c: tensor<3x2xf32>) {
  // expected-error@+1 {{'stablehlo.scatter' op C13: input_batching_dims are [5], expected each in [0, 3)}}
  %0 = "stablehlo.scatter"(%a, %b, %c) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [1], scatter_dims_to_operand_dims = [1], index_vector_dim = 1, input_batching_dims = [5], scatter_indices_batching_dims = [0]>}> ({
    ^bb0(%p0: tensor<f32>, %p1: tensor<f32>):
      "stablehlo.return"(%p0) : (tensor<f32>) -> ()
  }) : (tensor<3x4x2xf32>, tensor<3x1xi64>, tensor<3x2xf32>) -> tensor<3x4x2xf32>
  return
}

// -----

func.func @c14(%a: tensor<3x3x2xf32>, %b: tensor<3x1xi64>, %c: tensor<3x2xf32>) {
  // expected-error@+1 {{'stablehlo.scatter' op C14: scatter_indices_batching_dims are [0, 0], expected no dimension twice}}
  %0 = "stablehlo.scatter"(%a, %b, %c) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], scatter_dims_to_operand_dims = [2], index_vector_dim = 1, input_batching_dims = [0, 1], scatter_indices_batching_dims = [0, 0]>}> ({
    ^bb0(%p0: tensor<f32>, %p1: tensor<f32>):
      "stablehlo.return"(%p0) : (tensor<f32>) -> ()
  }) : (tensor<3x3x2xf32>, tensor<3x1xi64>, tensor<3x2xf32>) -> tensor<3x3x2xf32>
  return
}

// -----

func.func @c15(%a: tensor<3x4x2xf32>, %b: tensor<3x1xi64>, %c: tensor<3x2xf32>) {
  // expected-error@+1 {{'stablehlo.scatter' op C15: scatter_indices_batching_dims are [2], expected each in [0, 2)}}
  %0 = "stablehlo.scatter"(%a, %b, %c) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [1], scatter_dims_to_operand_dims = [1], index_vector_dim = 1, input_batching_dims = [0], scatter_indices_batching_dims = [2]>}> ({
    ^bb0(%p0: tensor<f32>, %p1: tensor<f32>):
      "stablehlo.return"(%p0) : (tensor<f32>) -> ()
  }) : (tensor<3x4x2xf32>, tensor<3x1xi64>, tensor<3x2xf32>) -> tensor<3x4x2xf32>
  return
}

// -----

func.func @c16(%a: tensor<3x4x2xf32>, %b: tensor<3x1xi64>, %c: tensor<3x2xf32>) {
  // expected-error@+1 {{'stablehlo.scatter' op C16: scatter_indices_batching_dims [1] contains index_vector_dim 1, expected other dimensions only}}
  %0 = "stablehlo.scatter"(%a, %b, %c) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [1], scatter_dims_to_operand_dims = [1], index_vector_dim = 1, input_batching_dims = [0], scatter_indices_batching_dims = [1]>}> ({
    ^bb0(%p0: tensor<f32>, %p1: tensor<f32>):
      "stablehlo.return"(%p0) : (tensor<f32>) -> ()
  }) : (tensor<3x4x2xf32>, tensor<3x1xi64>, tensor<3x2xf32>) -> tensor<3x4x2xf32>
  return
}

// -----

func.func @c17(%a: tensor<3x4x2xf32>, %b: tensor<3x1xi64>, %c: tensor<3x2xf32>) {
  // expected-error@+1 {{'stablehlo.scatter' op C17: input_batching_dims [0] and scatter_indices_batching_dims [] differ in length, expected equal lengths}}
  %0 = "stablehlo.scatter"(%a, %b, %c) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [1], scatter_dims_to_operand_dims = [1], index_vector_dim = 1, input_batching_dims = [0]>}> ({
    ^bb0(%p0: tensor<f32>, %p1: tensor<f32>):
      "stablehlo.return"(%p0) : (tensor<f32>) -> ()
  }) : (tensor<3x4x2xf32>, tensor<3x1xi64>, tensor<3x2xf32>) -> tensor<3x4x2xf32>
  return
}

// -----

func.func @c18(%a: tensor<3x4x2xf32>, %b: tensor<5x1xi64>, %c: tensor<5x2xf32>) {
  // expected-error@+1 {{'stablehlo.scatter' op C18: batching dimension 0 of the inputs has size 3 and 0 of scatter_indices 5, expected equal}}
  %0 = "stablehlo.scatter"(%a, %b, %c) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [1], scatter_dims_to_operand_dims = [1], index_vector_dim = 1, input_batching_dims = [0], scatter_indices_batching_dims = [0]>}> ({
    ^bb0(%p0: tensor<f32>, %p1: tensor<f32>):
      "stablehlo.return"(%p0) : (tensor<f32>) -> ()
  }) : (tensor<3x4x2xf32>, tensor<5x1xi64>, tensor<5x2xf32>) -> tensor<3x4x2xf32>
  return
}

// -----

func.func @c19(%a: tensor<3x4x2xf32>, %b: tensor<5x2xi64>, %c: tensor<5x2x2xf32>) {
  // expected-error@+1 {{'stablehlo.scatter' op C19: scatter_dims_to_operand_dims [1] has length 1, expected 2, the size of an index vector}}
  %0 = "stablehlo.scatter"(%a, %b, %c) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>}> ({
    ^bb0(%p0: tensor<f32>, %p1: tensor<f32>):
      "stablehlo.return"(%p0) : (tensor<f32>) -> ()
  }) : (tensor<3x4x2xf32>, tensor<5x2xi64>, tensor<5x2x2xf32>) -> tensor<3x4x2xf32>
  return
}

// -----

func.func @c20(%a: tensor<3x4x2xf32>, %b: tensor<3x1xi64>, %c: tensor<3x2xf32>) {
  // expected-error@+1 {{'stablehlo.scatter' op C20: scatter_dims_to_operand_dims [0] and input_batching_dims [0] name a dimension twice, expected each at most once}}
  %0 = "stablehlo.scatter"(%a, %b, %c) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [1], scatter_dims_to_operand_dims = [0], index_vector_dim = 1, input_batching_dims = [0], scatter_indices_batching_dims = [0]>}> ({
    ^bb0(%p0: tensor<f32>, %p1: tensor<f32>):
      "stablehlo.return"(%p0) : (tensor<f32>) -> ()
  }) : (tensor<3x4x2xf32>, tensor<3x1xi64>, tensor<3x2xf32>) -> tensor<3x4x2xf32>
  return
}

// -----

func.func @c21(%a: tensor<3x4x2xf32>, %b: tensor<5x2xi64>, %c: tensor<5x2x2xf32>) {
  // expected-error@+1 {{'stablehlo.scatter' op C21: scatter_dims_to_operand_dims are [1, 3], expected each in [0, 3)}}
  %0 = "stablehlo.scatter"(%a, %b, %c) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [1, 3], index_vector_dim = 1>}> ({
    ^bb0(%p0: tensor<f32>, %p1: tensor<f32>):
      "stablehlo.return"(%p0) : (tensor<f32>) -> ()
  }) : (tensor<3x4x2xf32>, tensor<5x2xi64>, tensor<5x2x2xf32>) -> tensor<3x4x2xf32>
  return
}

// -----

func.func @c22(%a: tensor<3x4x2xf32>, %b: tensor<5x2xi64>, %c: tensor<5x2x2xf32>) {
  // expected-error@+1 {{'stablehlo.scatter' op C22: index_vector_dim is 3, expected it in [0, 2]}}
  %0 = "stablehlo.scatter"(%a, %b, %c) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [1, 0], index_vector_dim = 3>}> ({
    ^bb0(%p0: tensor<f32>, %p1: tensor<f32>):
      "stablehlo.return"(%p0) : (tensor<f32>) -> ()
  }) : (tensor<3x4x2xf32>, tensor<5x2xi64>, tensor<5x2x2xf32>) -> tensor<3x4x2xf32>
  return
}

// -----

func.func @c23(%a: tensor<3x4x2xf32>, %b: tensor<5x2xi64>, %c: tensor<5x2x2xf32>) {
  // expected-error@+1 {{'stablehlo.scatter' op C23: the body returns element type i32, expected f32 or a type to which it can be promoted}}
  %0 = "stablehlo.scatter"(%a, %b, %c) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [1, 0], index_vector_dim = 1>}> ({
    ^bb0(%p: tensor<i32>, %q: tensor<i32>):
      "stablehlo.return"(%p) : (tensor<i32>) -> ()
  }) : (tensor<3x4x2xf32>, tensor<5x2xi64>, tensor<5x2x2xf32>) -> tensor<3x4x2xf32>
  return
}

// -----

func.func @c23_count(%a: tensor<3x4x2xf32>, %b: tensor<5x2xi64>, %c: tensor<5x2x2xf32>) {
  // expected-error@+1 {{'stablehlo.scatter' op C23: the body takes 1 arguments, expected 2}}
  %0 = "stablehlo.scatter"(%a, %b, %c) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [1, 0], index_vector_dim = 1>}> ({
    ^bb0(%p: tensor<f32>):
      "stablehlo.return"(%p) : (tensor<f32>) -> ()
  }) : (tensor<3x4x2xf32>, tensor<5x2xi64>, tensor<5x2x2xf32>) -> tensor<3x4x2xf32>
  return
}

// -----

func.func @c24(%a: tensor<3x4x2xf32>, %b: tensor<5x2xi64>, %c: tensor<5x2x2xf32>) {
  // expected-error@+1 {{'stablehlo.scatter' op C24: result 0 has type tensor<3x4x3xf32>, expected the shape of the input, tensor<3x4x2xf32>}}
  %0 = "stablehlo.scatter"(%a, %b, %c) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [1, 0], index_vector_dim = 1>}> ({
    ^bb0(%p0: tensor<f32>, %p1: tensor<f32>):
      "stablehlo.return"(%p0) : (tensor<f32>) -> ()
  }) : (tensor<3x4x2xf32>, tensor<5x2xi64>, tensor<5x2x2xf32>) -> tensor<3x4x3xf32>
  return
}

// -----

func.func @c25(%a: tensor<3x4x2xf32>, %b: tensor<5x2xi64>, %c: tensor<5x2x2xf32>) {
  // expected-error@+1 {{'stablehlo.scatter' op C25: result 0 has type tensor<3x4x2xf64>, expected the element type f32 that update_computation returns}}
  %0 = "stablehlo.scatter"(%a, %b, %c) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [1, 0], index_vector_dim = 1>}> ({
    ^bb0(%p0: tensor<f32>, %p1: tensor<f32>):
      "stablehlo.return"(%p0) : (tensor<f32>) -> ()
  }) : (tensor<3x4x2xf32>, tensor<5x2xi64>, tensor<5x2x2xf32>) -> tensor<3x4x2xf64>
  return
}
