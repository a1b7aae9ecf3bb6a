// Functions get local types of their own; one that is called with other shardings has its operands resharded.
// RUN: tessera partition %s --mesh x=4 --shard 'a=P("x")' --shard 'b=P(None, "x")' --verify 2>&1 | FileCheck %s
// CHECK-DAG: tessera: verified on 4 devices: 2 results agree
// CHECK-DAG: call @square
// CHECK-DAG: func.func private @square
func.func @main(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = call @square(%a) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = call @square(%b) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0, %1 : tensor<8x8xf32>, tensor<8x8xf32>
}
func.func private @square(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
