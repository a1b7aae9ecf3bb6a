// Tokens of a batch and a sequence that are both cut, made one dimension: each device has every so many of them. That is kept
// as it is by what takes tokens one by one and by sums over all of them, and undone by the reshape back: nothing moves but the sum.
// RUN: tessera partition %s --mesh data=2,seq=4 --shard 'x=P("data","seq")' --shard 'result0=P("data","seq")' --verify --stats 2>&1 | FileCheck %s
// RUN: tessera partition %s --mesh seq=4 --shard 'x=P(None,"seq")' --shard 'result0=P(None,"seq")' --verify --stats 2>&1 | FileCheck %s --check-prefix=SEQ
// RUN: tessera partition %s --mesh seq=3 --shard 'x=P(None,"seq")' --shard 'result0=P(None,"seq")' --verify 2>&1 | FileCheck %s --check-prefix=THREE
// CHECK-NOT: all_gather
// CHECK-NOT: all_to_all
// CHECK: 1 all_reduce
// CHECK: 8 devices, 1 collective,
// CHECK: verified on 8 devices: 2 results agree
// CHECK: stablehlo.reshape %{{.*}} : (tensor<2x8x8xf32>) -> tensor<16x8xf32>
// SEQ: 4 devices, 1 collective,
// SEQ: verified on 4 devices: 2 results agree
// THREE: verified on 3 devices: 2 results agree
func.func @main(%x: tensor<4x32x8xf32>, %w: tensor<8x64xf32>) -> (tensor<4x32x64xf32>, tensor<64xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reshape %x : (tensor<4x32x8xf32>) -> tensor<128x8xf32>
  %1 = stablehlo.dot_general %0, %w, contracting_dims = [1] x [0] : (tensor<128x8xf32>, tensor<8x64xf32>) -> tensor<128x64xf32>
  %2 = stablehlo.negate %1 : tensor<128x64xf32>
  %3 = stablehlo.reduce(%2 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<128x64xf32>, tensor<f32>) -> tensor<64xf32>
  %4 = stablehlo.reshape %2 : (tensor<128x64xf32>) -> tensor<4x32x64xf32>
  return %4, %3 : tensor<4x32x64xf32>, tensor<64xf32>
}
