// RUN: tessera parse --verify-diagnostics %s

func.func @c1(%x: tensor<2x4xf32>) {
  // expected-error@+1 {{'stablehlo.all_to_all' op C1: split_dimension is 2, expected it in [0, 2), a dimension of tensor<2x4xf32>}}
  %0 = "stablehlo.all_to_all"(%x) {concat_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 2 : i64, split_dimension = 2 : i64} : (tensor<2x4xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @c2(%x: tensor<2x4xf32>) {
  // expected-error@+1 {{'stablehlo.all_to_all' op C2: split_dimension 1 of tensor<2x4xf32> has size 4, expected a multiple of split_count 3}}
  %0 = "stablehlo.all_to_all"(%x) {concat_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 3 : i64, split_dimension = 1 : i64} : (tensor<2x4xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @c3(%x: tensor<2x4xf32>) {
  // expected-error@+1 {{'stablehlo.all_to_all' op C3: concat_dimension is -1, expected it in [0, 2), a dimension of tensor<2x4xf32>}}
  %0 = "stablehlo.all_to_all"(%x) {concat_dimension = -1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 2 : i64, split_dimension = 1 : i64} : (tensor<2x4xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @c4(%x: tensor<2x4xf32>) {
  // expected-error@+1 {{'stablehlo.all_to_all' op C4: split_count is 0, expected at least 1}}
  %0 = "stablehlo.all_to_all"(%x) {concat_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 0 : i64, split_dimension = 1 : i64} : (tensor<2x4xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @c5(%x: tensor<2x4xf32>) {
  // expected-error@+1 {{'stablehlo.all_to_all' op C5: replica_groups contain id 1 twice, expected each id once}}
  %0 = "stablehlo.all_to_all"(%x) {concat_dimension = 0 : i64, replica_groups = dense<[[1, 1]]> : tensor<1x2xi64>, split_count = 2 : i64, split_dimension = 1 : i64} : (tensor<2x4xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @c7(%x: tensor<2x4xf32>) {
  // expected-error@+1 {{'stablehlo.all_to_all' op C7: replica_groups contain id -1, expected each id in [0, 1) once}}
  %0 = "stablehlo.all_to_all"(%x) {concat_dimension = 0 : i64, replica_groups = dense<[[0, -1]]> : tensor<1x2xi64>, split_count = 2 : i64, split_dimension = 1 : i64} : (tensor<2x4xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @c8(%x: tensor<2x4xf32>) {
  // expected-error@+1 {{'stablehlo.all_to_all' op C8: each replica group has size 1, expected split_count 2}}
  %0 = "stablehlo.all_to_all"(%x) {concat_dimension = 0 : i64, replica_groups = dense<[[0], [1]]> : tensor<2x1xi64>, split_count = 2 : i64, split_dimension = 1 : i64} : (tensor<2x4xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @c9(%x: tensor<2x4xf32>) {
  // expected-error@+1 {{'stablehlo.all_to_all' op C9: result 0 is tensor<2x4xf32>, expected tensor<4x2xf32>}}
  %0 = "stablehlo.all_to_all"(%x) {concat_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 2 : i64, split_dimension = 1 : i64} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @per_axis(%x: tensor<2x2x!quant.uniform<i8:f32:0, {0.5:0, 0.25:0}>>) {
  // expected-error@+1 {{'stablehlo.all_to_all' op operand 0 must be a tensor or a per-tensor quantized tensor, got tensor<2x2x!quant.uniform<i8:f32:0, {5.000000e-01,2.500000e-01}>>}}
  %0 = "stablehlo.all_to_all"(%x) {split_dimension = 1 : i64, concat_dimension = 1 : i64, split_count = 1 : i64, replica_groups = dense<[[0]]> : tensor<1x1xi64>} : (tensor<2x2x!quant.uniform<i8:f32:0, {0.5:0, 0.25:0}>>) -> tensor<2x2x!quant.uniform<i8:f32:0, {0.5:0, 0.25:0}>>
  return
}

// -----

func.func @c9_scale(%x: tensor<2x!quant.uniform<i8:f32, 0.5:0>>) {
  // expected-error@+1 {{'stablehlo.all_to_all' op C9: result 0 is tensor<2x!quant.uniform<i8:f32, 2.500000e-01>>, expected tensor<2x!quant.uniform<i8:f32, 5.000000e-01>>}}
  %0 = "stablehlo.all_to_all"(%x) {split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2x!quant.uniform<i8:f32, 0.5:0>>) -> tensor<2x!quant.uniform<i8:f32, 0.25:0>>
  return
}
