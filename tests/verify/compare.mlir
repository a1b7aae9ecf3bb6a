// RUN: tessera parse --verify-diagnostics %s

func.func @c1(%x: tensor<2xf32>, %y: tensor<2xf64>) {
  // expected-error@+1 {{'stablehlo.compare' op C1: operands must have the same element type, got tensor<2xf32> and tensor<2xf64>}}
  %0 = "stablehlo.compare"(%x, %y) {comparison_direction = #stablehlo<comparison_direction EQ>} : (tensor<2xf32>, tensor<2xf64>) -> tensor<2xi1>
  return
}

// -----

func.func @c2(%x: tensor<2xf32>, %y: tensor<3xf32>) {
  // expected-error@+1 {{'stablehlo.compare' op C2: operands must have the same shape, got tensor<2xf32> and tensor<3xf32>}}
  %0 = "stablehlo.compare"(%x, %y) {comparison_direction = #stablehlo<comparison_direction EQ>} : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xi1>
  return
}

// -----

func.func @c2_result(%x: tensor<2xf32>) {
  // expected-error@+1 {{'stablehlo.compare' op C2: result must have the shape of tensor<2xi1>, got tensor<3xi1>}}
  %0 = "stablehlo.compare"(%x, %x) {comparison_direction = #stablehlo<comparison_direction EQ>} : (tensor<2xf32>, tensor<2xf32>) -> tensor<3xi1>
  return
}

// -----

func.func @result(%x: tensor<2xf32>) {
  // expected-error@+1 {{'stablehlo.compare' op result type must be tensor<2xi1>, got tensor<2xf32>}}
  %0 = "stablehlo.compare"(%x, %x) {comparison_direction = #stablehlo<comparison_direction EQ>} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @c3_f32(%x: tensor<2xf32>) {
  // expected-error@+1 {{'stablehlo.compare' op C3: compare_type is SIGNED, expected FLOAT or TOTALORDER for operands of type tensor<2xf32>}}
  %0 = "stablehlo.compare"(%x, %x) {comparison_direction = #stablehlo<comparison_direction EQ>, compare_type = #stablehlo<comparison_type SIGNED>} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  return
}

// -----

func.func @c3_i32(%x: tensor<2xi32>) {
  // expected-error@+1 {{'stablehlo.compare' op C3: compare_type is UNSIGNED, expected SIGNED for operands of type tensor<2xi32>}}
  %0 = "stablehlo.compare"(%x, %x) {comparison_direction = #stablehlo<comparison_direction EQ>, compare_type = #stablehlo<comparison_type UNSIGNED>} : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
  return
}

// -----

func.func @c3_ui32(%x: tensor<2xui32>) {
  // expected-error@+1 {{'stablehlo.compare' op C3: compare_type is FLOAT, expected UNSIGNED for operands of type tensor<2xui32>}}
  %0 = "stablehlo.compare"(%x, %x) {comparison_direction = #stablehlo<comparison_direction EQ>, compare_type = #stablehlo<comparison_type FLOAT>} : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xi1>
  return
}

// -----

func.func @c3_complex_f32(%x: tensor<2xcomplex<f32>>) {
  // expected-error@+1 {{'stablehlo.compare' op C3: compare_type is TOTALORDER, expected FLOAT for operands of type tensor<2xcomplex<f32>>}}
  %0 = "stablehlo.compare"(%x, %x) {comparison_direction = #stablehlo<comparison_direction EQ>, compare_type = #stablehlo<comparison_type TOTALORDER>} : (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>) -> tensor<2xi1>
  return
}

// -----

func.func @c3_i1(%x: tensor<2xi1>) {
  // expected-error@+1 {{'stablehlo.compare' op C3: compare_type is SIGNED, expected UNSIGNED for operands of type tensor<2xi1>}}
  %0 = "stablehlo.compare"(%x, %x) {comparison_direction = #stablehlo<comparison_direction EQ>, compare_type = #stablehlo<comparison_type SIGNED>} : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  return
}

// -----

func.func @per_axis(%x: tensor<2x2x!quant.uniform<i8:f32:0, {0.5:0, 0.25:0}>>) {
  // expected-error@+1 {{'stablehlo.compare' op operand 0 must be a tensor or a per-tensor quantized tensor, got tensor<2x2x!quant.uniform<i8:f32:0, {5.000000e-01,2.500000e-01}>>}}
  %0 = stablehlo.compare EQ, %x, %x : (tensor<2x2x!quant.uniform<i8:f32:0, {0.5:0, 0.25:0}>>, tensor<2x2x!quant.uniform<i8:f32:0, {0.5:0, 0.25:0}>>) -> tensor<2x2xi1>
  return
}
