// RUN: tessera parse --verify-diagnostics %s

func.func @c1(%x: tensor<1x5x2xf32>, %k: tensor<3x3x2x4xf32>, %p: tensor<1x2xi64>) {
  // expected-error@+1 {{'stablehlo.dynamic_conv' op C1: lhs has rank 3 and rhs 4, expected equal ranks of at least 2}}
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x5x2xf32>, tensor<3x3x2x4xf32>, tensor<1x2xi64>) -> tensor<1x3x4xf32>
  return
}

// -----

func.func @c2(%x: tensor<1x5x2xf32>, %k: tensor<3x2x4xf32>, %p: tensor<1x2xi64>) {
  // expected-error@+1 {{'stablehlo.dynamic_conv' op C2: window_strides has length 2, expected 1, one entry per window dimension}}
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {window_strides = array<i64: 1, 1>, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x5x2xf32>, tensor<3x2x4xf32>, tensor<1x2xi64>) -> tensor<1x3x4xf32>
  return
}

// -----

func.func @c3(%x: tensor<1x5x2xf32>, %k: tensor<3x2x4xf32>, %p: tensor<1x2xi64>) {
  // expected-error@+1 {{'stablehlo.dynamic_conv' op C3: window_strides[0] is 0, expected a positive number}}
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {window_strides = array<i64: 0>, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x5x2xf32>, tensor<3x2x4xf32>, tensor<1x2xi64>) -> tensor<1x3x4xf32>
  return
}

// -----

func.func @c4(%x: tensor<1x5x2xf32>, %k: tensor<3x2x4xf32>, %p: tensor<2x2xi64>) {
  // expected-error@+1 {{'stablehlo.dynamic_conv' op C4: padding has type tensor<2x2xi64>, expected shape [1, 2]}}
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x5x2xf32>, tensor<3x2x4xf32>, tensor<2x2xi64>) -> tensor<1x3x4xf32>
  return
}

// -----

func.func @c5(%x: tensor<1x5x2xf32>, %k: tensor<3x2x4xf32>, %p: tensor<1x2xi64>) {
  // expected-error@+1 {{'stablehlo.dynamic_conv' op C5: lhs_dilation has length 2, expected 1, one entry per window dimension}}
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {lhs_dilation = array<i64: 1, 1>, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x5x2xf32>, tensor<3x2x4xf32>, tensor<1x2xi64>) -> tensor<1x3x4xf32>
  return
}

// -----

func.func @c6(%x: tensor<1x5x2xf32>, %k: tensor<3x2x4xf32>, %p: tensor<1x2xi64>) {
  // expected-error@+1 {{'stablehlo.dynamic_conv' op C6: lhs_dilation[0] is -1, expected a positive number}}
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {lhs_dilation = array<i64: -1>, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x5x2xf32>, tensor<3x2x4xf32>, tensor<1x2xi64>) -> tensor<1x3x4xf32>
  return
}

// -----

func.func @c7(%x: tensor<1x5x2xf32>, %k: tensor<3x2x4xf32>, %p: tensor<1x2xi64>) {
  // expected-error@+1 {{'stablehlo.dynamic_conv' op C7: rhs_dilation has length 0, expected 1, one entry per window dimension}}
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {rhs_dilation = array<i64>, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x5x2xf32>, tensor<3x2x4xf32>, tensor<1x2xi64>) -> tensor<1x3x4xf32>
  return
}

// -----

func.func @c8(%x: tensor<1x5x2xf32>, %k: tensor<3x2x4xf32>, %p: tensor<1x2xi64>) {
  // expected-error@+1 {{'stablehlo.dynamic_conv' op C8: rhs_dilation[0] is 0, expected a positive number}}
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {rhs_dilation = array<i64: 0>, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x5x2xf32>, tensor<3x2x4xf32>, tensor<1x2xi64>) -> tensor<1x3x4xf32>
  return
}

// -----

