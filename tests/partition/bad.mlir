// What cannot be partitioned yet says so at its place; bad words, bad annotations and bad programs too. Nothing is written then.
// RUN: split-file %s %t
// RUN: not tessera partition %t/copies.mlir 2>&1 | FileCheck %s --check-prefix=COPIES
// RUN: not tessera partition %t/copies.mlir -o %t/out.mlir
// RUN: not ls %t/out.mlir
// RUN: tessera partition %t/id.mlir --mesh x=2 --shard 'a=P("x")' --verify 2>&1 | FileCheck %s --check-prefix=ID
// RUN: not tessera partition %t/add.mlir --mesh x=2 --shard 'a=P("z")' 2>&1 | FileCheck %s --check-prefix=AXIS
// RUN: not tessera partition %t/add.mlir --mesh x=100000000 --shard 'a=P("x")' 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: not tessera partition %t/broken.mlir 2>&1 | FileCheck %s --check-prefix=BROKEN
// RUN: tessera partition %t/add.mlir --verify 2>&1 | FileCheck %s --check-prefix=WHOLE
// RUN: not tessera partition %t/opaque.mlir --mesh x=2 --shard 'a=P("x")' --verify 2>&1 | FileCheck %s --check-prefix=OPAQUE
// RUN: tessera partition %t/opaque.mlir --mesh x=2 --shard 'a=P("x")' | FileCheck %s --check-prefix=OPAQUE-LOCAL
// RUN: not tessera partition %t/add.mlir --verify --entry nobody 2>&1 | FileCheck %s --check-prefix=ENTRY
// RUN: not tessera partition %t/add.mlir %t/id.mlir 2>&1 | FileCheck %s --check-prefix=FILES
// RUN: not tessera partition %t/add.mlir --verify --tolerance -1 2>&1 | FileCheck %s --check-prefix=TOLERANCE
// RUN: not tessera partition %t/add.mlir --verfy 2>&1 | FileCheck %s --check-prefix=OPTION
// RUN: not tessera partition %t/add.mlir > /dev/full
// RUN: tessera partition --help | FileCheck %s --check-prefix=HELP
// RUN: tessera partition %t/add.mlir --mesh x=2 --stats -o /dev/null 2>&1 | FileCheck %s --check-prefix=MESH
// MESH: nothing is sharded: the 2 devices of the mesh would all run the global program. The output is that program, for 1 device. Annotate a value: --shard '0=P("x")'
// RUN: tessera partition %t/add.mlir --mesh x=2 --shard 'a=P("x")' -o %t/local.mlir
// RUN: not tessera partition %t/local.mlir 2>&1 | FileCheck %s --check-prefix=AGAIN
// AGAIN: error: the program is already a local program (its module has tessera.mesh): tessera run runs it, tessera optimize optimizes it
// COPIES: copies.mlir:2:{{[0-9]+}}: error: 'stablehlo.all_reduce' op communicates between replicas, and a local program has only one replica: this cannot be partitioned
// The whole program runs once, as partition 0.
// ID: verified on 2 devices: 2 results agree
// AXIS: --shard:1:{{[0-9]+}}: error: {{.*}}z
// MANY: error: a mesh of 100000000 devices: at most 1048576 can be partitioned for
// BROKEN: broken.mlir:2:{{[0-9]+}}: error:
// WHOLE: tessera: nothing is sharded: the local program is the global one
// WHOLE: tessera: verified on 1 device: 1 result agrees
// OPAQUE: opaque.mlir:2:{{[0-9]+}}: {{.*}}custom call @mystery is unknown
// OPAQUE-LOCAL: all_gather
// OPAQUE-LOCAL: stablehlo.custom_call @mystery
// ENTRY: error: there is no function @nobody; the module has @main
// FILES: partition takes one program, 2 are given
// TOLERANCE: --tolerance takes a number above 0, like 1e-6, not '-1'
// OPTION: did you mean --verify?
// HELP: usage: tessera partition
// HELP: --verify
// HELP: examples:

//--- copies.mlir
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
//--- id.mlir
func.func @main(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<ui32>) {
  %0 = stablehlo.partition_id : tensor<ui32>
  return %a, %0 : tensor<4xf32>, tensor<ui32>
}
//--- add.mlir
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %a, %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}
//--- broken.mlir
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %a, %b : tensor<4xf32>
  return %0 : tensor<4xf32>
}
//--- opaque.mlir
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.custom_call @mystery(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
