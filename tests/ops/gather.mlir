// RUN: tessera check %s
// gather: blocks of the operand at places given by start_indices, moved to lie inside.

func.func @blocks() {
  %a = stablehlo.constant dense<[[[1, 2], [3, 4], [5, 6], [7, 8]], [[9, 10], [11, 12], [13, 14], [15, 16]], [[17, 18], [19, 20], [21, 22], [23, 24]]]> : tensor<3x4x2xi32>
  %s = stablehlo.constant dense<[[[0, 0], [1, 0], [2, 1]], [[0, 1], [1, 1], [0, 9]]]> : tensor<2x3x2xi64>
  %r = "stablehlo.gather"(%a, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [0], start_index_map = [1, 0], index_vector_dim = 2>, slice_sizes = array<i64: 1, 2, 2>, indices_are_sorted = false}> : (tensor<3x4x2xi32>, tensor<2x3x2xi64>) -> tensor<2x3x2x2xi32>
  check.expect_eq_const %r, dense<[[[[1, 2], [3, 4]], [[3, 4], [5, 6]], [[13, 14], [15, 16]]], [[[9, 10], [11, 12]], [[11, 12], [13, 14]], [[17, 18], [19, 20]]]]> : tensor<2x3x2x2xi32>
  return
}

// -----

func.func @rows() {
  %a = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6], [7, 8, 9], [10, 11, 12]]> : tensor<4x3xi32>
  %s = stablehlo.constant dense<[3, 0, -1, 7]> : tensor<4xi32>
  %r = "stablehlo.gather"(%a, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>, indices_are_sorted = false}> : (tensor<4x3xi32>, tensor<4xi32>) -> tensor<4x3xi32>
  check.expect_eq_const %r, dense<[[10, 11, 12], [1, 2, 3], [1, 2, 3], [10, 11, 12]]> : tensor<4x3xi32>
  return
}

// -----

func.func @rows_first_offset() {
  %a = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6], [7, 8, 9], [10, 11, 12]]> : tensor<4x3xi32>
  %s = stablehlo.constant dense<[3, 0]> : tensor<2xui8>
  %r = "stablehlo.gather"(%a, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2>, indices_are_sorted = false}> : (tensor<4x3xi32>, tensor<2xui8>) -> tensor<2x2xi32>
  check.expect_eq_const %r, dense<[[10, 1], [11, 2]]> : tensor<2x2xi32>
  return
}

// -----

func.func @scalars() {
  %a = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6], [7, 8, 9], [10, 11, 12]]> : tensor<4x3xi32>
  %s = stablehlo.constant dense<[[3, 2], [0, 1]]> : tensor<2x2xi64>
  %r = "stablehlo.gather"(%a, %s) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>, indices_are_sorted = false}> : (tensor<4x3xi32>, tensor<2x2xi64>) -> tensor<2xi32>
  check.expect_eq_const %r, dense<[12, 2]> : tensor<2xi32>
  return
}

// -----

func.func @one_place() {
  %a = stablehlo.constant dense<[1, 2, 3, 4, 5]> : tensor<5xi32>
  %s = stablehlo.constant dense<[2]> : tensor<1xi64>
  %r = "stablehlo.gather"(%a, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], start_index_map = [0]>, slice_sizes = array<i64: 3>, indices_are_sorted = false}> : (tensor<5xi32>, tensor<1xi64>) -> tensor<3xi32>
  check.expect_eq_const %r, dense<[3, 4, 5]> : tensor<3xi32>
  return
}

// -----

func.func @vector_dim_first() {
  %a = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6], [7, 8, 9], [10, 11, 12]]> : tensor<4x3xi32>
  %s = stablehlo.constant dense<[[3, 2, 0], [0, 1, 2]]> : tensor<2x3xi64>
  %r = "stablehlo.gather"(%a, %s) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1]>, slice_sizes = array<i64: 1, 1>, indices_are_sorted = false}> : (tensor<4x3xi32>, tensor<2x3xi64>) -> tensor<3xi32>
  check.expect_eq_const %r, dense<[10, 8, 3]> : tensor<3xi32>
  return
}

// -----