func.func @c9(%x: tensor<1x5x2xf32>, %k: tensor<3x2x4xf32>, %p: tensor<1x2xi64>) {
  // expected-error@+1 {{'stablehlo.dynamic_conv' op C9: window_reversal has length 2, expected 1, one entry per spatial dimension}}
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {window_reversal = array<i1: true, false>, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x5x2xf32>, tensor<3x2x4xf32>, tensor<1x2xi64>) -> tensor<1x3x4xf32>
  return
}

// -----

func.func @c10(%x: tensor<3x5x2xf32>, %k: tensor<3x2x4xf32>, %p: tensor<1x2xi64>) {
  // expected-error@+1 {{'stablehlo.dynamic_conv' op C10: the batch dimension of lhs has size 3, expected a multiple of batch_group_count 2}}
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 2 : i64} : (tensor<3x5x2xf32>, tensor<3x2x4xf32>, tensor<1x2xi64>) -> tensor<1x3x4xf32>
  return
}

// -----

func.func @c11(%x: tensor<1x5x3xf32>, %k: tensor<3x2x4xf32>, %p: tensor<1x2xi64>) {
  // expected-error@+1 {{'stablehlo.dynamic_conv' op C11: the feature dimension of lhs has size 3, expected a multiple of feature_group_count 2}}
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 2 : i64, batch_group_count = 1 : i64} : (tensor<1x5x3xf32>, tensor<3x2x4xf32>, tensor<1x2xi64>) -> tensor<1x3x4xf32>
  return
}

// -----

func.func @c12(%x: tensor<1x5x2xf32>, %k: tensor<3x2x4xf32>, %p: tensor<1x2xi64>) {
  // expected-error@+1 {{'stablehlo.dynamic_conv' op C12: there are 2 input spatial dimensions, expected 1, the rank of lhs minus 2}}
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 2, input_spatial_dimensions = [1, 1], kernel_input_feature_dimension = 1, kernel_output_feature_dimension = 2, kernel_spatial_dimensions = [0], output_batch_dimension = 0, output_feature_dimension = 2, output_spatial_dimensions = [1]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x5x2xf32>, tensor<3x2x4xf32>, tensor<1x2xi64>) -> tensor<1x3x4xf32>
  return
}

// -----

func.func @c13(%x: tensor<1x5x2xf32>, %k: tensor<3x2x4xf32>, %p: tensor<1x2xi64>) {
  // expected-error@+1 {{'stablehlo.dynamic_conv' op C13: input dimension 2 occurs twice in dimension_numbers, expected once}}
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 2, input_spatial_dimensions = [2], kernel_input_feature_dimension = 1, kernel_output_feature_dimension = 2, kernel_spatial_dimensions = [0], output_batch_dimension = 0, output_feature_dimension = 2, output_spatial_dimensions = [1]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x5x2xf32>, tensor<3x2x4xf32>, tensor<1x2xi64>) -> tensor<1x3x4xf32>
  return
}

// -----

func.func @c13_range(%x: tensor<1x5x2xf32>, %k: tensor<3x2x4xf32>, %p: tensor<1x2xi64>) {
  // expected-error@+1 {{'stablehlo.dynamic_conv' op C13: input dimension 7 is not in [0, 3)}}
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 7, input_feature_dimension = 2, input_spatial_dimensions = [1], kernel_input_feature_dimension = 1, kernel_output_feature_dimension = 2, kernel_spatial_dimensions = [0], output_batch_dimension = 0, output_feature_dimension = 2, output_spatial_dimensions = [1]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x5x2xf32>, tensor<3x2x4xf32>, tensor<1x2xi64>) -> tensor<1x3x4xf32>
  return
}

// -----

func.func @c14(%x: tensor<1x5x2xf32>, %k: tensor<3x3x4xf32>, %p: tensor<1x2xi64>) {
  // expected-error@+1 {{'stablehlo.dynamic_conv' op C14: the input feature dimension of rhs has size 3, expected 2, the features of lhs / feature_group_count}}
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x5x2xf32>, tensor<3x3x4xf32>, tensor<1x2xi64>) -> tensor<1x3x4xf32>
  return
}

// -----

