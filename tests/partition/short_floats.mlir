// A weight's gradient in bf16 contracts batch and length: 16 x 64 terms are many, so the partial sums are added up
// instead of gathering the activations. Of 16 terms alone each device's part would be rounded: they are not split.
// RUN: split-file %s %t
// RUN: tessera partition %t/many.mlir --mesh data=16,model=8 --shard 'x=P("data")' --shard 'dy=P("data", None, "model")' --stats 2>&1 >/dev/null | FileCheck %s --check-prefix=MANY
// MANY: 1 all_reduce 8 groups of 16 {{.*}} over data
// MANY: 128 devices, 1 collective
// RUN: tessera partition %t/few.mlir --mesh data=16 --shard 'x=P("data")' --shard 'dy=P("data")' --stats 2>&1 >/dev/null | FileCheck %s --check-prefix=FEW
// FEW-NOT: all_reduce
// FEW-NOT: reduce_scatter
//--- many.mlir
func.func @main(%x: tensor<16x64x512xbf16>, %dy: tensor<16x64x1024xbf16>) -> tensor<512x1024xbf16> {
  %0 = stablehlo.dot_general %x, %dy, contracting_dims = [0, 1] x [0, 1] : (tensor<16x64x512xbf16>, tensor<16x64x1024xbf16>) -> tensor<512x1024xbf16>
  return %0 : tensor<512x1024xbf16>
}
//--- few.mlir
func.func @main(%x: tensor<16x512xbf16>, %dy: tensor<16x1024xbf16>) -> tensor<512x1024xbf16> {
  %0 = stablehlo.dot_general %x, %dy, contracting_dims = [0] x [0] : (tensor<16x512xbf16>, tensor<16x1024xbf16>) -> tensor<512x1024xbf16>
  return %0 : tensor<512x1024xbf16>
}
