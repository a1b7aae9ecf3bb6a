// Rules for custom calls that nothing is known of.
// RUN: tessera propagate %s --call-rule 'my.flip=([i, j])->([j, i])' --close | FileCheck %s
// RUN: not tessera propagate %s --call-rule 'my.flip=([i, j])->([i, j])' 2>&1 | FileCheck %s --check-prefix=MISFIT
// RUN: not tessera propagate %s --call-rule 'my.flip=([i, j])' 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: not tessera propagate %s --call-rule my.flip 2>&1 | FileCheck %s --check-prefix=NO-RULE
// RUN: not tessera propagate %s --call-rule 'my.flp=([i, j])->([j, i])' 2>&1 | FileCheck %s --check-prefix=NEAR
// RUN: not tessera partition %s --call-rule 'other=([i, j])->([j, i])' 2>&1 | FileCheck %s --check-prefix=OTHER

// NEAR: error: a call rule is for 'my.flp', but no custom call has that target; did you mean 'my.flip'?
// OTHER: error: a call rule is for 'other', but no custom call has that target; the program has 'my.flip'
// MISFIT: call_rule.mlir:[[#@LINE+9]]:8: error: the rule that was given for @my.flip does not fit: dimension 0 of result 0 has the size 4, its factors make 8 (a factor of several sizes is permutation or need_replication)
// WRONG: the rule of @my.flip is no rule: expected '->' at column 9, found the end in "([i, j])"
// NO-RULE: --call-rule takes TARGET=RULE, like 'my.flip=([i, j])->([j, i])', not 'my.flip'

sdy.mesh @mesh = <["data"=4]>

// CHECK: -> (tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"data"}]>})
// CHECK: custom_call @my.flip(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"data"}]>]>}
func.func @main(%x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}) -> tensor<4x8xf32> {
  %0 = stablehlo.custom_call @my.flip(%x) : (tensor<8x4xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