func.func @c15(%x: tensor<2x5x2xf32>, %k: tensor<3x2x3xf32>, %p: tensor<1x2xi64>) {
  // expected-error@+1 {{'stablehlo.dynamic_conv' op C15: the output feature dimension of rhs has size 3, expected a multiple of batch_group_count 2}}
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 2 : i64} : (tensor<2x5x2xf32>, tensor<3x2x3xf32>, tensor<1x2xi64>) -> tensor<1x3x4xf32>
  return
}

// -----

func.func @c16(%x: tensor<1x5x2xf32>, %k: tensor<3x1x3xf32>, %p: tensor<1x2xi64>) {
  // expected-error@+1 {{'stablehlo.dynamic_conv' op C16: the output feature dimension of rhs has size 3, expected a multiple of feature_group_count 2}}
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 2 : i64, batch_group_count = 1 : i64} : (tensor<1x5x2xf32>, tensor<3x1x3xf32>, tensor<1x2xi64>) -> tensor<1x3x4xf32>
  return
}

// -----

func.func @c17(%x: tensor<1x5x2xf32>, %k: tensor<3x2x4xf32>, %p: tensor<1x2xi64>) {
  // expected-error@+1 {{'stablehlo.dynamic_conv' op C17: there are 2 kernel spatial dimensions, expected 1, the rank of lhs minus 2}}
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 2, input_spatial_dimensions = [1], kernel_input_feature_dimension = 1, kernel_output_feature_dimension = 2, kernel_spatial_dimensions = [0, 0], output_batch_dimension = 0, output_feature_dimension = 2, output_spatial_dimensions = [1]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x5x2xf32>, tensor<3x2x4xf32>, tensor<1x2xi64>) -> tensor<1x3x4xf32>
  return
}

// -----

func.func @c18(%x: tensor<1x5x2xf32>, %k: tensor<3x2x4xf32>, %p: tensor<1x2xi64>) {
  // expected-error@+1 {{'stablehlo.dynamic_conv' op C18: kernel dimension 2 occurs twice in dimension_numbers, expected once}}
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 2, input_spatial_dimensions = [1], kernel_input_feature_dimension = 1, kernel_output_feature_dimension = 2, kernel_spatial_dimensions = [2], output_batch_dimension = 0, output_feature_dimension = 2, output_spatial_dimensions = [1]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x5x2xf32>, tensor<3x2x4xf32>, tensor<1x2xi64>) -> tensor<1x3x4xf32>
  return
}

// -----

func.func @c19(%x: tensor<1x5x2xf32>, %k: tensor<3x2x4xf32>, %p: tensor<1x2xi64>) {
  // expected-error@+1 {{'stablehlo.dynamic_conv' op C19: there are 2 output spatial dimensions, expected 1, the rank of lhs minus 2}}
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 2, input_spatial_dimensions = [1], kernel_input_feature_dimension = 1, kernel_output_feature_dimension = 2, kernel_spatial_dimensions = [0], output_batch_dimension = 0, output_feature_dimension = 2, output_spatial_dimensions = [1, 1]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x5x2xf32>, tensor<3x2x4xf32>, tensor<1x2xi64>) -> tensor<1x3x4xf32>
  return
}

// -----

func.func @c20(%x: tensor<1x5x2xf32>, %k: tensor<3x2x4xf32>, %p: tensor<1x2xi64>) {
  // expected-error@+1 {{'stablehlo.dynamic_conv' op C20: output dimension 0 occurs twice in dimension_numbers, expected once}}
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 2, input_spatial_dimensions = [1], kernel_input_feature_dimension = 1, kernel_output_feature_dimension = 2, kernel_spatial_dimensions = [0], output_batch_dimension = 0, output_feature_dimension = 2, output_spatial_dimensions = [0]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x5x2xf32>, tensor<3x2x4xf32>, tensor<1x2xi64>) -> tensor<1x3x4xf32>
  return
}

// -----

func.func @c21(%x: tensor<1x5x2xf32>, %k: tensor<3x2x4xf32>, %p: tensor<1x2xi64>) {
  // expected-error@+1 {{'stablehlo.dynamic_conv' op C21: feature_group_count is 0, expected a positive number}}
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 0 : i64, batch_group_count = 1 : i64} : (tensor<1x5x2xf32>, tensor<3x2x4xf32>, tensor<1x2xi64>) -> tensor<1x3x4xf32>
  return
}

