// Sizes of 0, numbers at the end of what 64 bits hold: the answer is right, and nothing is sent that is empty.
// RUN: tessera partition %s --mesh x=2 --shard 'a=P("x")' --shard 'e=P(None,"x")' --verify --stats 2>&1 | FileCheck %s
// RUN: tessera partition %s --mesh x=3 --shard 'a=P("x")' --shard 'e=P(None,"x")' --verify --stats 2>&1 | FileCheck %s
// RUN: tessera partition %s --mesh x=8 --shard 'a=P("x")' --shard 'e=P(None,"x")' --verify --stats 2>&1 | FileCheck %s
// CHECK-NOT: {{ 0 bytes}}
// CHECK: verified on {{[238]}} devices: 7 results agree
func.func @main(%a: tensor<16xi32>, %p: tensor<i32>, %e: tensor<0x16xi32>) -> (tensor<16xi32>, tensor<2xi32>, tensor<0x16xi32>, tensor<3xi32>, tensor<0x24xi32>, tensor<2x16xi32>, tensor<16xi32>) {
  %0 = stablehlo.pad %a, %p, low = [-4611686018427387904], high = [4611686018427387904], interior = [0] : (tensor<16xi32>, tensor<i32>) -> tensor<16xi32>
  %1 = stablehlo.slice %a [3:16:9223372036854775807] : (tensor<16xi32>) -> tensor<1xi32>
  %b1 = stablehlo.concatenate %1, %1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %2 = stablehlo.reverse %e, dims = [0, 1] : tensor<0x16xi32>
  %3 = stablehlo.pad %a, %p, low = [-9], high = [-4], interior = [0] : (tensor<16xi32>, tensor<i32>) -> tensor<3xi32>
  %4 = stablehlo.pad %e, %p, low = [0, 5], high = [0, 3], interior = [0, 0] : (tensor<0x16xi32>, tensor<i32>) -> tensor<0x24xi32>
  %5 = stablehlo.pad %e, %p, low = [1, 0], high = [1, 0], interior = [3, 0] : (tensor<0x16xi32>, tensor<i32>) -> tensor<2x16xi32>
  %6 = stablehlo.pad %a, %p, low = [-9223372036854775808], high = [9223372036854775807], interior = [0] : (tensor<16xi32>, tensor<i32>) -> tensor<15xi32>
  %7 = stablehlo.pad %6, %p, low = [1], high = [0], interior = [0] : (tensor<15xi32>, tensor<i32>) -> tensor<16xi32>
  return %0, %b1, %2, %3, %4, %5, %7 : tensor<16xi32>, tensor<2xi32>, tensor<0x16xi32>, tensor<3xi32>, tensor<0x24xi32>, tensor<2x16xi32>, tensor<16xi32>
}
