// Two sequences and four heads on one axis of eight devices: no dimension of the scores is a multiple of 8 but the places, over which the softmax
// sums. -O2 divides the axis into a sub-axis of 2 for the sequences and one of 4 for the heads, and nothing is sent.
// RUN: tessera plan %s --machine h100:8 --mesh x=8 | FileCheck %s --check-prefix=O1
// RUN: tessera plan %s --machine h100:8 --mesh x=8 -O2 --plan-out %t.json | FileCheck %s
// RUN: tessera partition %s --machine h100:8 --plan %t.json --verify --stats -o /dev/null 2>&1 | FileCheck %s --check-prefix=LOCAL
// O1: step 1{{[0-9.]+}} us predicted
// CHECK: step 8.72 us predicted: {{.*}} 0 s of waiting for collectives
// CHECK: [{"x":(1)2}, {"x":(2)4}, {}, {}] of tensor<2x4x1021x64xf32>
// LOCAL: 8 devices, 0 collectives, 0 bytes sent per device
// LOCAL: 1.00 times the ideal
// LOCAL: verified on 8 devices: 1 result agrees
func.func @main(%q: tensor<2x4x61x64xf32>, %k: tensor<2x4x1021x64xf32>, %v: tensor<2x4x1021x64xf32>) -> tensor<2x4x61x64xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.dot_general %q, %k, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3] : (tensor<2x4x61x64xf32>, tensor<2x4x1021x64xf32>) -> tensor<2x4x61x1021xf32>
  %e = stablehlo.exponential %s : tensor<2x4x61x1021xf32>
  %n = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [3] : (tensor<2x4x61x1021xf32>, tensor<f32>) -> tensor<2x4x61xf32>
  %d = stablehlo.broadcast_in_dim %n, dims = [0, 1, 2] : (tensor<2x4x61xf32>) -> tensor<2x4x61x1021xf32>
  %p = stablehlo.divide %e, %d : tensor<2x4x61x1021xf32>
  %o = stablehlo.dot_general %p, %v, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : (tensor<2x4x61x1021xf32>, tensor<2x4x1021x64xf32>) -> tensor<2x4x61x64xf32>
  return %o : tensor<2x4x61x64xf32>
}
