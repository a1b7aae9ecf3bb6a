// RUN: tessera check %s
// Data movement on quantized tensors moves storage bits and keeps scales and zero points.

!q = !quant.uniform<i8:f32, 0.5:-2>
func.func @per_tensor() {
  %s = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi8>
  %a = stablehlo.bitcast_convert %s : (tensor<2x3xi8>) -> tensor<2x3x!q>
  %zs = stablehlo.constant dense<-7> : tensor<i8>
  %z = stablehlo.bitcast_convert %zs : (tensor<i8>) -> tensor<!q>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %index = stablehlo.constant dense<[1, 0]> : tensor<2xi64>

  %0 = stablehlo.slice %a [0:2, 0:3:2] : (tensor<2x3x!q>) -> tensor<2x2x!q>
  %1 = stablehlo.bitcast_convert %0 : (tensor<2x2x!q>) -> tensor<2x2xi8>
  check.expect_eq_const %1, dense<[[1, 3], [4, 6]]> : tensor<2x2xi8>

  %2 = stablehlo.pad %a, %z, low = [1, 0], high = [0, -1], interior = [0, 0] : (tensor<2x3x!q>, tensor<!q>) -> tensor<3x2x!q>
  %3 = stablehlo.bitcast_convert %2 : (tensor<3x2x!q>) -> tensor<3x2xi8>
  check.expect_eq_const %3, dense<[[-7, -7], [1, 2], [4, 5]]> : tensor<3x2xi8>

  %4 = stablehlo.concatenate %a, %a, dim = 0 : (tensor<2x3x!q>, tensor<2x3x!q>) -> tensor<4x3x!q>
  %5 = stablehlo.bitcast_convert %4 : (tensor<4x3x!q>) -> tensor<4x3xi8>
  check.expect_eq_const %5, dense<[[1, 2, 3], [4, 5, 6], [1, 2, 3], [4, 5, 6]]> : tensor<4x3xi8>

  %6 = stablehlo.reverse %a, dims = [1] : tensor<2x3x!q>
  %7 = stablehlo.bitcast_convert %6 : (tensor<2x3x!q>) -> tensor<2x3xi8>
  check.expect_eq_const %7, dense<[[3, 2, 1], [6, 5, 4]]> : tensor<2x3xi8>

  %8 = stablehlo.dynamic_slice %a, %one, %one, sizes = [1, 2] : (tensor<2x3x!q>, tensor<i32>, tensor<i32>) -> tensor<1x2x!q>
  %9 = stablehlo.dynamic_update_slice %a, %8, %one, %one : (tensor<2x3x!q>, tensor<1x2x!q>, tensor<i32>, tensor<i32>) -> tensor<2x3x!q>
  %10 = stablehlo.bitcast_convert %9 : (tensor<2x3x!q>) -> tensor<2x3xi8>
  check.expect_eq_const %10, dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi8>

  %11 = "stablehlo.gather"(%a, %index) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}> : (tensor<2x3x!q>, tensor<2xi64>) -> tensor<2x3x!q>
  %12 = stablehlo.bitcast_convert %11 : (tensor<2x3x!q>) -> tensor<2x3xi8>
  check.expect_eq_const %12, dense<[[4, 5, 6], [1, 2, 3]]> : tensor<2x3xi8>

  %13 = "stablehlo.scatter"(%a, %index, %11) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%p: tensor<!q>, %r: tensor<!q>):
    %c = stablehlo.add %p, %r : tensor<!q>
    stablehlo.return %c : tensor<!q>
  }) : (tensor<2x3x!q>, tensor<2xi64>, tensor<2x3x!q>) -> tensor<2x3x!q>
  %14 = stablehlo.uniform_dequantize %13 : (tensor<2x3x!q>) -> tensor<2x3xf32>
  check.expect_eq_const %14, dense<[[3.0, 4.0, 5.0], [6.0, 7.0, 8.0]]> : tensor<2x3xf32>
  return
}

// -----

func.func @per_axis_reshape_and_sizes() {
  %s = stablehlo.constant dense<[[1, 2, 3, 4], [5, 6, 7, 8]]> : tensor<2x4xi8>
  %a = stablehlo.bitcast_convert %s : (tensor<2x4xi8>) -> tensor<2x4x!quant.uniform<i8:f32:0, {0.5, 2.0:1}>>
  %0 = stablehlo.reshape %a : (tensor<2x4x!quant.uniform<i8:f32:0, {0.5, 2.0:1}>>) -> tensor<1x2x2x2x!quant.uniform<i8:f32:1, {0.5, 2.0:1}>>
  %1 = stablehlo.uniform_dequantize %0 : (tensor<1x2x2x2x!quant.uniform<i8:f32:1, {0.5, 2.0:1}>>) -> tensor<1x2x2x2xf32>
  check.expect_eq_const %1, dense<[[[[0.5, 1.0], [1.5, 2.0]], [[8.0, 10.0], [12.0, 14.0]]]]> : tensor<1x2x2x2xf32>
  %2 = stablehlo.get_dimension_size %a, dim = 1 : (tensor<2x4x!quant.uniform<i8:f32:0, {0.5, 2.0:1}>>) -> tensor<i32>
  check.expect_eq_const %2, dense<4> : tensor<i32>
  return
}
