// What is neither allowed nor annotated is replicated and closed; what is allowed and annotated may get more axes.
// RUN: tessera propagate %s | FileCheck %s --check-prefix=FREE
// RUN: tessera propagate %s --allow-args none --allow-results none | FileCheck %s --check-prefix=NONE
// RUN: tessera propagate %s --allow-args y --allow-results 0 | FileCheck %s --check-prefix=SOME
// RUN: tessera propagate %s --shard '1=P(None, "y")' --allow-args all | FileCheck %s --check-prefix=ALL
// RUN: not tessera propagate %s --allow-args 0,3 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: not tessera propagate %s --allow-results loss 2>&1 | FileCheck %s --check-prefix=NAME
sdy.mesh @mesh = <["x"=2, "y"=2]>
// FREE: @main(%arg0: {{.*}} [{"x"}, {}]>}, %arg1: {{.*}} [{"x", ?}, {?}]>}, %arg2: {{.*}} [{"x", ?}, {?}]>}) -> (tensor<4x4xf32> {{.*}} [{"x", ?}, {?}]>}) {
// NONE: @main(%arg0: {{.*}} [{"x"}, {}]>}, %arg1: {{.*}} [{}, {}]>}, %arg2: {{.*}} [{}, {}]>}) -> (tensor<4x4xf32> {{.*}} [{}, {}]>}) {
// SOME: @main(%arg0: {{.*}} [{"x"}, {}]>}, %arg1: {{.*}} [{"x", ?}, {?}]>}, %arg2: {{.*}} [{}, {}]>}) -> (tensor<4x4xf32> {{.*}} [{"x", ?}, {?}]>}) {
// ALL: @main(%arg0: {{.*}} [{"x", ?}, {"y", ?}]>}, %arg1: {{.*}} [{"x", ?}, {"y", ?}]>}, %arg2: {{.*}} [{"x", ?}, {"y", ?}]>})
// NUMBER: error: '3' is none of the program's 3 arguments
// NAME: error: 'loss' is none of the program's 1 result
func.func @main(%x: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %y: tensor<4x4xf32>, %z: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = stablehlo.add %x, %y : tensor<4x4xf32>
  %1 = stablehlo.add %0, %z : tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}
