// An f32 result that was bf16 on its way is as exact as bf16 is; one that was not is held to f32's tolerance, also beside
// it, and though its weights are bf16.
// RUN: tessera partition %s --mesh a=4 --shard 'x=P(None, "a")' --verify -o /dev/null 2>&1 | FileCheck %s
// CHECK: verified on 4 devices: 2 results agree (floats: |difference| <= 0.05 (1 + |value|), the largest is 0.0{{[1-4]}}
// RUN: not tessera partition %s --mesh a=4 --shard 'x=P(None, "a")' --verify --tolerance 1e-4 -o /dev/null 2>&1 | FileCheck %s --check-prefix=TIGHT
// TIGHT: the local program differs from the global program on 4 devices: result 0,
// RUN: sed -e 's/%r, %b/%b, %b/' %s | tessera partition --mesh a=4 --shard 'x=P(None, "a")' --verify -o /dev/null 2>&1 | FileCheck %s --check-prefix=WIDE
// WIDE: verified on 4 devices: 2 results agree (floats: |difference| <= 0.0001 (1 + |value|), the largest is {{[0-9.]+e-0[5-9]|0}})
func.func @main(%x: tensor<16x64xf32>, %w: tensor<64x32xbf16>) -> (tensor<16x32xf32>, tensor<16x32xf32>) {
  %k = stablehlo.constant dense<0.3> : tensor<16x64xf32>
  %0 = stablehlo.multiply %x, %k : tensor<16x64xf32>
  %1 = stablehlo.tanh %0 : tensor<16x64xf32>
  %2 = stablehlo.convert %1 : (tensor<16x64xf32>) -> tensor<16x64xbf16>
  %3 = stablehlo.dot_general %2, %w, contracting_dims = [1] x [0] : (tensor<16x64xbf16>, tensor<64x32xbf16>) -> tensor<16x32xbf16>
  %4 = stablehlo.convert %3 : (tensor<16x32xbf16>) -> tensor<16x32xf32>
  %r = stablehlo.sine %4 : tensor<16x32xf32>
  %5 = stablehlo.convert %w : (tensor<64x32xbf16>) -> tensor<64x32xf32>
  %6 = stablehlo.dot_general %1, %5, contracting_dims = [1] x [0] : (tensor<16x64xf32>, tensor<64x32xf32>) -> tensor<16x32xf32>
  %b = stablehlo.sine %6 : tensor<16x32xf32>
  return %r, %b : tensor<16x32xf32>, tensor<16x32xf32>
}
