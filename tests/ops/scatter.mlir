// RUN: tessera check %s
// scatter: updates combined into the inputs at places given by scatter_indices; what falls outside is dropped.

func.func @blocks() {
  %a = stablehlo.constant dense<[[[1, 2], [3, 4], [5, 6], [7, 8]], [[9, 10], [11, 12], [13, 14], [15, 16]], [[17, 18], [19, 20], [21, 22], [23, 24]]]> : tensor<3x4x2xi32>
  %s = stablehlo.constant dense<[[[0, 2], [1, 0], [2, 1]], [[0, 1], [1, 0], [0, 9]]]> : tensor<2x3x2xi64>
  %u = stablehlo.constant dense<[[[[1, 2], [3, 4]], [[5, 6], [7, 8]], [[9, 10], [11, 12]]], [[[13, 14], [15, 16]], [[17, 18], [19, 20]], [[21, 22], [23, 24]]]]> : tensor<2x3x2x2xi32>
  %r = "stablehlo.scatter"(%a, %s, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2, 3], inserted_window_dims = [0], scatter_dims_to_operand_dims = [1, 0], index_vector_dim = 2>, indices_are_sorted = false, unique_indices = false}> ({
  ^bb0(%p: tensor<i32>, %q: tensor<i32>):
    %c = stablehlo.add %p, %q : tensor<i32>
    stablehlo.return %c : tensor<i32>
  }) : (tensor<3x4x2xi32>, tensor<2x3x2xi64>, tensor<2x3x2x2xi32>) -> tensor<3x4x2xi32>
  check.expect_eq_const %r, dense<[[[1, 2], [25, 28], [31, 34], [7, 8]], [[22, 24], [26, 28], [22, 24], [26, 28]], [[18, 20], [22, 24], [21, 22], [23, 24]]]> : tensor<3x4x2xi32>
  check.expect_eq_const %a, dense<[[[1, 2], [3, 4], [5, 6], [7, 8]], [[9, 10], [11, 12], [13, 14], [15, 16]], [[17, 18], [19, 20], [21, 22], [23, 24]]]> : tensor<3x4x2xi32>
  return
}

// -----

func.func @replaced() {
  %a = stablehlo.constant dense<[1, 2, 3, 4, 5]> : tensor<5xi32>
  %s = stablehlo.constant dense<[[1], [3], [1]]> : tensor<3x1xi32>
  %u = stablehlo.constant dense<[10, 20, 30]> : tensor<3xi32>
  %r = "stablehlo.scatter"(%a, %s, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, indices_are_sorted = false, unique_indices = false}> ({
  ^bb0(%p: tensor<i32>, %q: tensor<i32>):
    stablehlo.return %q : tensor<i32>
  }) : (tensor<5xi32>, tensor<3x1xi32>, tensor<3xi32>) -> tensor<5xi32>
  check.expect_eq_const %r, dense<[1, 30, 3, 20, 5]> : tensor<5xi32>
  check.expect_eq_const %a, dense<[1, 2, 3, 4, 5]> : tensor<5xi32>
  return
}

// -----

func.func @order_matters() {
  %a = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %s = stablehlo.constant dense<[1, 1, 1]> : tensor<3xi64>
  %u = stablehlo.constant dense<[5, 7, 11]> : tensor<3xi32>
  %r = "stablehlo.scatter"(%a, %s, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, indices_are_sorted = false, unique_indices = false}> ({
  ^bb0(%p: tensor<i32>, %q: tensor<i32>):
    %c = stablehlo.subtract %p, %q : tensor<i32>
    stablehlo.return %c : tensor<i32>
  }) : (tensor<3xi32>, tensor<3xi64>, tensor<3xi32>) -> tensor<3xi32>
  check.expect_eq_const %r, dense<[1, -21, 3]> : tensor<3xi32>
  check.expect_eq_const %a, dense<[1, 2, 3]> : tensor<3xi32>
  return
}

// -----

func.func @outside_dropped() {
  %a = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %s = stablehlo.constant dense<[-1, 3, 0]> : tensor<3xi8>
  %u = stablehlo.constant dense<[5, 7, 11]> : tensor<3xi32>
  %r = "stablehlo.scatter"(%a, %s, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, indices_are_sorted = false, unique_indices = false}> ({
  ^bb0(%p: tensor<i32>, %q: tensor<i32>):
    %c = stablehlo.add %p, %q : tensor<i32>
    stablehlo.return %c : tensor<i32>
  }) : (tensor<3xi32>, tensor<3xi8>, tensor<3xi32>) -> tensor<3xi32>
  check.expect_eq_const %r, dense<[12, 2, 3]> : tensor<3xi32>
  check.expect_eq_const %a, dense<[1, 2, 3]> : tensor<3xi32>
  return
}

