// A step of gradient descent with the batch split: the gradient and the loss are summed over the devices at once, weights stay whole.
// RUN: tessera partition %s --mesh data=4 --shard 'x=P("data")' --shard 'y=P("data")' --verify --stats 2>&1 | FileCheck %s
// RUN: tessera partition %s --devices 2 --shard 'x=P("devices")' --verify --seed 3 2>&1 | FileCheck %s --check-prefix=TWO
// CHECK-DAG: tessera: 1 all_reduce 1 group of 4 102 bytes
// CHECK-DAG: tessera: 4 devices, 1 collective, 102 bytes sent per device
// CHECK-DAG: tessera: verified on 4 devices: 2 results agree (floats: |difference| <= 0.0001 (1 + |value|)
// CHECK-DAG: @main(%arg0: tensor<2x4xf32> {{{.*}}}, %arg1: tensor<2x4xf32> {{{.*}}}, %arg2: tensor<4x4xf32> {jax.arg_info = "w"}) -> (tensor<4x4xf32>, tensor<f32>) {
// TWO: tessera: verified on 2 devices: 2 results agree
func.func @main(%x: tensor<8x4xf32>, %y: tensor<8x4xf32>, %w: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<f32>) {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %1 = stablehlo.subtract %0, %y : tensor<8x4xf32>
  %2 = stablehlo.multiply %1, %1 : tensor<8x4xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %loss = stablehlo.reduce(%2 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x4xf32>, tensor<f32>) -> tensor<f32>
  %grad = stablehlo.dot_general %x, %1, contracting_dims = [0] x [0] : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %rate = stablehlo.constant dense<0.25> : tensor<4x4xf32>
  %3 = stablehlo.multiply %grad, %rate : tensor<4x4xf32>
  %4 = stablehlo.subtract %w, %3 : tensor<4x4xf32>
  return %4, %loss : tensor<4x4xf32>, tensor<f32>
}
