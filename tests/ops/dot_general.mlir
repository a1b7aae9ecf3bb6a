// RUN: tessera check %s

func.func @matrix() {
  %x = stablehlo.constant dense<[[-2, 2, -1], [2, -1, 3]]> : tensor<2x3xi32>
  %y = stablehlo.constant dense<[[1, 3, 9, -7], [1, -1, -3, -5], [-9, -2, 6, -8]]> : tensor<3x4xi32>
  %r = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<2x3xi32>, tensor<3x4xi32>) -> tensor<2x4xi32>
  check.expect_eq_const %r, dense<[[9, -6, -30, 12], [-26, 1, 39, -33]]> : tensor<2x4xi32>
  return
}

// -----

func.func @batched_generic() {
  %x = stablehlo.constant dense<[[[-0.75, 3.75, 3.625, -2.3125], [-4.0, 1.375, -3.9375, -1.625], [0.0, 3.0, -3.3125, 1.3125]], [[0.25, -3.0, 2.8125, 2.8125], [-0.125, 3.5625, 0.875, 3.25], [3.6875, 0.5625, -1.75, -2.875]]]> : tensor<2x3x4xf32>
  %y = stablehlo.constant dense<[[[0.5, -2.5, 2.0, 3.4375, -2.0625], [0.4375, -3.625, -2.5625, -1.0, 3.125], [3.8125, 1.125, 0.6875, 0.5625, -3.5625], [-1.0, 3.875, -0.6875, -2.3125, -2.125]], [[1.75, -3.75, 3.8125, 3.0625, 0.5625], [-0.25, 2.125, 0.375, -0.1875, -1.4375], [-0.4375, 2.0, -3.5625, -3.8125, 1.75], [-1.0, 2.4375, -3.8125, 3.3125, -3.0625]]]> : tensor<2x4x5xf32>
  %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>} : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  %w1 = stablehlo.constant dense<[[[17.398438, -16.601562, -7.0273438, 1.0585938, 5.265625], [-14.785156, -5.7109375, -13.113281, -13.582031, 30.027344], [-12.628906, -9.515625, -10.8671875, -7.8984375, 18.386719]], [[-2.8554688, 5.1679688, -20.914062, -0.078125, 0.76171875], [-4.7421875, 17.710938, -14.6484375, 6.3789062, -13.613281], [9.953125, -23.140625, 31.464844, 8.3359375, 7.0078125]]]> : tensor<2x3x5xf32>
  check.expect_close %r, %w1, max_ulp_difference = 0 : tensor<2x3x5xf32>, tensor<2x3x5xf32>
  return
}

// -----

func.func @two_contracting_dimensions() {
  %x = stablehlo.constant dense<[[[-0.6875, 3.75, -3.1875, 1.25], [1.8125, -0.5625, -3.375, 0.1875]], [[-0.5625, 3.0, 1.5, -1.25], [-3.5625, 0.75, -1.75, 1.5]], [[2.9375, -1.1875, 3.25, 0.125], [0.25, 2.125, 2.3125, 3.3125]]]> : tensor<3x2x4xf64>
  %y = stablehlo.constant dense<[[[4.0, -2.8125], [-0.6875, 3.5], [-1.5625, -4.0]], [[0.625, 2.0625], [1.9375, 2.5], [1.1875, -2.9375]], [[2.8125, -0.625], [2.8125, 2.5625], [3.8125, -3.9375]], [[2.9375, 1.0625], [-0.125, 2.375], [3.625, 0.125]]]> : tensor<4x3x2xf64>
  %r = stablehlo.dot_general %x, %y, contracting_dims = [2, 0] x [0, 1] : (tensor<3x2x4xf64>, tensor<4x3x2xf64>) -> tensor<2x2xf64>
  %w2 = stablehlo.constant dense<[[11.71875, -1.6484375], [19.70703125, -31.3984375]]> : tensor<2x2xf64>
  check.expect_close %r, %w2, max_ulp_difference = 1 : tensor<2x2xf64>, tensor<2x2xf64>
  return
}

// -----

func.func @complex() {
  %x = stablehlo.constant dense<[[(-3.3125, 3.3125), (1.8125, -1.125), (-2.1875, -3.1875)], [(-2.1875, -2.5625), (-2.5, -0.875), (-2.4375, -1.25)]]> : tensor<2x3xcomplex<f32>>
  %y = stablehlo.constant dense<[[(-1.5, -2.9375), (3.625, -1.8125)], [(2.9375, -3.3125), (0.5625, 3.625)], [(3.9375, -2.25), (-1.3125, -0.4375)]]> : tensor<3x2xcomplex<f32>>
  %r = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<2x3xcomplex<f32>>, tensor<3x2xcomplex<f32>>) -> tensor<2x2xcomplex<f32>>
  %w3 = stablehlo.constant dense<[[(0.51171875, -12.175781), (0.5703125, 29.089844)], [(-26.898438, 16.542969), (-8.15625, -12.171875)]]> : tensor<2x2xcomplex<f32>>
  check.expect_close %r, %w3, max_ulp_difference = 0 : tensor<2x2xcomplex<f32>>, tensor<2x2xcomplex<f32>>
  return
}

