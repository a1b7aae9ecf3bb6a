// A tiny program runs replicated: launches decide.
// RUN: tessera plan %s --machine h100:8 --mesh x=8 --plan-out %t.json | FileCheck %s
// RUN: tessera partition %s --plan %t.json --verify -o /dev/null
// CHECK: step    2.012 us predicted: 2.012 us of compute, 0 s of waiting for collectives
func.func @main(%b: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %r = stablehlo.dot_general %b, %b, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}
