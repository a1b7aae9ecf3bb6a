// Annotations in the text that are wrong: each is shown with its place.
// RUN: split-file %s %t
// RUN: not tessera propagate %t/axis.mlir 2>&1 | FileCheck %t/axis.mlir
// RUN: not tessera propagate %t/twice.mlir 2>&1 | FileCheck %t/twice.mlir
// RUN: not tessera propagate %t/rank.mlir 2>&1 | FileCheck %t/rank.mlir
// RUN: not tessera propagate %t/mesh.mlir 2>&1 | FileCheck %t/mesh.mlir
// RUN: tessera propagate %t/uneven.mlir 2>&1 | FileCheck %t/uneven.mlir
// RUN: not tessera propagate --edges=divisible %t/uneven.mlir 2>&1 | FileCheck %t/uneven.mlir --check-prefix=ERROR
// RUN: tessera propagate %t/groups.mlir 2>&1 | FileCheck %t/groups.mlir
// RUN: tessera propagate %t/nothing.mlir 2>&1 | FileCheck %t/nothing.mlir
//--- axis.mlir
sdy.mesh @mesh = <["x"=2]>
// CHECK: axis.mlir:[[#@LINE+1]]:{{[0-9]+}}: error: {{.*}}"z"
func.func @main(%x: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"z"}]>}) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
//--- twice.mlir
sdy.mesh @mesh = <["x"=2]>
// CHECK: twice.mlir:[[#@LINE+1]]:{{[0-9]+}}: error: {{.*}}"x"
func.func @main(%x: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"x"}]>}) -> tensor<4x4xf32> {
  return %x : tensor<4x4xf32>
}
//--- rank.mlir
sdy.mesh @mesh = <["x"=2]>
// CHECK: rank.mlir:[[#@LINE+1]]:{{[0-9]+}}: error:
func.func @main(%x: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
//--- mesh.mlir
// CHECK: mesh.mlir:[[#@LINE+1]]:{{[0-9]+}}: error: {{.*}}@mesh
func.func @main(%x: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
//--- uneven.mlir
sdy.mesh @mesh = <["x"=3]>
// CHECK: uneven.mlir:[[#@LINE+2]]:{{[0-9]+}}: warning: dimension 0 of tensor<4xf32> has 4 elements, which 3 devices do not divide: tiles of 2 are padded
// ERROR: uneven.mlir:[[#@LINE+1]]:{{[0-9]+}}: error: dimension 0 of tensor<4xf32> has 4 elements, which 3 devices do not divide: --edges=divisible (divisible_edges) requires a multiple of 3
func.func @main(%x: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
//--- groups.mlir
sdy.mesh @mesh = <["x"=2, "y"=2]>
// CHECK: groups.mlir:{{[0-9]+}}:{{[0-9]+}}: warning: {{.*}} do not match: %x and %y differ.
func.func @main(%x: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %y: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) -> tensor<4xf32> {
  sdy.sharding_group %x group_id=0 : tensor<4xf32>
  sdy.sharding_group %y group_id=0 : tensor<4xf32>
  %0 = stablehlo.add %x, %y : tensor<4xf32>
  return %0 : tensor<4xf32>
}
//--- nothing.mlir
// CHECK: tessera: nothing is sharded: the program has no annotation and no mesh. Annotate a value: --mesh data=4 --shard '0=P("data")'
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