// -----

func.func @window_partly_outside() {
  %a = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %s = stablehlo.constant dense<[[-1], [2]]> : tensor<2x1xi64>
  %u = stablehlo.constant dense<[[10, 20, 30], [40, 50, 60]]> : tensor<2x3xi32>
  %r = "stablehlo.scatter"(%a, %s, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, indices_are_sorted = false, unique_indices = false}> ({
  ^bb0(%p: tensor<i32>, %q: tensor<i32>):
    %c = stablehlo.add %p, %q : tensor<i32>
    stablehlo.return %c : tensor<i32>
  }) : (tensor<4xi32>, tensor<2x1xi64>, tensor<2x3xi32>) -> tensor<4xi32>
  check.expect_eq_const %r, dense<[21, 32, 43, 54]> : tensor<4xi32>
  check.expect_eq_const %a, dense<[1, 2, 3, 4]> : tensor<4xi32>
  return
}

// -----

func.func @window_dims_first() {
  %a = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6], [7, 8, 9], [10, 11, 12]]> : tensor<4x3xi32>
  %s = stablehlo.constant dense<[0, 2, 0]> : tensor<3xi64>
  %u = stablehlo.constant dense<[[10, 20, 30], [40, 50, 60], [70, 80, 90]]> : tensor<3x3xi32>
  %r = "stablehlo.scatter"(%a, %s, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, indices_are_sorted = false, unique_indices = false}> ({
  ^bb0(%p: tensor<i32>, %q: tensor<i32>):
    %c = stablehlo.add %p, %q : tensor<i32>
    stablehlo.return %c : tensor<i32>
  }) : (tensor<4x3xi32>, tensor<3xi64>, tensor<3x3xi32>) -> tensor<4x3xi32>
  check.expect_eq_const %r, dense<[[41, 102, 163], [4, 5, 6], [27, 58, 89], [10, 11, 12]]> : tensor<4x3xi32>
  check.expect_eq_const %a, dense<[[1, 2, 3], [4, 5, 6], [7, 8, 9], [10, 11, 12]]> : tensor<4x3xi32>
  return
}

// -----

func.func @batching() {
  %a = stablehlo.constant dense<[[[[1, 2], [3, 4], [5, 6], [7, 8]], [[9, 10], [11, 12], [13, 14], [15, 16]], [[17, 18], [19, 20], [21, 22], [23, 24]]], [[[25, 26], [27, 28], [29, 30], [31, 32]], [[33, 34], [35, 36], [37, 38], [39, 40]], [[41, 42], [43, 44], [45, 46], [47, 48]]]]> : tensor<2x3x4x2xi32>
  %s = stablehlo.constant dense<[[[[0, 0], [1, 0], [2, 1]], [[0, 1], [1, 1], [0, 9]]], [[[0, 0], [2, 1], [2, 2]], [[1, 2], [0, 1], [1, 0]]]]> : tensor<2x2x3x2xi64>
  %u = stablehlo.constant dense<[[[[[1, 2], [3, 4]], [[5, 6], [7, 8]], [[9, 10], [11, 12]]], [[[13, 14], [15, 16]], [[17, 18], [19, 20]], [[21, 22], [23, 24]]]], [[[[25, 26], [27, 28]], [[29, 30], [31, 32]], [[33, 34], [35, 36]]], [[[37, 38], [39, 40]], [[41, 42], [43, 44]], [[45, 46], [47, 48]]]]]> : tensor<2x2x3x2x2xi32>
  %r = "stablehlo.scatter"(%a, %s, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [3, 4], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [1], scatter_dims_to_operand_dims = [2, 1], index_vector_dim = 3>, indices_are_sorted = false, unique_indices = false}> ({
  ^bb0(%p: tensor<i32>, %q: tensor<i32>):
    %c = stablehlo.add %p, %q : tensor<i32>
    stablehlo.return %c : tensor<i32>
  }) : (tensor<2x3x4x2xi32>, tensor<2x2x3x2xi64>, tensor<2x2x3x2x2xi32>) -> tensor<2x3x4x2xi32>
  check.expect_eq_const %r, dense<[[[[27, 30], [38, 42], [12, 14], [7, 8]], [[9, 10], [11, 12], [51, 54], [57, 60]], [[17, 18], [19, 20], [54, 56], [58, 60]]], [[[25, 26], [72, 74], [76, 78], [31, 32]], [[87, 90], [110, 114], [56, 58], [39, 40]], [[41, 42], [80, 82], [84, 86], [47, 48]]]]> : tensor<2x3x4x2xi32>
  check.expect_eq_const %a, dense<[[[[1, 2], [3, 4], [5, 6], [7, 8]], [[9, 10], [11, 12], [13, 14], [15, 16]], [[17, 18], [19, 20], [21, 22], [23, 24]]], [[[25, 26], [27, 28], [29, 30], [31, 32]], [[33, 34], [35, 36], [37, 38], [39, 40]], [[41, 42], [43, 44], [45, 46], [47, 48]]]]> : tensor<2x3x4x2xi32>
  return
}

