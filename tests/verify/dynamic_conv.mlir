// RUN: tessera parse --verify-diagnostics %s

func.func @c1(%x: tensor<1x5x2xf32>, %k: tensor<3x3x2x4xf32>, %p: tensor<1x2xi64>) {
  // expected-error@+1 {{C1: }}
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x5x2xf32>, tensor<3x3x2x4xf32>, tensor<1x2xi64>) -> tensor<1x3x4xf32>
  return
}

// -----

func.func @c2(%x: tensor<1x5x2xf32>, %k: tensor<3x2x4xf32>, %p: tensor<1x2xi64>) {
  // expected-error@+1 {{C2: }}
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {window_strides = array<i64: 1, 1>, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x5x2xf32>, tensor<3x2x4xf32>, tensor<1x2xi64>) -> tensor<1x3x4xf32>
  return
}

// -----

func.func @c3(%x: tensor<1x5x2xf32>, %k: tensor<3x2x4xf32>, %p: tensor<1x2xi64>) {
  // expected-error@+1 {{C3: }}
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {window_strides = array<i64: 0>, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x5x2xf32>, tensor<3x2x4xf32>, tensor<1x2xi64>) -> tensor<1x3x4xf32>
  return
}

// -----

func.func @c4(%x: tensor<1x5x2xf32>, %k: tensor<3x2x4xf32>, %p: tensor<2x2xi64>) {
  // expected-error@+1 {{C4: }}
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x5x2xf32>, tensor<3x2x4xf32>, tensor<2x2xi64>) -> tensor<1x3x4xf32>
  return
}

// -----

func.func @c5(%x: tensor<1x5x2xf32>, %k: tensor<3x2x4xf32>, %p: tensor<1x2xi64>) {
  // expected-error@+1 {{C5: }}
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {lhs_dilation = array<i64: 1, 1>, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x5x2xf32>, tensor<3x2x4xf32>, tensor<1x2xi64>) -> tensor<1x3x4xf32>
  return
}

// -----

func.func @c6(%x: tensor<1x5x2xf32>, %k: tensor<3x2x4xf32>, %p: tensor<1x2xi64>) {
  // expected-error@+1 {{C6: }}
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {lhs_dilation = array<i64: -1>, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x5x2xf32>, tensor<3x2x4xf32>, tensor<1x2xi64>) -> tensor<1x3x4xf32>
  return
}

// -----

func.func @c7(%x: tensor<1x5x2xf32>, %k: tensor<3x2x4xf32>, %p: tensor<1x2xi64>) {
  // expected-error@+1 {{C7: }}
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {rhs_dilation = array<i64>, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x5x2xf32>, tensor<3x2x4xf32>, tensor<1x2xi64>) -> tensor<1x3x4xf32>
  return
}

// -----

func.func @c8(%x: tensor<1x5x2xf32>, %k: tensor<3x2x4xf32>, %p: tensor<1x2xi64>) {
  // expected-error@+1 {{C8: }}
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {rhs_dilation = array<i64: 0>, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x5x2xf32>, tensor<3x2x4xf32>, tensor<1x2xi64>) -> tensor<1x3x4xf32>
  return
}

// -----

func.func @c9(%x: tensor<1x5x2xf32>, %k: tensor<3x2x4xf32>, %p: tensor<1x2xi64>) {
  // expected-error@+1 {{C9: }}
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {window_reversal = array<i1: true, false>, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x5x2xf32>, tensor<3x2x4xf32>, tensor<1x2xi64>) -> tensor<1x3x4xf32>
  return
}

// -----

func.func @c10(%x: tensor<3x5x2xf32>, %k: tensor<3x2x4xf32>, %p: tensor<1x2xi64>) {
  // expected-error@+1 {{C10: }}
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 2 : i64} : (tensor<3x5x2xf32>, tensor<3x2x4xf32>, tensor<1x2xi64>) -> tensor<1x3x4xf32>
  return
}

// -----

func.func @c11(%x: tensor<1x5x3xf32>, %k: tensor<3x2x4xf32>, %p: tensor<1x2xi64>) {
  // expected-error@+1 {{C11: }}
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 2 : i64, batch_group_count = 1 : i64} : (tensor<1x5x3xf32>, tensor<3x2x4xf32>, tensor<1x2xi64>) -> tensor<1x3x4xf32>
  return
}