func.func @batching() {
  %a = stablehlo.constant dense<[[[[1, 2], [3, 4], [5, 6], [7, 8]], [[9, 10], [11, 12], [13, 14], [15, 16]], [[17, 18], [19, 20], [21, 22], [23, 24]]], [[[25, 26], [27, 28], [29, 30], [31, 32]], [[33, 34], [35, 36], [37, 38], [39, 40]], [[41, 42], [43, 44], [45, 46], [47, 48]]]]> : tensor<2x3x4x2xi32>
  %s = stablehlo.constant dense<[[[[0, 0], [1, 0], [2, 1]], [[0, 1], [1, 1], [0, 9]]], [[[0, 0], [2, 1], [2, 2]], [[1, 2], [0, 1], [1, 0]]]]> : tensor<2x2x3x2xi64>
  %r = "stablehlo.gather"(%a, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [3, 4], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [1], start_index_map = [2, 1], index_vector_dim = 3>, slice_sizes = array<i64: 1, 1, 2, 2>, indices_are_sorted = false}> : (tensor<2x3x4x2xi32>, tensor<2x2x3x2xi64>) -> tensor<2x2x3x2x2xi32>
  check.expect_eq_const %r, dense<[[[[[1, 2], [3, 4]], [[3, 4], [5, 6]], [[13, 14], [15, 16]]], [[[33, 34], [35, 36]], [[35, 36], [37, 38]], [[41, 42], [43, 44]]]], [[[[1, 2], [3, 4]], [[13, 14], [15, 16]], [[21, 22], [23, 24]]], [[[43, 44], [45, 46]], [[33, 34], [35, 36]], [[27, 28], [29, 30]]]]]> : tensor<2x2x3x2x2xi32>
  return
}

// -----

func.func @two_batching() {
  %a = stablehlo.constant dense<[[[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]], [[13, 14, 15, 16], [17, 18, 19, 20], [21, 22, 23, 24]]]> : tensor<2x3x4xi32>
  %s = stablehlo.constant dense<[[[3], [0]], [[1], [2]], [[9], [-9]]]> : tensor<3x2x1xi64>
  %r = "stablehlo.gather"(%a, %s) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [2], operand_batching_dims = [0, 1], start_indices_batching_dims = [1, 0], start_index_map = [2], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 1>, indices_are_sorted = false}> : (tensor<2x3x4xi32>, tensor<3x2x1xi64>) -> tensor<3x2xi32>
  check.expect_eq_const %r, dense<[[4, 13], [6, 19], [12, 21]]> : tensor<3x2xi32>
  return
}

// -----

func.func @no_places() {
  %a = stablehlo.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi32>
  %s = stablehlo.constant dense<> : tensor<0x1xi64>
  %r = "stablehlo.gather"(%a, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2>, indices_are_sorted = false}> : (tensor<3x2xi32>, tensor<0x1xi64>) -> tensor<0x2xi32>
  check.expect_eq_const %r, dense<> : tensor<0x2xi32>
  return
}

// -----

func.func @empty_slices() {
  %a = stablehlo.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi32>
  %s = stablehlo.constant dense<[1, 2]> : tensor<2xi64>
  %r = "stablehlo.gather"(%a, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 0>, indices_are_sorted = false}> : (tensor<3x2xi32>, tensor<2xi64>) -> tensor<2x0xi32>
  check.expect_eq_const %r, dense<> : tensor<2x0xi32>
  return
}

// -----

func.func @no_indices() {
  %a = stablehlo.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi32>
  %s = stablehlo.constant dense<> : tensor<2x0xi64>
  %r = "stablehlo.gather"(%a, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], index_vector_dim = 1>, slice_sizes = array<i64: 2, 2>, indices_are_sorted = false}> : (tensor<3x2xi32>, tensor<2x0xi64>) -> tensor<2x2x2xi32>
  check.expect_eq_const %r, dense<[[[1, 2], [3, 4]], [[1, 2], [3, 4]]]> : tensor<2x2x2xi32>
  return
}

// -----

func.func @unsigned_indices() {
  %a = stablehlo.constant dense<[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83, 84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95, 96, 97, 98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127, 128, 129, 130, 131, 132, 133, 134, 135, 136, 137, 138, 139, 140, 141, 142, 143, 144, 145, 146, 147, 148, 149, 150, 151, 152, 153, 154, 155, 156, 157, 158, 159, 160, 161, 162, 163, 164, 165, 166, 167, 168, 169, 170, 171, 172, 173, 174, 175, 176, 177, 178, 179, 180, 181, 182, 183, 184, 185, 186, 187, 188, 189, 190, 191, 192, 193, 194, 195, 196, 197, 198, 199, 200, 201, 202, 203, 204, 205, 206, 207, 208, 209, 210, 211, 212, 213, 214, 215, 216, 217, 218, 219, 220, 221, 222, 223, 224, 225, 226, 227, 228, 229, 230, 231, 232, 233, 234, 235, 236, 237, 238, 239, 240, 241, 242, 243, 244, 245, 246, 247, 248, 249, 250, 251, 252, 253, 254, 255, 256, 257, 258, 259, 260, 261, 262, 263, 264, 265, 266, 267, 268, 269, 270, 271, 272, 273, 274, 275, 276, 277, 278, 279, 280, 281, 282, 283, 284, 285, 286, 287, 288, 289, 290, 291, 292, 293, 294, 295, 296, 297, 298, 299, 300]> : tensor<300xi32>
  %s = stablehlo.constant dense<[255, 200]> : tensor<2xui8>
  %r = "stablehlo.gather"(%a, %s) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>, indices_are_sorted = false}> : (tensor<300xi32>, tensor<2xui8>) -> tensor<2xi32>
  check.expect_eq_const %r, dense<[256, 201]> : tensor<2xi32>
  return
}