// -----

func.func @unsigned_indices() {
  %a = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %s = stablehlo.constant dense<[3, 255]> : tensor<2xui8>
  %u = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %r = "stablehlo.scatter"(%a, %s, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, indices_are_sorted = false, unique_indices = false}> ({
  ^bb0(%p: tensor<i32>, %q: tensor<i32>):
    %c = stablehlo.maximum %p, %q : tensor<i32>
    stablehlo.return %c : tensor<i32>
  }) : (tensor<4xi32>, tensor<2xui8>, tensor<2xi32>) -> tensor<4xi32>
  check.expect_eq_const %r, dense<[1, 2, 3, 4]> : tensor<4xi32>
  check.expect_eq_const %a, dense<[1, 2, 3, 4]> : tensor<4xi32>
  return
}

// -----

func.func @no_updates() {
  %a = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %s = stablehlo.constant dense<> : tensor<0x1xi64>
  %u = stablehlo.constant dense<> : tensor<0xi32>
  %r = "stablehlo.scatter"(%a, %s, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, indices_are_sorted = false, unique_indices = false}> ({
  ^bb0(%p: tensor<i32>, %q: tensor<i32>):
    %c = stablehlo.add %p, %q : tensor<i32>
    stablehlo.return %c : tensor<i32>
  }) : (tensor<4xi32>, tensor<0x1xi64>, tensor<0xi32>) -> tensor<4xi32>
  check.expect_eq_const %r, dense<[1, 2, 3, 4]> : tensor<4xi32>
  check.expect_eq_const %a, dense<[1, 2, 3, 4]> : tensor<4xi32>
  return
}

// -----

func.func @scalar_input() {
  %a = stablehlo.constant dense<3> : tensor<i32>
  %s = stablehlo.constant dense<> : tensor<2x0xi64>
  %u = stablehlo.constant dense<[4, 5]> : tensor<2xi32>
  %r = "stablehlo.scatter"(%a, %s, %u) <{scatter_dimension_numbers = #stablehlo.scatter<index_vector_dim = 1>, indices_are_sorted = false, unique_indices = false}> ({
  ^bb0(%p: tensor<i32>, %q: tensor<i32>):
    %c = stablehlo.add %p, %q : tensor<i32>
    stablehlo.return %c : tensor<i32>
  }) : (tensor<i32>, tensor<2x0xi64>, tensor<2xi32>) -> tensor<i32>
  check.expect_eq_const %r, dense<12> : tensor<i32>
  check.expect_eq_const %a, dense<3> : tensor<i32>
  return
}

// -----

func.func @flags() {
  %a = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %s = stablehlo.constant dense<[0, 2]> : tensor<2xi64>
  %u = stablehlo.constant dense<[7, 8]> : tensor<2xi32>
  %r = "stablehlo.scatter"(%a, %s, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, indices_are_sorted = true, unique_indices = true}> ({
  ^bb0(%p: tensor<i32>, %q: tensor<i32>):
    %c = stablehlo.add %p, %q : tensor<i32>
    stablehlo.return %c : tensor<i32>
  }) : (tensor<4xi32>, tensor<2xi64>, tensor<2xi32>) -> tensor<4xi32>
  check.expect_eq_const %r, dense<[8, 2, 11, 4]> : tensor<4xi32>
  check.expect_eq_const %a, dense<[1, 2, 3, 4]> : tensor<4xi32>
  return
}

// -----