// -----

func.func @c12(%x: tensor<1x5x2xf32>, %k: tensor<3x2x4xf32>, %p: tensor<1x2xi64>) {
  // expected-error@+1 {{C12: }}
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 2, input_spatial_dimensions = [1, 1], kernel_input_feature_dimension = 1, kernel_output_feature_dimension = 2, kernel_spatial_dimensions = [0], output_batch_dimension = 0, output_feature_dimension = 2, output_spatial_dimensions = [1]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x5x2xf32>, tensor<3x2x4xf32>, tensor<1x2xi64>) -> tensor<1x3x4xf32>
  return
}

// -----

func.func @c13(%x: tensor<1x5x2xf32>, %k: tensor<3x2x4xf32>, %p: tensor<1x2xi64>) {
  // expected-error@+1 {{C13: }}
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 2, input_spatial_dimensions = [2], kernel_input_feature_dimension = 1, kernel_output_feature_dimension = 2, kernel_spatial_dimensions = [0], output_batch_dimension = 0, output_feature_dimension = 2, output_spatial_dimensions = [1]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x5x2xf32>, tensor<3x2x4xf32>, tensor<1x2xi64>) -> tensor<1x3x4xf32>
  return
}

// -----

func.func @c13_range(%x: tensor<1x5x2xf32>, %k: tensor<3x2x4xf32>, %p: tensor<1x2xi64>) {
  // expected-error@+1 {{C13: }}
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 7, input_feature_dimension = 2, input_spatial_dimensions = [1], kernel_input_feature_dimension = 1, kernel_output_feature_dimension = 2, kernel_spatial_dimensions = [0], output_batch_dimension = 0, output_feature_dimension = 2, output_spatial_dimensions = [1]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x5x2xf32>, tensor<3x2x4xf32>, tensor<1x2xi64>) -> tensor<1x3x4xf32>
  return
}

// -----

func.func @c14(%x: tensor<1x5x2xf32>, %k: tensor<3x3x4xf32>, %p: tensor<1x2xi64>) {
  // expected-error@+1 {{C14: }}
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x5x2xf32>, tensor<3x3x4xf32>, tensor<1x2xi64>) -> tensor<1x3x4xf32>
  return
}

// -----

func.func @c15(%x: tensor<2x5x2xf32>, %k: tensor<3x2x3xf32>, %p: tensor<1x2xi64>) {
  // expected-error@+1 {{C15: }}
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 2 : i64} : (tensor<2x5x2xf32>, tensor<3x2x3xf32>, tensor<1x2xi64>) -> tensor<1x3x4xf32>
  return
}

// -----

func.func @c16(%x: tensor<1x5x2xf32>, %k: tensor<3x1x3xf32>, %p: tensor<1x2xi64>) {
  // expected-error@+1 {{C16: }}
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 2 : i64, batch_group_count = 1 : i64} : (tensor<1x5x2xf32>, tensor<3x1x3xf32>, tensor<1x2xi64>) -> tensor<1x3x4xf32>
  return
}

// -----

func.func @c17(%x: tensor<1x5x2xf32>, %k: tensor<3x2x4xf32>, %p: tensor<1x2xi64>) {
  // expected-error@+1 {{C17: }}
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 2, input_spatial_dimensions = [1], kernel_input_feature_dimension = 1, kernel_output_feature_dimension = 2, kernel_spatial_dimensions = [0, 0], output_batch_dimension = 0, output_feature_dimension = 2, output_spatial_dimensions = [1]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x5x2xf32>, tensor<3x2x4xf32>, tensor<1x2xi64>) -> tensor<1x3x4xf32>
  return
}

// -----

func.func @c18(%x: tensor<1x5x2xf32>, %k: tensor<3x2x4xf32>, %p: tensor<1x2xi64>) {
  // expected-error@+1 {{C18: }}
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 2, input_spatial_dimensions = [1], kernel_input_feature_dimension = 1, kernel_output_feature_dimension = 2, kernel_spatial_dimensions = [2], output_batch_dimension = 0, output_feature_dimension = 2, output_spatial_dimensions = [1]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x5x2xf32>, tensor<3x2x4xf32>, tensor<1x2xi64>) -> tensor<1x3x4xf32>
  return
}

