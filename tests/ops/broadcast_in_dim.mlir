// RUN: tessera check %s
// broadcast_in_dim: operand dimension d becomes result dimension broadcast_dimensions[d]; the others repeat.

func.func @vector_to_rows() {
  %a = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %r = stablehlo.broadcast_in_dim %a, dims = [1] : (tensor<3xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %r, dense<[[1, 2, 3], [1, 2, 3]]> : tensor<2x3xi32>
  return
}

// -----

func.func @vector_to_columns() {
  %a = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %r = stablehlo.broadcast_in_dim %a, dims = [0] : (tensor<3xi32>) -> tensor<3x2xi32>
  check.expect_eq_const %r, dense<[[1, 1], [2, 2], [3, 3]]> : tensor<3x2xi32>
  return
}

// -----

func.func @transposing() {
  %a = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %r = stablehlo.broadcast_in_dim %a, dims = [2, 0] : (tensor<2x3xi32>) -> tensor<3x2x2xi32>
  check.expect_eq_const %r, dense<[[[1, 4], [1, 4]], [[2, 5], [2, 5]], [[3, 6], [3, 6]]]> : tensor<3x2x2xi32>
  return
}

// -----

func.func @size_one() {
  %a = stablehlo.constant dense<[[1, 2, 3]]> : tensor<1x3xi32>
  %r = "stablehlo.broadcast_in_dim"(%a) <{broadcast_dimensions = array<i64: 2, 1>}> : (tensor<1x3xi32>) -> tensor<2x3x2xi32>
  check.expect_eq_const %r, dense<[[[1, 1], [2, 2], [3, 3]], [[1, 1], [2, 2], [3, 3]]]> : tensor<2x3x2xi32>
  return
}

// -----

func.func @scalar() {
  %a = stablehlo.constant dense<9> : tensor<i32>
  %r = stablehlo.broadcast_in_dim %a, dims = [] : (tensor<i32>) -> tensor<2x2xi32>
  check.expect_eq_const %r, dense<[[9, 9], [9, 9]]> : tensor<2x2xi32>
  return
}

// -----

func.func @scalar_to_scalar() {
  %a = stablehlo.constant dense<9> : tensor<i32>
  %r = stablehlo.broadcast_in_dim %a, dims = [] : (tensor<i32>) -> tensor<i32>
  check.expect_eq_const %r, dense<9> : tensor<i32>
  return
}

// -----

func.func @to_empty() {
  %a = stablehlo.constant dense<[[1, 2, 3]]> : tensor<1x3xi32>
  %r = stablehlo.broadcast_in_dim %a, dims = [0, 1] : (tensor<1x3xi32>) -> tensor<0x3xi32>
  check.expect_eq_const %r, dense<> : tensor<0x3xi32>
  return
}

// -----

func.func @empty() {
  %a = stablehlo.constant dense<> : tensor<0x2xi32>
  %r = stablehlo.broadcast_in_dim %a, dims = [1, 2] : (tensor<0x2xi32>) -> tensor<3x0x2xi32>
  check.expect_eq_const %r, dense<> : tensor<3x0x2xi32>
  return
}

// -----

func.func @every_class() {
  %a0 = stablehlo.constant dense<[[false], [true]]> : tensor<2x1xi1>
  %r0 = stablehlo.broadcast_in_dim %a0, dims = [1, 2] : (tensor<2x1xi1>) -> tensor<2x2x3xi1>
  check.expect_eq_const %r0, dense<[[[false, false, false], [true, true, true]], [[false, false, false], [true, true, true]]]> : tensor<2x2x3xi1>
  %a1 = stablehlo.constant dense<[[-6], [-5]]> : tensor<2x1xi4>
  %r1 = stablehlo.broadcast_in_dim %a1, dims = [1, 2] : (tensor<2x1xi4>) -> tensor<2x2x3xi4>
  check.expect_eq_const %r1, dense<[[[-6, -6, -6], [-5, -5, -5]], [[-6, -6, -6], [-5, -5, -5]]]> : tensor<2x2x3xi4>
  %a2 = stablehlo.constant dense<[[1], [2]]> : tensor<2x1xui8>
  %r2 = stablehlo.broadcast_in_dim %a2, dims = [1, 2] : (tensor<2x1xui8>) -> tensor<2x2x3xui8>
  check.expect_eq_const %r2, dense<[[[1, 1, 1], [2, 2, 2]], [[1, 1, 1], [2, 2, 2]]]> : tensor<2x2x3xui8>
  %a3 = stablehlo.constant dense<[[1], [2]]> : tensor<2x1xi16>
  %r3 = stablehlo.broadcast_in_dim %a3, dims = [1, 2] : (tensor<2x1xi16>) -> tensor<2x2x3xi16>
  check.expect_eq_const %r3, dense<[[[1, 1, 1], [2, 2, 2]], [[1, 1, 1], [2, 2, 2]]]> : tensor<2x2x3xi16>
  %a4 = stablehlo.constant dense<[[1], [2]]> : tensor<2x1xi32>
  %r4 = stablehlo.broadcast_in_dim %a4, dims = [1, 2] : (tensor<2x1xi32>) -> tensor<2x2x3xi32>
  check.expect_eq_const %r4, dense<[[[1, 1, 1], [2, 2, 2]], [[1, 1, 1], [2, 2, 2]]]> : tensor<2x2x3xi32>
  %a5 = stablehlo.constant dense<[[1], [2]]> : tensor<2x1xui64>
  %r5 = stablehlo.broadcast_in_dim %a5, dims = [1, 2] : (tensor<2x1xui64>) -> tensor<2x2x3xui64>
  check.expect_eq_const %r5, dense<[[[1, 1, 1], [2, 2, 2]], [[1, 1, 1], [2, 2, 2]]]> : tensor<2x2x3xui64>
  %a6 = stablehlo.constant dense<[[1.0], [2.0]]> : tensor<2x1xf16>
  %r6 = stablehlo.broadcast_in_dim %a6, dims = [1, 2] : (tensor<2x1xf16>) -> tensor<2x2x3xf16>
  check.expect_eq_const %r6, dense<[[[1.0, 1.0, 1.0], [2.0, 2.0, 2.0]], [[1.0, 1.0, 1.0], [2.0, 2.0, 2.0]]]> : tensor<2x2x3xf16>
  %a7 = stablehlo.constant dense<[[1.0], [2.0]]> : tensor<2x1xbf16>
  %r7 = stablehlo.broadcast_in_dim %a7, dims = [1, 2] : (tensor<2x1xbf16>) -> tensor<2x2x3xbf16>
  check.expect_eq_const %r7, dense<[[[1.0, 1.0, 1.0], [2.0, 2.0, 2.0]], [[1.0, 1.0, 1.0], [2.0, 2.0, 2.0]]]> : tensor<2x2x3xbf16>
  %a8 = stablehlo.constant dense<[[1.0], [2.0]]> : tensor<2x1xf8E4M3FN>
  %r8 = stablehlo.broadcast_in_dim %a8, dims = [1, 2] : (tensor<2x1xf8E4M3FN>) -> tensor<2x2x3xf8E4M3FN>
  check.expect_eq_const %r8, dense<[[[1.0, 1.0, 1.0], [2.0, 2.0, 2.0]], [[1.0, 1.0, 1.0], [2.0, 2.0, 2.0]]]> : tensor<2x2x3xf8E4M3FN>
  %a9 = stablehlo.constant dense<[[1.0], [2.0]]> : tensor<2x1xf64>
  %r9 = stablehlo.broadcast_in_dim %a9, dims = [1, 2] : (tensor<2x1xf64>) -> tensor<2x2x3xf64>
  check.expect_eq_const %r9, dense<[[[1.0, 1.0, 1.0], [2.0, 2.0, 2.0]], [[1.0, 1.0, 1.0], [2.0, 2.0, 2.0]]]> : tensor<2x2x3xf64>
  %a10 = stablehlo.constant dense<[[(1.0, 1.5)], [(2.0, 2.5)]]> : tensor<2x1xcomplex<f32>>
  %r10 = stablehlo.broadcast_in_dim %a10, dims = [1, 2] : (tensor<2x1xcomplex<f32>>) -> tensor<2x2x3xcomplex<f32>>
  check.expect_eq_const %r10, dense<[[[(1.0, 1.5), (1.0, 1.5), (1.0, 1.5)], [(2.0, 2.5), (2.0, 2.5), (2.0, 2.5)]], [[(1.0, 1.5), (1.0, 1.5), (1.0, 1.5)], [(2.0, 2.5), (2.0, 2.5), (2.0, 2.5)]]]> : tensor<2x2x3xcomplex<f32>>
  return
}

// -----

func.func @quantized_axis_repeats() {
  %a = stablehlo.constant dense<[[1], [2]]> : tensor<2x1xi8>
  %q = stablehlo.bitcast_convert %a : (tensor<2x1xi8>) -> tensor<2x1x!quant.uniform<i8:f32:1, {0.5:-1}>>
  %r = stablehlo.broadcast_in_dim %q, dims = [0, 1] : (tensor<2x1x!quant.uniform<i8:f32:1, {0.5:-1}>>) -> tensor<2x2x!quant.uniform<i8:f32:1, {0.5:-1, 0.5:-1}>>
  %f = stablehlo.uniform_dequantize %r : (tensor<2x2x!quant.uniform<i8:f32:1, {0.5:-1, 0.5:-1}>>) -> tensor<2x2xf32>
  check.expect_eq_const %f, dense<[[1.0, 1.0], [1.5, 1.5]]> : tensor<2x2xf32>
  return
}
