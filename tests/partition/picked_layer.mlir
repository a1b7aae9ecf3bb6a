// One layer of a stack of weights is picked: what is not picked is not read, so there is no work to share out, and nothing
// to gather afterwards.
// RUN: tessera partition %s --mesh data=16,model=8 --shard 'w=P(None, None, "model")' --shard 'x=P("data")' --stats 2>&1 >/dev/null | FileCheck %s
// CHECK: 128 devices, 0 collectives
func.func @main(%w: tensor<80x8192x28672xbf16>, %x: tensor<4096x8192xbf16>, %i: tensor<i32>) -> tensor<4096x28672xbf16> {
  %z = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.dynamic_slice %w, %i, %z, %z, sizes = [1, 8192, 28672] : (tensor<80x8192x28672xbf16>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8192x28672xbf16>
  %1 = stablehlo.reshape %0 : (tensor<1x8192x28672xbf16>) -> tensor<8192x28672xbf16>
  %2 = stablehlo.dot_general %x, %1, contracting_dims = [1] x [0] : (tensor<4096x8192xbf16>, tensor<8192x28672xbf16>) -> tensor<4096x28672xbf16>
  return %2 : tensor<4096x28672xbf16>
}