// -----

func.func @complex_f64() {
  %x = stablehlo.constant dense<[[(-2.375, 3.1875), (3.875, 3.1875), (-2.75, 2.1875)], [(0.125, 1.9375), (3.625, 0.625), (0.1875, 0.625)]]> : tensor<2x3xcomplex<f64>>
  %y = stablehlo.constant dense<[[(2.6875, 1.75), (-0.5625, 3.4375)], [(3.625, -3.25), (3.0625, -3.5)], [(-1.0, -2.0), (-0.6875, -0.5625)]]> : tensor<3x2xcomplex<f64>>
  %r = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<2x3xcomplex<f64>>, tensor<3x2xcomplex<f64>>) -> tensor<2x2xcomplex<f64>>
  %w4 = stablehlo.constant dense<[[(19.5703125, 6.68359375), (16.5234375, -13.71484375)], [(13.1796875, -5.08984375), (6.78125, -11.96875)]]> : tensor<2x2xcomplex<f64>>
  check.expect_close %r, %w4, max_ulp_difference = 1 : tensor<2x2xcomplex<f64>>, tensor<2x2xcomplex<f64>>
  return
}

// -----

func.func @i8_wraps() {
  %x = stablehlo.constant dense<[[-87, 4, 10], [115, 62, -64]]> : tensor<2x3xi8>
  %y = stablehlo.constant dense<[[73, 78], [46, 45], [-49, 55]]> : tensor<3x2xi8>
  %r = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<2x3xi8>, tensor<3x2xi8>) -> tensor<2x2xi8>
  check.expect_eq_const %r, dense<[[-1, 88], [47, 48]]> : tensor<2x2xi8>
  return
}

// -----

func.func @i8_to_i32() {
  %x = stablehlo.constant dense<[[-87, 4, 10], [115, 62, -64]]> : tensor<2x3xi8>
  %y = stablehlo.constant dense<[[73, 78], [46, 45], [-49, 55]]> : tensor<3x2xi8>
  %r = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<2x3xi8>, tensor<3x2xi8>) -> tensor<2x2xi32>
  check.expect_eq_const %r, dense<[[-6657, -6056], [14383, 8240]]> : tensor<2x2xi32>
  return
}

// -----

func.func @unsigned_vectors() {
  %x = stablehlo.constant dense<[8834, 41262]> : tensor<2xui16>
  %y = stablehlo.constant dense<[60363, 63672]> : tensor<2xui16>
  %r = stablehlo.dot_general %x, %y, contracting_dims = [0] x [0] : (tensor<2xui16>, tensor<2xui16>) -> tensor<ui16>
  check.expect_eq_const %r, dense<7206> : tensor<ui16>
  return
}

// -----

func.func @booleans_or_of_and() {
  %x = stablehlo.constant dense<[[true, false], [false, false]]> : tensor<2x2xi1>
  %y = stablehlo.constant dense<[[true, true], [false, true]]> : tensor<2x2xi1>
  %r = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<2x2xi1>, tensor<2x2xi1>) -> tensor<2x2xi1>
  check.expect_eq_const %r, dense<[[true, true], [false, false]]> : tensor<2x2xi1>
  return
}

// -----

func.func @outer_product() {
  %x = stablehlo.constant dense<[-4, -3]> : tensor<2xi64>
  %y = stablehlo.constant dense<[2, -2, 4]> : tensor<3xi64>
  %r = stablehlo.dot_general %x, %y, contracting_dims = [] x [] : (tensor<2xi64>, tensor<3xi64>) -> tensor<2x3xi64>
  check.expect_eq_const %r, dense<[[-8, 8, -16], [-6, 6, -12]]> : tensor<2x3xi64>
  return
}

// -----

func.func @nothing_to_sum_is_zero() {
  %x = stablehlo.constant dense<> : tensor<2x0xf32>
  %y = stablehlo.constant dense<> : tensor<0x3xf32>
  %r = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<2x0xf32>, tensor<0x3xf32>) -> tensor<2x3xf32>
  %w5 = stablehlo.constant dense<0.0> : tensor<2x3xf32>
  check.expect_close %r, %w5, max_ulp_difference = 0 : tensor<2x3xf32>, tensor<2x3xf32>
  return
}

// -----

func.func @scalars() {
  %x = stablehlo.constant dense<3.0> : tensor<f32>
  %y = stablehlo.constant dense<4.0> : tensor<f32>
  %r = stablehlo.dot_general %x, %y, contracting_dims = [] x [] : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %w6 = stablehlo.constant dense<12.0> : tensor<f32>
  check.expect_close %r, %w6, max_ulp_difference = 0 : tensor<f32>, tensor<f32>
  return
}

// -----

