// RUN: tessera parse --verify-diagnostics %s

func.func @c1(%x: tensor<2x3x2xf32>, %s: tensor<3xf32>, %o: tensor<3xf32>, %m: tensor<3xf32>, %v: tensor<3xf32>) {
  // expected-error@+1 {{C1: }}
  %r0 = "stablehlo.batch_norm_inference"(%x, %s, %o, %m, %v) {epsilon = 0.5 : f32, feature_index = 3 : i64} : (tensor<2x3x2xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x2xf32>
  return
}

// -----

func.func @c2(%x: tensor<2x3x2xf32>, %s: tensor<3xf32>, %o: tensor<3xf32>, %m: tensor<3xf64>, %v: tensor<3xf32>) {
  // expected-error@+1 {{C2: }}
  %r0 = "stablehlo.batch_norm_inference"(%x, %s, %o, %m, %v) {epsilon = 0.5 : f32, feature_index = 1 : i64} : (tensor<2x3x2xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf64>, tensor<3xf32>) -> tensor<2x3x2xf32>
  return
}

// -----

func.func @c2_result(%x: tensor<2x3x2xf32>, %s: tensor<3xf32>, %o: tensor<3xf32>, %m: tensor<3xf32>, %v: tensor<3xf32>) {
  // expected-error@+1 {{C2: }}
  %r0 = "stablehlo.batch_norm_inference"(%x, %s, %o, %m, %v) {epsilon = 0.5 : f32, feature_index = 1 : i64} : (tensor<2x3x2xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x2xf64>
  return
}

// -----

func.func @c3(%x: tensor<2x3x2xf32>, %s: tensor<4xf32>, %o: tensor<3xf32>, %m: tensor<3xf32>, %v: tensor<3xf32>) {
  // expected-error@+1 {{C3: }}
  %r0 = "stablehlo.batch_norm_inference"(%x, %s, %o, %m, %v) {epsilon = 0.5 : f32, feature_index = 1 : i64} : (tensor<2x3x2xf32>, tensor<4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x2xf32>
  return
}

// -----

func.func @c4(%x: tensor<2x3x2xf32>, %s: tensor<3xf32>, %o: tensor<4xf32>, %m: tensor<3xf32>, %v: tensor<3xf32>) {
  // expected-error@+1 {{C4: }}
  %r0 = "stablehlo.batch_norm_inference"(%x, %s, %o, %m, %v) {epsilon = 0.5 : f32, feature_index = 1 : i64} : (tensor<2x3x2xf32>, tensor<3xf32>, tensor<4xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x2xf32>
  return
}

// -----

func.func @c5(%x: tensor<2x3x2xf32>, %s: tensor<3xf32>, %o: tensor<3xf32>, %m: tensor<4xf32>, %v: tensor<3xf32>) {
  // expected-error@+1 {{C5: }}
  %r0 = "stablehlo.batch_norm_inference"(%x, %s, %o, %m, %v) {epsilon = 0.5 : f32, feature_index = 1 : i64} : (tensor<2x3x2xf32>, tensor<3xf32>, tensor<3xf32>, tensor<4xf32>, tensor<3xf32>) -> tensor<2x3x2xf32>
  return
}

// -----

func.func @c6(%x: tensor<2x3x2xf32>, %s: tensor<3xf32>, %o: tensor<3xf32>, %m: tensor<3xf32>, %v: tensor<4xf32>) {
  // expected-error@+1 {{C6: }}
  %r0 = "stablehlo.batch_norm_inference"(%x, %s, %o, %m, %v) {epsilon = 0.5 : f32, feature_index = 1 : i64} : (tensor<2x3x2xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<4xf32>) -> tensor<2x3x2xf32>
  return
}

// -----

func.func @c7(%x: tensor<2x3x2xf32>, %s: tensor<3xf32>, %o: tensor<3xf32>, %m: tensor<3xf32>, %v: tensor<3xf32>) {
  // expected-error@+1 {{C7: }}
  %r0 = "stablehlo.batch_norm_inference"(%x, %s, %o, %m, %v) {epsilon = 0.5 : f32, feature_index = 1 : i64} : (tensor<2x3x2xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x3xf32>
  return
}

// -----

func.func @per_axis(%x: tensor<2x2x!quant.uniform<i8:f32:0, {0.5:0, 0.25:0}>>, %v: tensor<2x!quant.uniform<i8:f32:0, {0.5:0, 0.25:0}>>) {
  // expected-error@+1 {{operand 0 must be a tensor or a per-tensor quantized tensor}}
  %0 = "stablehlo.batch_norm_inference"(%x, %v, %v, %v, %v) {epsilon = 0.5 : f32, feature_index = 0 : i64} : (tensor<2x2x!quant.uniform<i8:f32:0, {0.5:0, 0.25:0}>>, tensor<2x!quant.uniform<i8:f32:0, {0.5:0, 0.25:0}>>, tensor<2x!quant.uniform<i8:f32:0, {0.5:0, 0.25:0}>>, tensor<2x!quant.uniform<i8:f32:0, {0.5:0, 0.25:0}>>, tensor<2x!quant.uniform<i8:f32:0, {0.5:0, 0.25:0}>>) -> tensor<2x2x!quant.uniform<i8:f32:0, {0.5:0, 0.25:0}>>
  return
}