// -----

func.func @c22(%x: tensor<1x5x2xf32>, %k: tensor<3x2x4xf32>, %p: tensor<1x2xi64>) {
  // expected-error@+1 {{'stablehlo.dynamic_conv' op C22: batch_group_count is 0, expected a positive number}}
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 0 : i64} : (tensor<1x5x2xf32>, tensor<3x2x4xf32>, tensor<1x2xi64>) -> tensor<1x3x4xf32>
  return
}

// -----

func.func @c23(%x: tensor<2x5x2xf32>, %k: tensor<3x2x4xf32>, %p: tensor<1x2xi64>) {
  // expected-error@+1 {{'stablehlo.dynamic_conv' op C23: feature_group_count is 2 and batch_group_count 2, expected at least one of them to be 1}}
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 2 : i64, batch_group_count = 2 : i64} : (tensor<2x5x2xf32>, tensor<3x2x4xf32>, tensor<1x2xi64>) -> tensor<1x3x4xf32>
  return
}

// -----

func.func @c24(%x: tensor<1x5x2xf32>, %k: tensor<3x2x4xf32>, %p: tensor<1x2xi64>) {
  // expected-error@+1 {{'stablehlo.dynamic_conv' op C24: precision_config has length 1, expected 2, one entry per operand}}
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {precision_config = [#stablehlo<precision DEFAULT>], dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x5x2xf32>, tensor<3x2x4xf32>, tensor<1x2xi64>) -> tensor<1x3x4xf32>
  return
}

// -----

func.func @c25(%x: tensor<1x5x2xf32>, %k: tensor<3x2x4xf32>, %p: tensor<1x2xi64>) {
  // expected-error@+1 {{'stablehlo.dynamic_conv' op C25: the result has shape [2, 3, 4], expected [1, ?, 4]}}
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x5x2xf32>, tensor<3x2x4xf32>, tensor<1x2xi64>) -> tensor<2x3x4xf32>
  return
}

// -----

func.func @c26(%x: tensor<1x5x2xf32>, %k: tensor<3x2x4xf32>, %p: tensor<1x2xi64>) {
  // expected-error@+1 {{'stablehlo.dynamic_conv' op C26: the result has rank 4, expected 3}}
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x5x2xf32>, tensor<3x2x4xf32>, tensor<1x2xi64>) -> tensor<1x3x4x1xf32>
  return
}

// -----

func.func @c27(%x: tensor<1x5x2xf32>, %k: tensor<3x2x4xf64>, %p: tensor<1x2xi64>) {
  // expected-error@+1 {{'stablehlo.dynamic_conv' op C27: lhs has element type f32 and rhs f64, expected equal}}
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x5x2xf32>, tensor<3x2x4xf64>, tensor<1x2xi64>) -> tensor<1x3x4xf32>
  return
}

// -----

func.func @c28(%x: tensor<1x5x2x!quant.uniform<i8:f32, 0.5>>, %k: tensor<3x2x4xf32>, %p: tensor<1x2xi64>) {
  // expected-error@+1 {{'stablehlo.dynamic_conv' op C28: lhs, rhs and result have element types !quant.uniform<i8:f32, 5.000000e-01>, f32 and f32, expected a quantized rhs, and lhs and result both quantized or both not}}
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x5x2x!quant.uniform<i8:f32, 0.5>>, tensor<3x2x4xf32>, tensor<1x2xi64>) -> tensor<1x3x4xf32>
  return
}

// -----

func.func @c29(%x: tensor<1x5x2x!quant.uniform<i8:f32, 0.5>>, %k: tensor<3x2x4x!quant.uniform<i8:f32:0, {0.5,0.5,0.5}>>, %p: tensor<1x2xi64>) {
  // expected-error@+1 {{'stablehlo.dynamic_conv' op C29: rhs is quantized along dimension 0, expected its output feature dimension 2}}
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x5x2x!quant.uniform<i8:f32, 0.5>>, tensor<3x2x4x!quant.uniform<i8:f32:0, {0.5,0.5,0.5}>>, tensor<1x2xi64>) -> tensor<1x3x4x!quant.uniform<i8:f32, 0.5>>
  return
}

