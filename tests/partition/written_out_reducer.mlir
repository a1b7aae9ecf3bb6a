// A function that a reducer calls stays, though it is called once: reducers are copied as they are.
// RUN: tessera partition %s --mesh x=2 --shard 'x=P(None, "x")' --verify 2>&1 | FileCheck %s
// CHECK: tessera: verified on 2 devices: 1 result agrees
// CHECK: func.call @larger
// CHECK: func.func private @larger
func.func @main(%x: tensor<4x8xf32>) -> tensor<8xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) across dimensions = [0] : (tensor<4x8xf32>, tensor<f32>) -> tensor<8xf32>
   reducer(%a: tensor<f32>, %b: tensor<f32>) {
    %c = func.call @larger(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    stablehlo.return %c : tensor<f32>
  }
  return %0 : tensor<8xf32>
}
func.func private @larger(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.maximum %a, %b : tensor<f32>
  return %0 : tensor<f32>
}
