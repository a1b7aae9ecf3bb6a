// Sizes that types leave open and that disagree at run time: the op's constraints hold there too.
// RUN: not tessera check %s 2>&1 | FileCheck %s

// CHECK: 'stablehlo.triangular_solve' op: C3: the last two dimensions of a have sizes 3 and 5, expected equal sizes (square matrices)
func.func @main() {
  %0 = stablehlo.constant dense<1.0> : tensor<3x5xf32>
  %1 = stablehlo.constant dense<1.0> : tensor<3x2xf32>
  %a = stablehlo.custom_call @Sharding(%0) : (tensor<3x5xf32>) -> tensor<?x?xf32>
  %b = stablehlo.custom_call @Sharding(%1) : (tensor<3x2xf32>) -> tensor<?x?xf32>
  %x = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return
}

// -----

// CHECK: 'stablehlo.batch_norm_inference' op: C3: scale has type tensor<1xf32>, expected one element for each of 8 features
func.func @main() {
  %0 = stablehlo.constant dense<1.0> : tensor<2x8xf32>
  %1 = stablehlo.constant dense<1.0> : tensor<1xf32>
  %x = stablehlo.custom_call @Sharding(%0) : (tensor<2x8xf32>) -> tensor<?x?xf32>
  %s = stablehlo.custom_call @Sharding(%1) : (tensor<1xf32>) -> tensor<?xf32>
  %r = "stablehlo.batch_norm_inference"(%x, %s, %s, %s, %s) <{epsilon = 0.1 : f32, feature_index = 1 : i64}> : (tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) -> tensor<?x?xf32>
  return
}

// -----

// CHECK: 'stablehlo.convolution' op: C14: the input feature dimension of rhs has size 2, expected 1, the features of lhs / feature_group_count
func.func @main() {
  %0 = stablehlo.constant dense<1.0> : tensor<1x4x1xf32>
  %1 = stablehlo.constant dense<1.0> : tensor<2x2x1xf32>
  %x = stablehlo.custom_call @Sharding(%0) : (tensor<1x4x1xf32>) -> tensor<?x?x?xf32>
  %k = stablehlo.custom_call @Sharding(%1) : (tensor<2x2x1xf32>) -> tensor<?x?x?xf32>
  %r = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<?x?x?xf32>, tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  return
}

// -----

// CHECK: 'stablehlo.all_gather' op: processes of one group have operands of different shapes, expected equal shapes
func.func @gather(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
func.func @main() {
  %0 = stablehlo.constant dense<1.0> : tensor<2x3xf32>
  %1 = stablehlo.constant dense<1.0> : tensor<4x5xf32>
  %r:2 = "interpreter.run_parallel"(%0, %1) {programs = [[@gather], [@gather]]} : (tensor<2x3xf32>, tensor<4x5xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>)
  return
}

// -----

// CHECK: 'stablehlo.all_to_all' op: processes of one group have operands of different shapes, expected equal shapes
func.func @exchange(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = "stablehlo.all_to_all"(%x) <{split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
func.func @main() {
  %0 = stablehlo.constant dense<1.0> : tensor<2x3xf32>
  %1 = stablehlo.constant dense<1.0> : tensor<4x5xf32>
  %r:2 = "interpreter.run_parallel"(%0, %1) {programs = [[@exchange], [@exchange]]} : (tensor<2x3xf32>, tensor<4x5xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>)
  return
}