// -----

func.func @c30(%x: tensor<1x5x2x!quant.uniform<i8:f32, 0.5>>, %k: tensor<3x2x4x!quant.uniform<i8:f32:2, {0.5,0.5,0.5,0.5}>>, %p: tensor<1x2xi64>) {
  // expected-error@+1 {{'stablehlo.dynamic_conv' op C30: the result is quantized along dimension 1, expected its feature dimension 2}}
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x5x2x!quant.uniform<i8:f32, 0.5>>, tensor<3x2x4x!quant.uniform<i8:f32:2, {0.5,0.5,0.5,0.5}>>, tensor<1x2xi64>) -> tensor<1x3x4x!quant.uniform<i8:f32:1, {0.5,0.5,0.5}>>
  return
}

// -----

func.func @c31(%x: tensor<1x5x2x!quant.uniform<i8:f32, 0.5>>, %k: tensor<3x2x4x!quant.uniform<i16:f32, 0.5>>, %p: tensor<1x2xi64>) {
  // expected-error@+1 {{'stablehlo.dynamic_conv' op C31: lhs has storage type i8 and rhs i16, expected equal}}
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x5x2x!quant.uniform<i8:f32, 0.5>>, tensor<3x2x4x!quant.uniform<i16:f32, 0.5>>, tensor<1x2xi64>) -> tensor<1x3x4x!quant.uniform<i8:f32, 0.5>>
  return
}

// -----

func.func @c32(%x: tensor<1x5x2x!quant.uniform<i8:f32, 0.5>>, %k: tensor<3x2x4x!quant.uniform<i8:f16, 0.5>>, %p: tensor<1x2xi64>) {
  // expected-error@+1 {{'stablehlo.dynamic_conv' op C32: lhs, rhs and result have expressed types f32, f16 and f32, expected equal}}
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x5x2x!quant.uniform<i8:f32, 0.5>>, tensor<3x2x4x!quant.uniform<i8:f16, 0.5>>, tensor<1x2xi64>) -> tensor<1x3x4x!quant.uniform<i8:f32, 0.5>>
  return
}

// -----

func.func @c33(%x: tensor<1x5x2x!quant.uniform<i8:f32, 0.5>>, %k: tensor<3x2x4x!quant.uniform<i8:f32, 0.5>>, %p: tensor<1x2xi64>) {
  // expected-error@+1 {{'stablehlo.dynamic_conv' op C33: rhs is quantized per tensor and the result per axis, expected the result per tensor, too}}
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x5x2x!quant.uniform<i8:f32, 0.5>>, tensor<3x2x4x!quant.uniform<i8:f32, 0.5>>, tensor<1x2xi64>) -> tensor<1x3x4x!quant.uniform<i8:f32:2, {0.5,0.5,0.5,0.5}>>
  return
}

// -----

func.func @c34(%x: tensor<1x5x2xf64>, %k: tensor<3x2x4x!quant.uniform<i8:f32, 0.5>>, %p: tensor<1x2xi64>) {
  // expected-error@+1 {{'stablehlo.dynamic_conv' op C34: lhs has element type f64, rhs expressed type f32 and the result element type f64, expected equal}}
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x5x2xf64>, tensor<3x2x4x!quant.uniform<i8:f32, 0.5>>, tensor<1x2xi64>) -> tensor<1x3x4xf64>
  return
}

// -----

func.func @c25_known(%x: tensor<1x5x2xf32>, %k: tensor<3x2x4xf32>) {
  %p = stablehlo.constant dense<1> : tensor<1x2xi64>
  // expected-error@+1 {{'stablehlo.dynamic_conv' op C25: the result has shape [1, 3, 4], expected [1, 5, 4]}}
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x5x2xf32>, tensor<3x2x4xf32>, tensor<1x2xi64>) -> tensor<1x3x4xf32>
  return
}
