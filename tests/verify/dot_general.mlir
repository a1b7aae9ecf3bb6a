// RUN: tessera parse --verify-diagnostics %s

func.func @c1(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) {
  // expected-error@+1 {{'stablehlo.dot_general' op C1: lhs and rhs have 1 and 0 batching dimensions, expected equal numbers}}
  %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @c2(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) {
  // expected-error@+1 {{'stablehlo.dot_general' op C2: lhs and rhs have 1 and 2 contracting dimensions, expected equal numbers}}
  %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0, 1]>} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @c3(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) {
  // expected-error@+1 {{'stablehlo.dot_general' op C3: lhs dimension 1 occurs twice in the batching and contracting dimensions, expected at most once}}
  %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [1], rhs_batching_dimensions = [1], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @c4(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) {
  // expected-error@+1 {{'stablehlo.dot_general' op C4: rhs dimension 0 occurs twice in the batching and contracting dimensions, expected at most once}}
  %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @c5(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) {
  // expected-error@+1 {{'stablehlo.dot_general' op C5: lhs batching dimension 5 is not in [0, 2)}}
  %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [5], rhs_batching_dimensions = [1], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @c6(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) {
  // expected-error@+1 {{'stablehlo.dot_general' op C6: lhs contracting dimension 2 is not in [0, 2)}}
  %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @c7(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) {
  // expected-error@+1 {{'stablehlo.dot_general' op C7: rhs batching dimension 2 is not in [0, 2)}}
  %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [2], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @c8(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) {
  // expected-error@+1 {{'stablehlo.dot_general' op C8: rhs contracting dimension -1 is not in [0, 2)}}
  %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [-1]>} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @c9(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) {
  // expected-error@+1 {{'stablehlo.dot_general' op C9: batching dimensions 0 of lhs and 1 of rhs have sizes 2 and 4, expected equal}}
  %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [1], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @c10(%x: tensor<2x3xf32>, %y: tensor<4x4xf32>) {
  // expected-error@+1 {{'stablehlo.dot_general' op C10: contracting dimensions 1 of lhs and 0 of rhs have sizes 3 and 4, expected equal}}
  %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>} : (tensor<2x3xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @c11(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) {
  // expected-error@+1 {{'stablehlo.dot_general' op C11: precision_config has length 1, expected 2, one entry per operand}}
  %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>]} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @c12(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) {
  // expected-error@+1 {{'stablehlo.dot_general' op C12: the result has shape [4, 2], expected [2, 4]}}
  %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @c13(%x: tensor<2x3xf32>, %y: tensor<3x4xi32>) {
  // expected-error@+1 {{'stablehlo.dot_general' op C13: lhs has element type f32 and rhs i32, expected equal}}
  %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>} : (tensor<2x3xf32>, tensor<3x4xi32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @c14(%x: tensor<2x3x!quant.uniform<i8:f32, 0.5>>, %y: tensor<3x4xf32>) {
  // expected-error@+1 {{'stablehlo.dot_general' op C14: lhs, rhs and result have element types !quant.uniform<i8:f32, 5.000000e-01>, f32 and f32, expected a quantized rhs, and lhs and result both quantized or both not}}
  %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>} : (tensor<2x3x!quant.uniform<i8:f32, 0.5>>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @c14_result(%x: tensor<2x3x!quant.uniform<i8:f32, 0.5>>, %y: tensor<3x4x!quant.uniform<i8:f32, 0.5>>) {
  // expected-error@+1 {{'stablehlo.dot_general' op C14: lhs, rhs and result have element types !quant.uniform<i8:f32, 5.000000e-01>, !quant.uniform<i8:f32, 5.000000e-01> and f32, expected a quantized rhs, and lhs and result both quantized or both not}}
  %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>} : (tensor<2x3x!quant.uniform<i8:f32, 0.5>>, tensor<3x4x!quant.uniform<i8:f32, 0.5>>) -> tensor<2x4xf32>
  return
}

// -----

func.func @c15(%x: tensor<2x3x!quant.uniform<i8:f32, 0.5>>, %y: tensor<3x4x!quant.uniform<i8:f32, 0.5:1>>) {
  // expected-error@+1 {{'stablehlo.dot_general' op C15: rhs has zero point 1, expected 0}}
  %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>} : (tensor<2x3x!quant.uniform<i8:f32, 0.5>>, tensor<3x4x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<2x4x!quant.uniform<i8:f32, 0.5>>
  return
}

// -----

func.func @c16(%x: tensor<2x3x!quant.uniform<i8:f32, 0.5>>, %y: tensor<3x4x!quant.uniform<i8:f32:0, {0.5,0.25,1.0}>>) {
  // expected-error@+1 {{'stablehlo.dot_general' op C16: rhs is quantized along its contracting dimension 0, expected another dimension}}
  %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>} : (tensor<2x3x!quant.uniform<i8:f32, 0.5>>, tensor<3x4x!quant.uniform<i8:f32:0, {0.5,0.25,1.0}>>) -> tensor<2x4x!quant.uniform<i8:f32, 0.5>>
  return
}

// -----

func.func @c17(%x: tensor<2x3x!quant.uniform<i8:f32, 0.5>>, %y: tensor<3x4x!quant.uniform<i16:f32, 0.5>>) {
  // expected-error@+1 {{'stablehlo.dot_general' op C17: lhs has storage type i8 and rhs i16, expected equal}}
  %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>} : (tensor<2x3x!quant.uniform<i8:f32, 0.5>>, tensor<3x4x!quant.uniform<i16:f32, 0.5>>) -> tensor<2x4x!quant.uniform<i8:f32, 0.5>>
  return
}

// -----

func.func @c18(%x: tensor<2x3x!quant.uniform<i8:f32, 0.5>>, %y: tensor<3x4x!quant.uniform<i8:f16, 0.5>>) {
  // expected-error@+1 {{'stablehlo.dot_general' op C18: lhs, rhs and result have expressed types f32, f16 and f32, expected equal}}
  %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>} : (tensor<2x3x!quant.uniform<i8:f32, 0.5>>, tensor<3x4x!quant.uniform<i8:f16, 0.5>>) -> tensor<2x4x!quant.uniform<i8:f32, 0.5>>
  return
}

// -----

func.func @c19(%x: tensor<2x3x!quant.uniform<i8:f32, 0.5>>, %y: tensor<3x4x!quant.uniform<i8:f32, 0.5>>) {
  // expected-error@+1 {{'stablehlo.dot_general' op C19: rhs is quantized per tensor and the result per axis, expected the result per tensor, too}}
  %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>} : (tensor<2x3x!quant.uniform<i8:f32, 0.5>>, tensor<3x4x!quant.uniform<i8:f32, 0.5>>) -> tensor<2x4x!quant.uniform<i8:f32:1, {0.5,0.25,1.0,2.0}>>
  return
}

// -----

func.func @c20(%x: tensor<2x3xf64>, %y: tensor<3x4x!quant.uniform<i8:f32, 0.5>>) {
  // expected-error@+1 {{'stablehlo.dot_general' op C20: lhs has element type f64, rhs expressed type f32 and the result element type f64, expected equal}}
  %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>} : (tensor<2x3xf64>, tensor<3x4x!quant.uniform<i8:f32, 0.5>>) -> tensor<2x4xf64>
  return
}

// -----

func.func @c21(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) {
  // expected-error@+1 {{'stablehlo.dot_general' op C21: precision_config[0] is HIGH, expected DEFAULT because an algorithm is given}}
  %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision HIGH>, #stablehlo<precision DEFAULT>], algorithm = #stablehlo.dot_algorithm<lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false>} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @c22(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) {
  // expected-error@+1 {{'stablehlo.dot_general' op C22: lhs_component_count is 0, expected a positive number}}
  %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, algorithm = #stablehlo.dot_algorithm<lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 0, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false>} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @c23(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) {
  // expected-error@+1 {{'stablehlo.dot_general' op C23: rhs_component_count is 0, expected a positive number}}
  %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, algorithm = #stablehlo.dot_algorithm<lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 0, num_primitive_operations = 1, allow_imprecise_accumulation = false>} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @c24(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) {
  // expected-error@+1 {{'stablehlo.dot_general' op C24: num_primitive_operations is 0, expected a positive number}}
  %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, algorithm = #stablehlo.dot_algorithm<lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 0, allow_imprecise_accumulation = false>} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @per_axis_lhs(%x: tensor<2x2x!quant.uniform<i8:f32:0, {0.5:0, 0.25:0}>>, %y: tensor<2x2x!quant.uniform<i8:f32, 0.5:0>>) {
  // expected-error@+1 {{'stablehlo.dot_general' op operand 0 must be a tensor or a per-tensor quantized tensor, got tensor<2x2x!quant.uniform<i8:f32:0, {5.000000e-01,2.500000e-01}>>}}
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<2x2x!quant.uniform<i8:f32:0, {0.5:0, 0.25:0}>>, tensor<2x2x!quant.uniform<i8:f32, 0.5:0>>) -> tensor<2x2x!quant.uniform<i8:f32, 0.5:0>>
  return
}

// -----

func.func @algorithm_in_part(%a: tensor<2x2xf32>) {
  // expected-error@+1 {{#stablehlo.dot_algorithm lacks parameter 'accumulation_type'}}
  %0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return
}
