// RUN: tessera check %s

// Quantized values through ops of every kind: moved as they are, or computed with as the spec says.

!q = !quant.uniform<i8:f32, 0.5:1>
!t = tensor<2x3x!quant.uniform<i8:f32, 0.5:1>>
func.func @bcast() {
  %s = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi8>
  %x = stablehlo.bitcast_convert %s : (tensor<3xi8>) -> tensor<3x!q>
  %r = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<3x!q>) -> tensor<2x3x!q>
  %b = stablehlo.bitcast_convert %r : (tensor<2x3x!q>) -> tensor<2x3xi8>
  check.expect_eq_const %b, dense<[[1,2,3],[1,2,3]]> : tensor<2x3xi8>
  return
}
// -----
func.func @constant() {
  %x = stablehlo.constant() {value = dense<[1, 2, 3]> : tensor<3xi8>} : () -> tensor<3x!quant.uniform<i8:f32, 0.5:1>>
  %b = stablehlo.bitcast_convert %x : (tensor<3x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<3xi8>
  check.expect_eq_const %b, dense<[1,2,3]> : tensor<3xi8>
  return
}
// -----
!q = !quant.uniform<i8:f32, 0.5:1>
func.func @concat() {
  %s = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi8>
  %x = stablehlo.bitcast_convert %s : (tensor<3xi8>) -> tensor<3x!q>
  %r = stablehlo.concatenate %x, %x, dim = 0 : (tensor<3x!q>, tensor<3x!q>) -> tensor<6x!q>
  %b = stablehlo.bitcast_convert %r : (tensor<6x!q>) -> tensor<6xi8>
  check.expect_eq_const %b, dense<[1,2,3,1,2,3]> : tensor<6xi8>
  return
}
// -----
!q = !quant.uniform<i8:f32, 0.5:1>
func.func @reduce() {
  %s = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi8>
  %z = stablehlo.constant dense<1> : tensor<i8>
  %x = stablehlo.bitcast_convert %s : (tensor<3xi8>) -> tensor<3x!q>
  %i = stablehlo.bitcast_convert %z : (tensor<i8>) -> tensor<!q>
  %r = stablehlo.reduce(%x init: %i) applies stablehlo.add across dimensions = [0] : (tensor<3x!q>, tensor<!q>) -> tensor<!q>
  %b = stablehlo.bitcast_convert %r : (tensor<!q>) -> tensor<i8>
  check.expect_eq_const %b, dense<4> : tensor<i8>
  return
}
// -----
!q = !quant.uniform<i8:f32, 0.5:1>
func.func @reduce_window() {
  %s = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi8>
  %z = stablehlo.constant dense<1> : tensor<i8>
  %x = stablehlo.bitcast_convert %s : (tensor<3xi8>) -> tensor<3x!q>
  %i = stablehlo.bitcast_convert %z : (tensor<i8>) -> tensor<!q>
  %r = "stablehlo.reduce_window"(%x, %i) ({
  ^bb0(%a: tensor<!q>, %c: tensor<!q>):
    %0 = stablehlo.add %a, %c : tensor<!q>
    stablehlo.return %0 : tensor<!q>
  }) {window_dimensions = array<i64: 2>} : (tensor<3x!q>, tensor<!q>) -> tensor<2x!q>
  %b = stablehlo.bitcast_convert %r : (tensor<2x!q>) -> tensor<2xi8>
  check.expect_eq_const %b, dense<[2, 4]> : tensor<2xi8>
  return
}
// -----
!q = !quant.uniform<i8:f32, 0.5:1>
func.func @sort() {
  %s = stablehlo.constant dense<[3, 1, 2]> : tensor<3xi8>
  %x = stablehlo.bitcast_convert %s : (tensor<3xi8>) -> tensor<3x!q>
  %r = "stablehlo.sort"(%x) ({
  ^bb0(%a: tensor<!q>, %c: tensor<!q>):
    %0 = stablehlo.compare LT, %a, %c : (tensor<!q>, tensor<!q>) -> tensor<i1>
    stablehlo.return %0 : tensor<i1>
  }) {dimension = 0 : i64} : (tensor<3x!q>) -> tensor<3x!q>
  %b = stablehlo.bitcast_convert %r : (tensor<3x!q>) -> tensor<3xi8>
  check.expect_eq_const %b, dense<[1, 2, 3]> : tensor<3xi8>
  return
}
// -----
!q = !quant.uniform<i8:f32, 0.5:1>
func.func @pad_slice_rev_transpose() {
  %s = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi8>
  %z = stablehlo.constant dense<9> : tensor<i8>
  %x = stablehlo.bitcast_convert %s : (tensor<2x2xi8>) -> tensor<2x2x!q>
  %i = stablehlo.bitcast_convert %z : (tensor<i8>) -> tensor<!q>
  %p = stablehlo.pad %x, %i, low = [0, 1], high = [0, 0], interior = [0, 0] : (tensor<2x2x!q>, tensor<!q>) -> tensor<2x3x!q>
  %l = stablehlo.slice %p [0:1, 0:3] : (tensor<2x3x!q>) -> tensor<1x3x!q>
  %v = stablehlo.reverse %l, dims = [1] : tensor<1x3x!q>
  %t = stablehlo.transpose %v, dims = [1, 0] : (tensor<1x3x!q>) -> tensor<3x1x!q>
  %h = stablehlo.reshape %t : (tensor<3x1x!q>) -> tensor<3x!q>
  %b = stablehlo.bitcast_convert %h : (tensor<3x!q>) -> tensor<3xi8>
  check.expect_eq_const %b, dense<[2, 1, 9]> : tensor<3xi8>
  return
}
// -----
!q = !quant.uniform<i8:f32, 0.5:1>
!r = !quant.uniform<i32:f32, 0.25:0>
func.func @dot() {
  %s = stablehlo.constant dense<[[1, 3], [3, 5]]> : tensor<2x2xi8>
  %x = stablehlo.bitcast_convert %s : (tensor<2x2xi8>) -> tensor<2x2x!quant.uniform<i8:f32, 0.5:1>>
  %y = stablehlo.bitcast_convert %s : (tensor<2x2xi8>) -> tensor<2x2x!quant.uniform<i8:f32, 0.5:0>>
  %r = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<2x2x!quant.uniform<i8:f32, 0.5:1>>, tensor<2x2x!quant.uniform<i8:f32, 0.5:0>>) -> tensor<2x2x!r>
  %b = stablehlo.bitcast_convert %r : (tensor<2x2x!r>) -> tensor<2x2xi32>
  check.expect_eq_const %b, dense<[[6, 10], [14, 26]]> : tensor<2x2xi32>
  return
}
// -----
func.func @dot_hybrid() {
  %s = stablehlo.constant dense<[[1, 3], [3, 5]]> : tensor<2x2xi8>
  %x = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %y = stablehlo.bitcast_convert %s : (tensor<2x2xi8>) -> tensor<2x2x!quant.uniform<i8:f32, 0.5:0>>
  %r = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<2x2xf32>, tensor<2x2x!quant.uniform<i8:f32, 0.5:0>>) -> tensor<2x2xf32>
  check.expect_eq_const %r, dense<[[3.5, 6.5], [7.5, 14.5]]> : tensor<2x2xf32>
  return
}
// -----
func.func @dot_peraxis() {
  %s = stablehlo.constant dense<[[1, 3], [3, 5]]> : tensor<2x2xi8>
  %x = stablehlo.bitcast_convert %s : (tensor<2x2xi8>) -> tensor<2x2x!quant.uniform<i8:f32, 0.5:0>>
  %y = stablehlo.bitcast_convert %s : (tensor<2x2xi8>) -> tensor<2x2x!quant.uniform<i8:f32:1, {0.5:0,0.25:0}>>
  %r = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<2x2x!quant.uniform<i8:f32, 0.5:0>>, tensor<2x2x!quant.uniform<i8:f32:1, {0.5:0,0.25:0}>>) -> tensor<2x2x!quant.uniform<i32:f32:1, {0.25:0,0.125:0}>>
  %b = stablehlo.bitcast_convert %r : (tensor<2x2x!quant.uniform<i32:f32:1, {0.25:0,0.125:0}>>) -> tensor<2x2xi32>
  check.expect_eq_const %b, dense<[[10, 18], [18, 34]]> : tensor<2x2xi32>
  return
}
// -----
!q = !quant.uniform<i8:f32, 0.5:0>
func.func @conv() {
  %s = stablehlo.constant dense<[[[[1], [2]], [[3], [4]]]]> : tensor<1x2x2x1xi8>
  %k = stablehlo.constant dense<[[[[2]]]]> : tensor<1x1x1x1xi8>
  %x = stablehlo.bitcast_convert %s : (tensor<1x2x2x1xi8>) -> tensor<1x2x2x1x!q>
  %y = stablehlo.bitcast_convert %k : (tensor<1x1x1x1xi8>) -> tensor<1x1x1x1x!q>
  %r = stablehlo.convolution(%x, %y) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x2x2x1x!q>, tensor<1x1x1x1x!q>) -> tensor<1x2x2x1x!quant.uniform<i32:f32, 0.25:0>>
  %b = stablehlo.bitcast_convert %r : (tensor<1x2x2x1x!quant.uniform<i32:f32, 0.25:0>>) -> tensor<1x2x2x1xi32>
  check.expect_eq_const %b, dense<[[[[2], [4]], [[6], [8]]]]> : tensor<1x2x2x1xi32>
  return
}
// -----
!q = !quant.uniform<i8:f32, 0.5:0>
func.func @gather() {
  %s = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi8>
  %i = stablehlo.constant dense<[[1], [0]]> : tensor<2x1xi32>
  %x = stablehlo.bitcast_convert %s : (tensor<2x2xi8>) -> tensor<2x2x!q>
  %r = "stablehlo.gather"(%x, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2>} : (tensor<2x2x!q>, tensor<2x1xi32>) -> tensor<2x2x!q>
  %b = stablehlo.bitcast_convert %r : (tensor<2x2x!q>) -> tensor<2x2xi8>
  check.expect_eq_const %b, dense<[[3, 4], [1, 2]]> : tensor<2x2xi8>
  return
}
// -----
!q = !quant.uniform<i8:f32, 0.5:0>
func.func @scatter() {
  %s = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi8>
  %i = stablehlo.constant dense<[[1]]> : tensor<1x1xi32>
  %u = stablehlo.constant dense<[7]> : tensor<1xi8>
  %x = stablehlo.bitcast_convert %s : (tensor<3xi8>) -> tensor<3x!q>
  %y = stablehlo.bitcast_convert %u : (tensor<1xi8>) -> tensor<1x!q>
  %r = "stablehlo.scatter"(%x, %i, %y) ({
  ^bb0(%a: tensor<!q>, %c: tensor<!q>):
    %0 = stablehlo.add %a, %c : tensor<!q>
    stablehlo.return %0 : tensor<!q>
  }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<3x!q>, tensor<1x1xi32>, tensor<1x!q>) -> tensor<3x!q>
  %b = stablehlo.bitcast_convert %r : (tensor<3x!q>) -> tensor<3xi8>
  check.expect_eq_const %b, dense<[1, 9, 3]> : tensor<3xi8>
  return
}
// -----
!q = !quant.uniform<i8:f32, 0.5:0>
func.func @dus() {
  %s = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi8>
  %i = stablehlo.constant dense<1> : tensor<i32>
  %u = stablehlo.constant dense<[7]> : tensor<1xi8>
  %x = stablehlo.bitcast_convert %s : (tensor<3xi8>) -> tensor<3x!q>
  %y = stablehlo.bitcast_convert %u : (tensor<1xi8>) -> tensor<1x!q>
  %r = stablehlo.dynamic_update_slice %x, %y, %i : (tensor<3x!q>, tensor<1x!q>, tensor<i32>) -> tensor<3x!q>
  %t = stablehlo.dynamic_slice %r, %i, sizes = [2] : (tensor<3x!q>, tensor<i32>) -> tensor<2x!q>
  %b = stablehlo.bitcast_convert %t : (tensor<2x!q>) -> tensor<2xi8>
  check.expect_eq_const %b, dense<[7, 3]> : tensor<2xi8>
  return
}
// -----
!q = !quant.uniform<i8:f32, 0.5:0>
func.func @bn() {
  %s = stablehlo.constant dense<[[2, 4], [6, 8]]> : tensor<2x2xi8>
  %o = stablehlo.constant dense<[2, 2]> : tensor<2xi8>
  %z = stablehlo.constant dense<[0, 0]> : tensor<2xi8>
  %x = stablehlo.bitcast_convert %s : (tensor<2x2xi8>) -> tensor<2x2x!q>
  %one = stablehlo.bitcast_convert %o : (tensor<2xi8>) -> tensor<2x!q>
  %zero = stablehlo.bitcast_convert %z : (tensor<2xi8>) -> tensor<2x!q>
  %r = "stablehlo.batch_norm_inference"(%x, %one, %zero, %zero, %one) {epsilon = 0.0 : f32, feature_index = 1 : i64} : (tensor<2x2x!q>, tensor<2x!q>, tensor<2x!q>, tensor<2x!q>, tensor<2x!q>) -> tensor<2x2x!q>
  %b = stablehlo.bitcast_convert %r : (tensor<2x2x!q>) -> tensor<2x2xi8>
  check.expect_eq_const %b, dense<[[2, 4], [6, 8]]> : tensor<2x2xi8>
  return
}
// -----
!q = !quant.uniform<i8:f32, 0.5:0>
func.func @chol_tri() {
  %s = stablehlo.constant dense<[[8, 0], [0, 18]]> : tensor<2x2xi8>
  %x = stablehlo.bitcast_convert %s : (tensor<2x2xi8>) -> tensor<2x2x!q>
  %r = "stablehlo.cholesky"(%x) {lower = true} : (tensor<2x2x!q>) -> tensor<2x2x!q>
  %b = stablehlo.bitcast_convert %r : (tensor<2x2x!q>) -> tensor<2x2xi8>
  check.expect_eq_const %b, dense<[[4, 0], [0, 6]]> : tensor<2x2xi8>
  %t = "stablehlo.triangular_solve"(%r, %x) {left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<2x2x!q>, tensor<2x2x!q>) -> tensor<2x2x!q>
  %c = stablehlo.bitcast_convert %t : (tensor<2x2x!q>) -> tensor<2x2xi8>
  check.expect_eq_const %c, dense<[[4, 0], [0, 6]]> : tensor<2x2xi8>
  return
}
// -----
!q = !quant.uniform<i8:f32, 0.5:0>
func.func @sas() {
  %s = stablehlo.constant dense<[1, 5, 2, 4]> : tensor<4xi8>
  %u = stablehlo.constant dense<[7, 9]> : tensor<2xi8>
  %z = stablehlo.constant dense<0> : tensor<i8>
  %x = stablehlo.bitcast_convert %s : (tensor<4xi8>) -> tensor<4x!q>
  %y = stablehlo.bitcast_convert %u : (tensor<2xi8>) -> tensor<2x!q>
  %i = stablehlo.bitcast_convert %z : (tensor<i8>) -> tensor<!q>
  %r = "stablehlo.select_and_scatter"(%x, %y, %i) ({
  ^bb0(%a: tensor<!q>, %c: tensor<!q>):
    %0 = stablehlo.compare GE, %a, %c : (tensor<!q>, tensor<!q>) -> tensor<i1>
    stablehlo.return %0 : tensor<i1>
  }, {
  ^bb0(%a: tensor<!q>, %c: tensor<!q>):
    %0 = stablehlo.add %a, %c : tensor<!q>
    stablehlo.return %0 : tensor<!q>
  }) {window_dimensions = array<i64: 2>, window_strides = array<i64: 2>} : (tensor<4x!q>, tensor<2x!q>, tensor<!q>) -> tensor<4x!q>
  %b = stablehlo.bitcast_convert %r : (tensor<4x!q>) -> tensor<4xi8>
  check.expect_eq_const %b, dense<[0, 7, 0, 9]> : tensor<4xi8>
  return
}
// -----
!q = !quant.uniform<i8:f32, 0.5:0>
func.func @iota_and_map() {
  %s = stablehlo.iota dim = 0 : tensor<4x!q>
  %b = stablehlo.bitcast_convert %s : (tensor<4x!q>) -> tensor<4xi8>
  check.expect_eq_const %b, dense<[0, 2, 4, 6]> : tensor<4xi8>
  return
}
// -----
!q = !quant.uniform<i8:f32, 0.5:0>
func.func @map() {
  %s = stablehlo.constant dense<[1, 5, 2, 4]> : tensor<4xi8>
  %x = stablehlo.bitcast_convert %s : (tensor<4xi8>) -> tensor<4x!q>
  %r = "stablehlo.map"(%x, %x) ({
  ^bb0(%a: tensor<!q>, %c: tensor<!q>):
    %0 = stablehlo.add %a, %c : tensor<!q>
    stablehlo.return %0 : tensor<!q>
  }) {dimensions = array<i64: 0>} : (tensor<4x!q>, tensor<4x!q>) -> tensor<4x!q>
  %b = stablehlo.bitcast_convert %r : (tensor<4x!q>) -> tensor<4xi8>
  check.expect_eq_const %b, dense<[2, 10, 4, 8]> : tensor<4xi8>
  return
}

