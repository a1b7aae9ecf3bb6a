// A private function that an attribute of another op names stays, though it has a single call.
// RUN: tessera partition %s --mesh data=2 --shard 'x=P("data")' --verify 2>&1 | FileCheck %s
// CHECK: tessera: verified on 2 devices: 1 result agrees
// CHECK: composite_attributes = {other = {names = [@other]}}
// CHECK: call @other
// CHECK-NOT: call @once
// CHECK: func.func private @other
func.func @main(%x: tensor<6x8xf32>) -> tensor<6x8xf32> {
  %0 = stablehlo.composite "my.f" %x {decomposition = @f, composite_attributes = {other = {names = [@other]}}} : (tensor<6x8xf32>) -> tensor<6x8xf32>
  %1 = func.call @other(%0) : (tensor<6x8xf32>) -> tensor<6x8xf32>
  %2 = func.call @once(%1) : (tensor<6x8xf32>) -> tensor<6x8xf32>
  return %2 : tensor<6x8xf32>
}
func.func private @f(%x: tensor<6x8xf32>) -> tensor<6x8xf32> {
  %0 = stablehlo.sine %x : tensor<6x8xf32>
  return %0 : tensor<6x8xf32>
}
func.func private @other(%x: tensor<6x8xf32>) -> tensor<6x8xf32> {
  %0 = stablehlo.cosine %x : tensor<6x8xf32>
  return %0 : tensor<6x8xf32>
}
func.func private @once(%x: tensor<6x8xf32>) -> tensor<6x8xf32> {
  %0 = stablehlo.negate %x : tensor<6x8xf32>
  return %0 : tensor<6x8xf32>
}
