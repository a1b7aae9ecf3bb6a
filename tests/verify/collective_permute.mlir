// RUN: tessera parse --verify-diagnostics %s

func.func @c1(%x: tensor<2xf32>) {
  // expected-error@+1 {{'stablehlo.collective_permute' op C1: source_target_pairs have type tensor<1x3xi64>, expected shape [N, 2]}}
  %0 = "stablehlo.collective_permute"(%x) {source_target_pairs = dense<[[0, 1, 2]]> : tensor<1x3xi64>} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @c2(%x: tensor<2xf32>) {
  // expected-error@+1 {{'stablehlo.collective_permute' op C2: source 0 occurs in two source_target_pairs, expected at most one}}
  %0 = "stablehlo.collective_permute"(%x) {source_target_pairs = dense<[[0, 1], [0, 2]]> : tensor<2x2xi64>} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @c3(%x: tensor<2xf32>) {
  // expected-error@+1 {{'stablehlo.collective_permute' op C3: target 1 occurs in two source_target_pairs, expected at most one}}
  %0 = "stablehlo.collective_permute"(%x) {source_target_pairs = dense<[[0, 1], [2, 1]]> : tensor<2x2xi64>} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @c4(%x: tensor<2xf32>) {
  // expected-error@+1 {{'stablehlo.collective_permute' op C4: source_target_pairs contain id -1, expected ids of at least 0}}
  %0 = "stablehlo.collective_permute"(%x) {source_target_pairs = dense<[[0, -1]]> : tensor<1x2xi64>} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @c5(%x: tensor<2xf32>) {
  // expected-error@+1 {{'stablehlo.collective_permute' op C5: the result is tensor<3xf32>, expected tensor<2xf32>}}
  %0 = "stablehlo.collective_permute"(%x) {source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @per_axis(%x: tensor<2x2x!quant.uniform<i8:f32:0, {0.5:0, 0.25:0}>>) {
  // expected-error@+1 {{'stablehlo.collective_permute' op operand 0 must be a tensor or a per-tensor quantized tensor, got tensor<2x2x!quant.uniform<i8:f32:0, {5.000000e-01,2.500000e-01}>>}}
  %0 = "stablehlo.collective_permute"(%x) {source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2x2x!quant.uniform<i8:f32:0, {0.5:0, 0.25:0}>>) -> tensor<2x2x!quant.uniform<i8:f32:0, {0.5:0, 0.25:0}>>
  return
}

// -----

func.func @c5_scale(%x: tensor<2x!quant.uniform<i8:f32, 0.5:0>>) {
  // expected-error@+1 {{'stablehlo.collective_permute' op C5: the result is tensor<2x!quant.uniform<i8:f32, 2.500000e-01>>, expected tensor<2x!quant.uniform<i8:f32, 5.000000e-01>>}}
  %0 = "stablehlo.collective_permute"(%x) {source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2x!quant.uniform<i8:f32, 0.5:0>>) -> tensor<2x!quant.uniform<i8:f32, 0.25:0>>
  return
}

// -----

func.func @token(%t: !stablehlo.token) {
  // expected-error@+1 {{'stablehlo.collective_permute' op operand 0 is !stablehlo.token, expected a tensor}}
  %0 = "stablehlo.collective_permute"(%t) {source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>} : (!stablehlo.token) -> !stablehlo.token
  return
}