// -----

// Sums of products are exact, however many digits they need: 127 * 127 * 4096 = 66064384 > 2^24.
func.func @long_dot() {
  %c = stablehlo.constant dense<127> : tensor<4096xi8>
  %x = stablehlo.bitcast_convert %c : (tensor<4096xi8>) -> tensor<4096x!quant.uniform<i8:f32, 0.1:0>>
  %y = stablehlo.bitcast_convert %c : (tensor<4096xi8>) -> tensor<4096x!quant.uniform<i8:f32, 0.3:0>>
  %r = stablehlo.dot_general %x, %y, contracting_dims = [0] x [0] : (tensor<4096x!quant.uniform<i8:f32, 0.1:0>>, tensor<4096x!quant.uniform<i8:f32, 0.3:0>>) -> tensor<!quant.uniform<i32:f32, 0.03:0>>
  %b = stablehlo.bitcast_convert %r : (tensor<!quant.uniform<i32:f32, 0.03:0>>) -> tensor<i32>
  check.expect_eq_const %b, dense<66064384> : tensor<i32>
  return
}

// -----

// Padding stands for the value zero, which is the zero point.
func.func @padded_convolution() {
  %s = stablehlo.constant dense<[[[1], [2], [3]]]> : tensor<1x3x1xi8>
  %k = stablehlo.constant dense<[[[1]], [[1]]]> : tensor<2x1x1xi8>
  %x = stablehlo.bitcast_convert %s : (tensor<1x3x1xi8>) -> tensor<1x3x1x!quant.uniform<i8:f32, 0.5:1>>
  %y = stablehlo.bitcast_convert %k : (tensor<2x1x1xi8>) -> tensor<2x1x1x!quant.uniform<i8:f32, 0.5:0>>
  %r = stablehlo.convolution(%x, %y) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x3x1x!quant.uniform<i8:f32, 0.5:1>>, tensor<2x1x1x!quant.uniform<i8:f32, 0.5:0>>) -> tensor<1x4x1x!quant.uniform<i32:f32, 0.25:10>>
  %b = stablehlo.bitcast_convert %r : (tensor<1x4x1x!quant.uniform<i32:f32, 0.25:10>>) -> tensor<1x4x1xi32>
  check.expect_eq_const %b, dense<[[[10], [11], [13], [12]]]> : tensor<1x4x1xi32>
  return
}