// -----

func.func @c19(%x: tensor<1x5x2xf32>, %k: tensor<3x2x4xf32>, %p: tensor<1x2xi64>) {
  // expected-error@+1 {{C19: }}
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 2, input_spatial_dimensions = [1], kernel_input_feature_dimension = 1, kernel_output_feature_dimension = 2, kernel_spatial_dimensions = [0], output_batch_dimension = 0, output_feature_dimension = 2, output_spatial_dimensions = [1, 1]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x5x2xf32>, tensor<3x2x4xf32>, tensor<1x2xi64>) -> tensor<1x3x4xf32>
  return
}

// -----

func.func @c20(%x: tensor<1x5x2xf32>, %k: tensor<3x2x4xf32>, %p: tensor<1x2xi64>) {
  // expected-error@+1 {{C20: }}
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 2, input_spatial_dimensions = [1], kernel_input_feature_dimension = 1, kernel_output_feature_dimension = 2, kernel_spatial_dimensions = [0], output_batch_dimension = 0, output_feature_dimension = 2, output_spatial_dimensions = [0]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x5x2xf32>, tensor<3x2x4xf32>, tensor<1x2xi64>) -> tensor<1x3x4xf32>
  return
}

// -----

func.func @c21(%x: tensor<1x5x2xf32>, %k: tensor<3x2x4xf32>, %p: tensor<1x2xi64>) {
  // expected-error@+1 {{C21: }}
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 0 : i64, batch_group_count = 1 : i64} : (tensor<1x5x2xf32>, tensor<3x2x4xf32>, tensor<1x2xi64>) -> tensor<1x3x4xf32>
  return
}

// -----

func.func @c22(%x: tensor<1x5x2xf32>, %k: tensor<3x2x4xf32>, %p: tensor<1x2xi64>) {
  // expected-error@+1 {{C22: }}
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 0 : i64} : (tensor<1x5x2xf32>, tensor<3x2x4xf32>, tensor<1x2xi64>) -> tensor<1x3x4xf32>
  return
}

// -----

func.func @c23(%x: tensor<2x5x2xf32>, %k: tensor<3x2x4xf32>, %p: tensor<1x2xi64>) {
  // expected-error@+1 {{C23: }}
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 2 : i64, batch_group_count = 2 : i64} : (tensor<2x5x2xf32>, tensor<3x2x4xf32>, tensor<1x2xi64>) -> tensor<1x3x4xf32>
  return
}

// -----

func.func @c24(%x: tensor<1x5x2xf32>, %k: tensor<3x2x4xf32>, %p: tensor<1x2xi64>) {
  // expected-error@+1 {{C24: }}
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {precision_config = [#stablehlo<precision DEFAULT>], dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x5x2xf32>, tensor<3x2x4xf32>, tensor<1x2xi64>) -> tensor<1x3x4xf32>
  return
}

// -----

func.func @c25(%x: tensor<1x5x2xf32>, %k: tensor<3x2x4xf32>, %p: tensor<1x2xi64>) {
  // expected-error@+1 {{C25: }}
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x5x2xf32>, tensor<3x2x4xf32>, tensor<1x2xi64>) -> tensor<2x3x4xf32>
  return
}

// -----

func.func @c26(%x: tensor<1x5x2xf32>, %k: tensor<3x2x4xf32>, %p: tensor<1x2xi64>) {
  // expected-error@+1 {{C26: }}
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x5x2xf32>, tensor<3x2x4xf32>, tensor<1x2xi64>) -> tensor<1x3x4x1xf32>
  return
}

// -----

func.func @c27(%x: tensor<1x5x2xf32>, %k: tensor<3x2x4xf64>, %p: tensor<1x2xi64>) {
  // expected-error@+1 {{C27: }}
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x5x2xf32>, tensor<3x2x4xf64>, tensor<1x2xi64>) -> tensor<1x3x4xf32>
  return
}

// -----