func.func @two_inputs() {
  %a = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %b = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %s = stablehlo.constant dense<[[2], [0], [2]]> : tensor<3x1xi64>
  %u = stablehlo.constant dense<[10, 20, 30]> : tensor<3xi32>
  %v = stablehlo.constant dense<[2.0, 4.0, 8.0]> : tensor<3xf32>
  %r:2 = "stablehlo.scatter"(%a, %b, %s, %u, %v) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%p: tensor<i32>, %q: tensor<f32>, %x: tensor<i32>, %y: tensor<f32>):
    %c = stablehlo.add %p, %x : tensor<i32>
    %d = stablehlo.multiply %q, %y : tensor<f32>
    stablehlo.return %c, %d : tensor<i32>, tensor<f32>
  }) : (tensor<3xi32>, tensor<3xf32>, tensor<3x1xi64>, tensor<3xi32>, tensor<3xf32>) -> (tensor<3xi32>, tensor<3xf32>)
  check.expect_eq_const %r#0, dense<[21, 2, 43]> : tensor<3xi32>
  check.expect_eq_const %r#1, dense<[4.0, 2.0, 48.0]> : tensor<3xf32>
  return
}

// -----

func.func @promoted() {
  %a = stablehlo.constant dense<[100, 2]> : tensor<2xi8>
  %s = stablehlo.constant dense<[0, 0]> : tensor<2xi32>
  %u = stablehlo.constant dense<[100, -128]> : tensor<2xi8>
  %r = "stablehlo.scatter"(%a, %s, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%p: tensor<i32>, %q: tensor<i32>):
    %c = stablehlo.add %p, %q : tensor<i32>
    stablehlo.return %c : tensor<i32>
  }) : (tensor<2xi8>, tensor<2xi32>, tensor<2xi8>) -> tensor<2xi32>
  check.expect_eq_const %r, dense<[72, 2]> : tensor<2xi32>
  return
}

// -----

func.func @half_precision_rounds_each_time() {
  %a = stablehlo.constant dense<2048.0> : tensor<1xf16>
  %s = stablehlo.constant dense<0> : tensor<3xi32>
  %u = stablehlo.constant dense<1.0> : tensor<3xf16>
  %r = "stablehlo.scatter"(%a, %s, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%p: tensor<f16>, %q: tensor<f16>):
    %c = stablehlo.add %p, %q : tensor<f16>
    stablehlo.return %c : tensor<f16>
  }) : (tensor<1xf16>, tensor<3xi32>, tensor<3xf16>) -> tensor<1xf16>
  check.expect_eq_const %r, dense<2048.0> : tensor<1xf16>
  return
}

// -----