func.func @f16_rounds_once() {
  %x = stablehlo.constant dense<0.1> : tensor<1x300xf16>
  %y = stablehlo.constant dense<0.1> : tensor<300x1xf16>
  %r = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<1x300xf16>, tensor<300x1xf16>) -> tensor<1x1xf16>
  %w7 = stablehlo.constant dense<[[2.998]]> : tensor<1x1xf16>
  check.expect_close %r, %w7, max_ulp_difference = 0 : tensor<1x1xf16>, tensor<1x1xf16>
  return
}

// -----

func.func @algorithm_bf16_rounds_operands() {
  %x = stablehlo.constant dense<[[1.0009766, 2.0]]> : tensor<1x2xf32>
  %y = stablehlo.constant dense<[[1.0], [0.00048828125]]> : tensor<2x1xf32>
  %r = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<1x2xf32>, tensor<2x1xf32>) -> tensor<1x1xf32>
  %w8 = stablehlo.constant dense<[[1.0009766]]> : tensor<1x1xf32>
  check.expect_close %r, %w8, max_ulp_difference = 0 : tensor<1x1xf32>, tensor<1x1xf32>
  return
}

// -----

func.func @algorithm_bf16_x6_keeps_them() {
  %x = stablehlo.constant dense<[[1.0009766, 2.0]]> : tensor<1x2xf32>
  %y = stablehlo.constant dense<[[1.0], [0.00048828125]]> : tensor<2x1xf32>
  %r = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 3, rhs_component_count = 3, num_primitive_operations = 6, allow_imprecise_accumulation = false> : (tensor<1x2xf32>, tensor<2x1xf32>) -> tensor<1x1xf32>
  %w9 = stablehlo.constant dense<[[1.0019531]]> : tensor<1x1xf32>
  check.expect_close %r, %w9, max_ulp_difference = 0 : tensor<1x1xf32>, tensor<1x1xf32>
  return
}

// -----

// As JAX says BF16_BF16_F32_X3 and _X6.
func.func @algorithm_bf16_of_one_component_and_several_products() {
  %x = stablehlo.constant dense<[[1.0009766, 2.0]]> : tensor<1x2xf32>
  %y = stablehlo.constant dense<[[1.0], [0.00048828125]]> : tensor<2x1xf32>
  %3 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 3, allow_imprecise_accumulation = false> : (tensor<1x2xf32>, tensor<2x1xf32>) -> tensor<1x1xf32>
  %6 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 6, allow_imprecise_accumulation = false> : (tensor<1x2xf32>, tensor<2x1xf32>) -> tensor<1x1xf32>
  %w = stablehlo.constant dense<[[1.0019531]]> : tensor<1x1xf32>
  check.expect_close %3, %w, max_ulp_difference = 1 : tensor<1x1xf32>, tensor<1x1xf32>
  check.expect_close %6, %w, max_ulp_difference = 0 : tensor<1x1xf32>, tensor<1x1xf32>
  return
}

// -----

func.func @quantized() {
  %x = stablehlo.constant dense<[[1.0, 2.0], [-3.0, 4.0]]> : tensor<2x2xf32>
  %y = stablehlo.constant dense<[[0.5], [-1.5]]> : tensor<2x1xf32>
  %qx = stablehlo.uniform_quantize %x : (tensor<2x2xf32>) -> tensor<2x2x!quant.uniform<i8:f32, 0.5:3>>
  %qy = stablehlo.uniform_quantize %y : (tensor<2x1xf32>) -> tensor<2x1x!quant.uniform<i8:f32, 0.25:0>>
  %q = stablehlo.dot_general %qx, %qy, contracting_dims = [1] x [0] : (tensor<2x2x!quant.uniform<i8:f32, 0.5:3>>, tensor<2x1x!quant.uniform<i8:f32, 0.25:0>>) -> tensor<2x1x!quant.uniform<i8:f32, 0.5:-1>>
  %r = stablehlo.bitcast_convert %q : (tensor<2x1x!quant.uniform<i8:f32, 0.5:-1>>) -> tensor<2x1xi8>
  check.expect_eq_const %r, dense<[[-6], [-16]]> : tensor<2x1xi8>
  return
}

// -----

func.func @hybrid_per_axis() {
  %x = stablehlo.constant dense<[[1.0, 2.0]]> : tensor<1x2xf32>
  %y = stablehlo.constant dense<[[2.0, 3.0], [1.0, -1.0]]> : tensor<2x2xf32>
  %qy = stablehlo.uniform_quantize %y : (tensor<2x2xf32>) -> tensor<2x2x!quant.uniform<i8:f32:1, {0.5,0.25}>>
  %r = stablehlo.dot_general %x, %qy, contracting_dims = [1] x [0] : (tensor<1x2xf32>, tensor<2x2x!quant.uniform<i8:f32:1, {0.5,0.25}>>) -> tensor<1x2xf32>
  check.expect_eq_const %r, dense<[[4.0, 1.0]]> : tensor<1x2xf32>
  return
}