func.func @c28(%x: tensor<1x5x2x!quant.uniform<i8:f32, 0.5>>, %k: tensor<3x2x4xf32>, %p: tensor<1x2xi64>) {
  // expected-error@+1 {{C28: }}
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x5x2x!quant.uniform<i8:f32, 0.5>>, tensor<3x2x4xf32>, tensor<1x2xi64>) -> tensor<1x3x4xf32>
  return
}

// -----

func.func @c29(%x: tensor<1x5x2x!quant.uniform<i8:f32, 0.5>>, %k: tensor<3x2x4x!quant.uniform<i8:f32:0, {0.5,0.5,0.5}>>, %p: tensor<1x2xi64>) {
  // expected-error@+1 {{C29: }}
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x5x2x!quant.uniform<i8:f32, 0.5>>, tensor<3x2x4x!quant.uniform<i8:f32:0, {0.5,0.5,0.5}>>, tensor<1x2xi64>) -> tensor<1x3x4x!quant.uniform<i8:f32, 0.5>>
  return
}

// -----

func.func @c30(%x: tensor<1x5x2x!quant.uniform<i8:f32, 0.5>>, %k: tensor<3x2x4x!quant.uniform<i8:f32:2, {0.5,0.5,0.5,0.5}>>, %p: tensor<1x2xi64>) {
  // expected-error@+1 {{C30: }}
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x5x2x!quant.uniform<i8:f32, 0.5>>, tensor<3x2x4x!quant.uniform<i8:f32:2, {0.5,0.5,0.5,0.5}>>, tensor<1x2xi64>) -> tensor<1x3x4x!quant.uniform<i8:f32:1, {0.5,0.5,0.5}>>
  return
}

// -----

func.func @c31(%x: tensor<1x5x2x!quant.uniform<i8:f32, 0.5>>, %k: tensor<3x2x4x!quant.uniform<i16:f32, 0.5>>, %p: tensor<1x2xi64>) {
  // expected-error@+1 {{C31: }}
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x5x2x!quant.uniform<i8:f32, 0.5>>, tensor<3x2x4x!quant.uniform<i16:f32, 0.5>>, tensor<1x2xi64>) -> tensor<1x3x4x!quant.uniform<i8:f32, 0.5>>
  return
}

// -----

func.func @c32(%x: tensor<1x5x2x!quant.uniform<i8:f32, 0.5>>, %k: tensor<3x2x4x!quant.uniform<i8:f16, 0.5>>, %p: tensor<1x2xi64>) {
  // expected-error@+1 {{C32: }}
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x5x2x!quant.uniform<i8:f32, 0.5>>, tensor<3x2x4x!quant.uniform<i8:f16, 0.5>>, tensor<1x2xi64>) -> tensor<1x3x4x!quant.uniform<i8:f32, 0.5>>
  return
}

// -----

func.func @c33(%x: tensor<1x5x2x!quant.uniform<i8:f32, 0.5>>, %k: tensor<3x2x4x!quant.uniform<i8:f32, 0.5>>, %p: tensor<1x2xi64>) {
  // expected-error@+1 {{C33: }}
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x5x2x!quant.uniform<i8:f32, 0.5>>, tensor<3x2x4x!quant.uniform<i8:f32, 0.5>>, tensor<1x2xi64>) -> tensor<1x3x4x!quant.uniform<i8:f32:2, {0.5,0.5,0.5,0.5}>>
  return
}

// -----

func.func @c34(%x: tensor<1x5x2xf64>, %k: tensor<3x2x4x!quant.uniform<i8:f32, 0.5>>, %p: tensor<1x2xi64>) {
  // expected-error@+1 {{C34: }}
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x5x2xf64>, tensor<3x2x4x!quant.uniform<i8:f32, 0.5>>, tensor<1x2xi64>) -> tensor<1x3x4xf64>
  return
}

// -----

func.func @c25_known(%x: tensor<1x5x2xf32>, %k: tensor<3x2x4xf32>) {
  %p = stablehlo.constant dense<1> : tensor<1x2xi64>
  // expected-error@+1 {{C25: the result has shape [1, 3, 4], expected [1, 5, 4]}}
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x5x2xf32>, tensor<3x2x4xf32>, tensor<1x2xi64>) -> tensor<1x3x4xf32>
  return
}
