// One output feature ties nothing to nothing: an axis there stays where it is.
// RUN: sdy_opt %s -sdy-populate-op-sharding-rules | FileCheck %s

func.func @one_feature(%x: tensor<4x6x2xf32>, %w: tensor<1x2x1xf32>) -> tensor<4x6x1xf32> {
  // CHECK: <([i, j, k], [l, k, m])->([i, j, n]) {i=4, j=6, k=2, l=1, m=1, n=1} reduction={k} permutation={j}>
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x6x2xf32>, tensor<1x2x1xf32>) -> tensor<4x6x1xf32>
  return %0 : tensor<4x6x1xf32>
}

func.func @one_feature_a_group(%x: tensor<4x6x4xf32>, %w: tensor<1x2x2xf32>) -> tensor<4x6x2xf32> {
  // CHECK: <([i, j, kl], [m, l, k])->([i, j, k]) {i=4, j=6, k=2, l=2, m=1} reduction={l} permutation={j}>
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<4x6x4xf32>, tensor<1x2x2xf32>) -> tensor<4x6x2xf32>
  return %0 : tensor<4x6x2xf32>
}
