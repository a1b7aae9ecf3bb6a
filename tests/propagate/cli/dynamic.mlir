// A dimension without a fixed size is not sharded: not by the program's text, not by a rule.
// RUN: not tessera propagate %s 2>&1 | FileCheck %s
// CHECK: dynamic.mlir:10:1: error: dimension 1 of a tensor<4x?xf32> has no fixed size and cannot be sharded: give the program its sizes first, or take the axes away
// RUN: sed 's/{"a"}]/{?}]/' %s > %t.mlir
// RUN: tessera propagate %t.mlir --shard '0=P("a")' 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: add {{.*}}[{"a", ?}, {?}]
// RUN: not tessera propagate %t.mlir --shard '0=P(None, "a")' 2>&1 | FileCheck %s --check-prefix=RULE
// RULE: error: dimension 1 of argument 0 'x' : tensor<4x?xf32> has no fixed size and cannot be sharded
sdy.mesh @mesh = <["a"=2]>
func.func @main(%x: tensor<4x?xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"a"}]>}) -> tensor<4x?xf32> {
  %0 = stablehlo.add %x, %x : tensor<4x?xf32>
  return %0 : tensor<4x?xf32>
}