func.func @every_class() {
  %s = stablehlo.constant dense<[[2], [0]]> : tensor<2x1xi32>
  %a0 = stablehlo.constant dense<[[false, false], [true, true], [false, true]]> : tensor<3x2xi1>
  %u0 = stablehlo.constant dense<[[true, false], [true, false]]> : tensor<2x2xi1>
  %r0 = "stablehlo.scatter"(%a0, %s, %u0) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%p: tensor<i1>, %q: tensor<i1>):
    stablehlo.return %q : tensor<i1>
  }) : (tensor<3x2xi1>, tensor<2x1xi32>, tensor<2x2xi1>) -> tensor<3x2xi1>
  check.expect_eq_const %r0, dense<[[true, false], [true, true], [true, false]]> : tensor<3x2xi1>
  %a1 = stablehlo.constant dense<[[-6, -5], [-4, -3], [-2, -1]]> : tensor<3x2xi4>
  %u1 = stablehlo.constant dense<[[-6, -5], [-4, -3]]> : tensor<2x2xi4>
  %r1 = "stablehlo.scatter"(%a1, %s, %u1) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%p: tensor<i4>, %q: tensor<i4>):
    stablehlo.return %q : tensor<i4>
  }) : (tensor<3x2xi4>, tensor<2x1xi32>, tensor<2x2xi4>) -> tensor<3x2xi4>
  check.expect_eq_const %r1, dense<[[-4, -3], [-4, -3], [-6, -5]]> : tensor<3x2xi4>
  %a2 = stablehlo.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xui8>
  %u2 = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xui8>
  %r2 = "stablehlo.scatter"(%a2, %s, %u2) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%p: tensor<ui8>, %q: tensor<ui8>):
    stablehlo.return %q : tensor<ui8>
  }) : (tensor<3x2xui8>, tensor<2x1xi32>, tensor<2x2xui8>) -> tensor<3x2xui8>
  check.expect_eq_const %r2, dense<[[3, 4], [3, 4], [1, 2]]> : tensor<3x2xui8>
  %a3 = stablehlo.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi16>
  %u3 = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi16>
  %r3 = "stablehlo.scatter"(%a3, %s, %u3) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%p: tensor<i16>, %q: tensor<i16>):
    stablehlo.return %q : tensor<i16>
  }) : (tensor<3x2xi16>, tensor<2x1xi32>, tensor<2x2xi16>) -> tensor<3x2xi16>
  check.expect_eq_const %r3, dense<[[3, 4], [3, 4], [1, 2]]> : tensor<3x2xi16>
  %a4 = stablehlo.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi32>
  %u4 = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %r4 = "stablehlo.scatter"(%a4, %s, %u4) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%p: tensor<i32>, %q: tensor<i32>):
    stablehlo.return %q : tensor<i32>
  }) : (tensor<3x2xi32>, tensor<2x1xi32>, tensor<2x2xi32>) -> tensor<3x2xi32>
  check.expect_eq_const %r4, dense<[[3, 4], [3, 4], [1, 2]]> : tensor<3x2xi32>
  %a5 = stablehlo.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xui64>
  %u5 = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xui64>
  %r5 = "stablehlo.scatter"(%a5, %s, %u5) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%p: tensor<ui64>, %q: tensor<ui64>):
    stablehlo.return %q : tensor<ui64>
  }) : (tensor<3x2xui64>, tensor<2x1xi32>, tensor<2x2xui64>) -> tensor<3x2xui64>
  check.expect_eq_const %r5, dense<[[3, 4], [3, 4], [1, 2]]> : tensor<3x2xui64>
  %a6 = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf16>
  %u6 = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf16>
  %r6 = "stablehlo.scatter"(%a6, %s, %u6) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%p: tensor<f16>, %q: tensor<f16>):
    stablehlo.return %q : tensor<f16>
  }) : (tensor<3x2xf16>, tensor<2x1xi32>, tensor<2x2xf16>) -> tensor<3x2xf16>
  check.expect_eq_const %r6, dense<[[3.0, 4.0], [3.0, 4.0], [1.0, 2.0]]> : tensor<3x2xf16>
  %a7 = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xbf16>
  %u7 = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xbf16>
  %r7 = "stablehlo.scatter"(%a7, %s, %u7) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%p: tensor<bf16>, %q: tensor<bf16>):
    stablehlo.return %q : tensor<bf16>
  }) : (tensor<3x2xbf16>, tensor<2x1xi32>, tensor<2x2xbf16>) -> tensor<3x2xbf16>
  check.expect_eq_const %r7, dense<[[3.0, 4.0], [3.0, 4.0], [1.0, 2.0]]> : tensor<3x2xbf16>
  %a8 = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf8E4M3FN>
  %u8 = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf8E4M3FN>
  %r8 = "stablehlo.scatter"(%a8, %s, %u8) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%p: tensor<f8E4M3FN>, %q: tensor<f8E4M3FN>):
    stablehlo.return %q : tensor<f8E4M3FN>
  }) : (tensor<3x2xf8E4M3FN>, tensor<2x1xi32>, tensor<2x2xf8E4M3FN>) -> tensor<3x2xf8E4M3FN>
  check.expect_eq_const %r8, dense<[[3.0, 4.0], [3.0, 4.0], [1.0, 2.0]]> : tensor<3x2xf8E4M3FN>
  %a9 = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf64>
  %u9 = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf64>
  %r9 = "stablehlo.scatter"(%a9, %s, %u9) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%p: tensor<f64>, %q: tensor<f64>):
    stablehlo.return %q : tensor<f64>
  }) : (tensor<3x2xf64>, tensor<2x1xi32>, tensor<2x2xf64>) -> tensor<3x2xf64>
  check.expect_eq_const %r9, dense<[[3.0, 4.0], [3.0, 4.0], [1.0, 2.0]]> : tensor<3x2xf64>
  %a10 = stablehlo.constant dense<[[(1.0, 1.5), (2.0, 2.5)], [(3.0, 3.5), (4.0, 4.5)], [(5.0, 5.5), (6.0, 6.5)]]> : tensor<3x2xcomplex<f32>>
  %u10 = stablehlo.constant dense<[[(1.0, 1.5), (2.0, 2.5)], [(3.0, 3.5), (4.0, 4.5)]]> : tensor<2x2xcomplex<f32>>
  %r10 = "stablehlo.scatter"(%a10, %s, %u10) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%p: tensor<complex<f32>>, %q: tensor<complex<f32>>):
    stablehlo.return %q : tensor<complex<f32>>
  }) : (tensor<3x2xcomplex<f32>>, tensor<2x1xi32>, tensor<2x2xcomplex<f32>>) -> tensor<3x2xcomplex<f32>>
  check.expect_eq_const %r10, dense<[[(3.0, 3.5), (4.0, 4.5)], [(3.0, 3.5), (4.0, 4.5)], [(1.0, 1.5), (2.0, 2.5)]]> : tensor<3x2xcomplex<f32>>
  return
}
