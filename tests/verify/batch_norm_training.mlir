// RUN: tessera parse --verify-diagnostics %s

func.func @c1(%x: tensor<2x3x2xf32>, %s: tensor<3xf32>, %o: tensor<3xf32>) {
  // expected-error@+1 {{'stablehlo.batch_norm_training' op C1: feature_index is -1, expected a dimension in [0, 3)}}
  %r0, %r1, %r2 = "stablehlo.batch_norm_training"(%x, %s, %o) {epsilon = 0.5 : f32, feature_index = -1 : i64} : (tensor<2x3x2xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3x2xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

func.func @c2(%x: tensor<2x3x2xf32>, %s: tensor<3xf32>, %o: tensor<3xf64>) {
  // expected-error@+1 {{'stablehlo.batch_norm_training' op C2: operand 2 has element type f64, expected that of operand 0, f32}}
  %r0, %r1, %r2 = "stablehlo.batch_norm_training"(%x, %s, %o) {epsilon = 0.5 : f32, feature_index = 1 : i64} : (tensor<2x3x2xf32>, tensor<3xf32>, tensor<3xf64>) -> (tensor<2x3x2xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

func.func @c3(%x: tensor<2x3x2xf32>, %s: tensor<4xf32>, %o: tensor<3xf32>) {
  // expected-error@+1 {{'stablehlo.batch_norm_training' op C3: scale has type tensor<4xf32>, expected one element for each of 3 features}}
  %r0, %r1, %r2 = "stablehlo.batch_norm_training"(%x, %s, %o) {epsilon = 0.5 : f32, feature_index = 1 : i64} : (tensor<2x3x2xf32>, tensor<4xf32>, tensor<3xf32>) -> (tensor<2x3x2xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

func.func @c4(%x: tensor<2x3x2xf32>, %s: tensor<3xf32>, %o: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.batch_norm_training' op C4: offset has type tensor<4xf32>, expected one element for each of 3 features}}
  %r0, %r1, %r2 = "stablehlo.batch_norm_training"(%x, %s, %o) {epsilon = 0.5 : f32, feature_index = 1 : i64} : (tensor<2x3x2xf32>, tensor<3xf32>, tensor<4xf32>) -> (tensor<2x3x2xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

func.func @c5(%x: tensor<2x3x2xf32>, %s: tensor<3xf32>, %o: tensor<3xf32>) {
  // expected-error@+1 {{'stablehlo.batch_norm_training' op C5: batch_mean has type tensor<4xf32>, expected one element for each of 3 features}}
  %r0, %r1, %r2 = "stablehlo.batch_norm_training"(%x, %s, %o) {epsilon = 0.5 : f32, feature_index = 1 : i64} : (tensor<2x3x2xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3x2xf32>, tensor<4xf32>, tensor<3xf32>)
  return
}

// -----

func.func @c6(%x: tensor<2x3x2xf32>, %s: tensor<3xf32>, %o: tensor<3xf32>) {
  // expected-error@+1 {{'stablehlo.batch_norm_training' op C6: batch_var has type tensor<4xf32>, expected one element for each of 3 features}}
  %r0, %r1, %r2 = "stablehlo.batch_norm_training"(%x, %s, %o) {epsilon = 0.5 : f32, feature_index = 1 : i64} : (tensor<2x3x2xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3x2xf32>, tensor<3xf32>, tensor<4xf32>)
  return
}

// -----

func.func @c7(%x: tensor<2x3x2xf32>, %s: tensor<3xf32>, %o: tensor<3xf32>) {
  // expected-error@+1 {{'stablehlo.batch_norm_training' op C7: output has type tensor<2x3xf32>, expected the shape of the operand, tensor<2x3x2xf32>}}
  %r0, %r1, %r2 = "stablehlo.batch_norm_training"(%x, %s, %o) {epsilon = 0.5 : f32, feature_index = 1 : i64} : (tensor<2x3x2xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

func.func @per_axis(%x: tensor<2x2x!quant.uniform<i8:f32:0, {0.5:0, 0.25:0}>>, %v: tensor<2x!quant.uniform<i8:f32:0, {0.5:0, 0.25:0}>>) {
  // expected-error@+1 {{'stablehlo.batch_norm_training' op operand 0 must be a tensor or a per-tensor quantized tensor, got tensor<2x2x!quant.uniform<i8:f32:0, {5.000000e-01,2.500000e-01}>>}}
  %0:3 = "stablehlo.batch_norm_training"(%x, %v, %v) {epsilon = 0.5 : f32, feature_index = 0 : i64} : (tensor<2x2x!quant.uniform<i8:f32:0, {0.5:0, 0.25:0}>>, tensor<2x!quant.uniform<i8:f32:0, {0.5:0, 0.25:0}>>, tensor<2x!quant.uniform<i8:f32:0, {0.5:0, 0.25:0}>>) -> (tensor<2x2x!quant.uniform<i8:f32:0, {0.5:0, 0.25:0}>>, tensor<2x!quant.uniform<i8:f32:0, {0.5:0, 0.25:0}>>, tensor<2x!quant.uniform<i8:f32:0, {0.5:0, 0.25:0}>>)
  return
}
