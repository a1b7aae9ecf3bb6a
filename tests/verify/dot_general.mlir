// RUN: tessera parse --verify-diagnostics %s

func.func @c1(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) {
  // expected-error@+1 {{C1: }}
  %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @c2(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) {
  // expected-error@+1 {{C2: }}
  %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0, 1]>} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @c3(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) {
  // expected-error@+1 {{C3: }}
  %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [1], rhs_batching_dimensions = [1], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @c4(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) {
  // expected-error@+1 {{C4: }}
  %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @c5(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) {
  // expected-error@+1 {{C5: }}
  %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [5], rhs_batching_dimensions = [1], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @c6(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) {
  // expected-error@+1 {{C6: }}
  %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @c7(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) {
  // expected-error@+1 {{C7: }}
  %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [2], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @c8(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) {
  // expected-error@+1 {{C8: }}
  %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [-1]>} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @c9(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) {
  // expected-error@+1 {{C9: }}
  %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [1], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @c10(%x: tensor<2x3xf32>, %y: tensor<4x4xf32>) {
  // expected-error@+1 {{C10: }}
  %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>} : (tensor<2x3xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @c11(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) {
  // expected-error@+1 {{C11: }}
  %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>]} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @c12(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) {
  // expected-error@+1 {{C12: }}
  %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @c13(%x: tensor<2x3xf32>, %y: tensor<3x4xi32>) {
  // expected-error@+1 {{C13: }}
  %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>} : (tensor<2x3xf32>, tensor<3x4xi32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @c14(%x: tensor<2x3x!quant.uniform<i8:f32, 0.5>>, %y: tensor<3x4xf32>) {
  // expected-error@+1 {{C14: }}
  %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>} : (tensor<2x3x!quant.uniform<i8:f32, 0.5>>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @c14_result(%x: tensor<2x3x!quant.uniform<i8:f32, 0.5>>, %y: tensor<3x4x!quant.uniform<i8:f32, 0.5>>) {
  // expected-error@+1 {{C14: }}
  %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>} : (tensor<2x3x!quant.uniform<i8:f32, 0.5>>, tensor<3x4x!quant.uniform<i8:f32, 0.5>>) -> tensor<2x4xf32>
  return
}

// -----

func.func @c15(%x: tensor<2x3x!quant.uniform<i8:f32, 0.5>>, %y: tensor<3x4x!quant.uniform<i8:f32, 0.5:1>>) {
  // expected-error@+1 {{C15: }}
  %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>} : (tensor<2x3x!quant.uniform<i8:f32, 0.5>>, tensor<3x4x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<2x4x!quant.uniform<i8:f32, 0.5>>
  return
}

// -----

func.func @c16(%x: tensor<2x3x!quant.uniform<i8:f32, 0.5>>, %y: tensor<3x4x!quant.uniform<i8:f32:0, {0.5,0.25,1.0}>>) {
  // expected-error@+1 {{C16: }}
  %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>} : (tensor<2x3x!quant.uniform<i8:f32, 0.5>>, tensor<3x4x!quant.uniform<i8:f32:0, {0.5,0.25,1.0}>>) -> tensor<2x4x!quant.uniform<i8:f32, 0.5>>
  return
}

// -----

func.func @c17(%x: tensor<2x3x!quant.uniform<i8:f32, 0.5>>, %y: tensor<3x4x!quant.uniform<i16:f32, 0.5>>) {
  // expected-error@+1 {{C17: }}
  %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>} : (tensor<2x3x!quant.uniform<i8:f32, 0.5>>, tensor<3x4x!quant.uniform<i16:f32, 0.5>>) -> tensor<2x4x!quant.uniform<i8:f32, 0.5>>
  return
}

// -----

func.func @c18(%x: tensor<2x3x!quant.uniform<i8:f32, 0.5>>, %y: tensor<3x4x!quant.uniform<i8:f16, 0.5>>) {
  // expected-error@+1 {{C18: }}
  %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>} : (tensor<2x3x!quant.uniform<i8:f32, 0.5>>, tensor<3x4x!quant.uniform<i8:f16, 0.5>>) -> tensor<2x4x!quant.uniform<i8:f32, 0.5>>
  return
}

// -----

func.func @c19(%x: tensor<2x3x!quant.uniform<i8:f32, 0.5>>, %y: tensor<3x4x!quant.uniform<i8:f32, 0.5>>) {
  // expected-error@+1 {{C19: }}
  %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>} : (tensor<2x3x!quant.uniform<i8:f32, 0.5>>, tensor<3x4x!quant.uniform<i8:f32, 0.5>>) -> tensor<2x4x!quant.uniform<i8:f32:1, {0.5,0.25,1.0,2.0}>>
  return
}

// -----

func.func @c20(%x: tensor<2x3xf64>, %y: tensor<3x4x!quant.uniform<i8:f32, 0.5>>) {
  // expected-error@+1 {{C20: }}
  %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>} : (tensor<2x3xf64>, tensor<3x4x!quant.uniform<i8:f32, 0.5>>) -> tensor<2x4xf64>
  return
}

// -----

func.func @c21(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) {
  // expected-error@+1 {{C21: }}
  %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision HIGH>, #stablehlo<precision DEFAULT>], algorithm = #stablehlo.dot_algorithm<lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false>} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @c22(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) {
  // expected-error@+1 {{C22: }}
  %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, algorithm = #stablehlo.dot_algorithm<lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 0, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false>} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @c23(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) {
  // expected-error@+1 {{C23: }}
  %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, algorithm = #stablehlo.dot_algorithm<lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 0, num_primitive_operations = 1, allow_imprecise_accumulation = false>} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @c24(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) {
  // expected-error@+1 {{C24: }}
  %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, algorithm = #stablehlo.dot_algorithm<lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 0, allow_imprecise_accumulation = false>} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @per_axis_lhs(%x: tensor<2x2x!quant.uniform<i8:f32:0, {0.5:0, 0.25:0}>>, %y: tensor<2x2x!quant.uniform<i8:f32, 0.5:0>>) {
  // expected-error@+1 {{operand 0 must be a tensor or a per-tensor quantized tensor}}
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<2x2x!quant.uniform<i8:f32:0, {0.5:0, 0.25:0}>>, tensor<2x2x!quant.uniform<i8:f32, 0.5:0>>) -> tensor<2x2x!quant.uniform<i8:f32, 0.5:0>>
  return
}

// -----

func.func @algorithm_in_part(%a: tensor<2x2xf32>) {
  // expected-error@+1 {{#stablehlo.dot_algorithm lacks parameter 'accumulation_type'}}
  %0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return
}