// -----

func.func @every_class() {
  %s = stablehlo.constant dense<[2, 0]> : tensor<2xi32>
  %a0 = stablehlo.constant dense<[[false, true], [false, false], [true, false]]> : tensor<3x2xi1>
  %r0 = "stablehlo.gather"(%a0, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2>}> : (tensor<3x2xi1>, tensor<2xi32>) -> tensor<2x2xi1>
  check.expect_eq_const %r0, dense<[[true, false], [false, true]]> : tensor<2x2xi1>
  %a1 = stablehlo.constant dense<[[-6, -5], [-4, -3], [-2, -1]]> : tensor<3x2xi4>
  %r1 = "stablehlo.gather"(%a1, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2>}> : (tensor<3x2xi4>, tensor<2xi32>) -> tensor<2x2xi4>
  check.expect_eq_const %r1, dense<[[-2, -1], [-6, -5]]> : tensor<2x2xi4>
  %a2 = stablehlo.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xui8>
  %r2 = "stablehlo.gather"(%a2, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2>}> : (tensor<3x2xui8>, tensor<2xi32>) -> tensor<2x2xui8>
  check.expect_eq_const %r2, dense<[[5, 6], [1, 2]]> : tensor<2x2xui8>
  %a3 = stablehlo.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi16>
  %r3 = "stablehlo.gather"(%a3, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2>}> : (tensor<3x2xi16>, tensor<2xi32>) -> tensor<2x2xi16>
  check.expect_eq_const %r3, dense<[[5, 6], [1, 2]]> : tensor<2x2xi16>
  %a4 = stablehlo.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi32>
  %r4 = "stablehlo.gather"(%a4, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2>}> : (tensor<3x2xi32>, tensor<2xi32>) -> tensor<2x2xi32>
  check.expect_eq_const %r4, dense<[[5, 6], [1, 2]]> : tensor<2x2xi32>
  %a5 = stablehlo.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xui64>
  %r5 = "stablehlo.gather"(%a5, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2>}> : (tensor<3x2xui64>, tensor<2xi32>) -> tensor<2x2xui64>
  check.expect_eq_const %r5, dense<[[5, 6], [1, 2]]> : tensor<2x2xui64>
  %a6 = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf16>
  %r6 = "stablehlo.gather"(%a6, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2>}> : (tensor<3x2xf16>, tensor<2xi32>) -> tensor<2x2xf16>
  check.expect_eq_const %r6, dense<[[5.0, 6.0], [1.0, 2.0]]> : tensor<2x2xf16>
  %a7 = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xbf16>
  %r7 = "stablehlo.gather"(%a7, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2>}> : (tensor<3x2xbf16>, tensor<2xi32>) -> tensor<2x2xbf16>
  check.expect_eq_const %r7, dense<[[5.0, 6.0], [1.0, 2.0]]> : tensor<2x2xbf16>
  %a8 = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf8E4M3FN>
  %r8 = "stablehlo.gather"(%a8, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2>}> : (tensor<3x2xf8E4M3FN>, tensor<2xi32>) -> tensor<2x2xf8E4M3FN>
  check.expect_eq_const %r8, dense<[[5.0, 6.0], [1.0, 2.0]]> : tensor<2x2xf8E4M3FN>
  %a9 = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf64>
  %r9 = "stablehlo.gather"(%a9, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2>}> : (tensor<3x2xf64>, tensor<2xi32>) -> tensor<2x2xf64>
  check.expect_eq_const %r9, dense<[[5.0, 6.0], [1.0, 2.0]]> : tensor<2x2xf64>
  %a10 = stablehlo.constant dense<[[(1.0, 1.5), (2.0, 2.5)], [(3.0, 3.5), (4.0, 4.5)], [(5.0, 5.5), (6.0, 6.5)]]> : tensor<3x2xcomplex<f32>>
  %r10 = "stablehlo.gather"(%a10, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2>}> : (tensor<3x2xcomplex<f32>>, tensor<2xi32>) -> tensor<2x2xcomplex<f32>>
  check.expect_eq_const %r10, dense<[[(5.0, 5.5), (6.0, 6.5)], [(1.0, 1.5), (2.0, 2.5)]]> : tensor<2x2xcomplex<f32>>
  return
}
