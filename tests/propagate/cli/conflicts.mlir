// An axis that two factors want goes to the larger or first tensor's, as in Shardy, or to where less moves: one operand is
// exchanged for the sake of two.
// RUN: tessera propagate %s | FileCheck %s --check-prefix=SIZE
// RUN: tessera propagate %s --conflicts=size | FileCheck %s --check-prefix=SIZE
// RUN: tessera propagate %s --conflicts=cost | FileCheck %s --check-prefix=COST
// RUN: not tessera propagate %s --conflicts=luck 2>&1 | FileCheck %s --check-prefix=LUCK
// SIZE: -> (tensor<64x32xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", ?}, {?}]>})
// COST: -> (tensor<64x32xf32> {sdy.sharding = #sdy.sharding<@m, [{?}, {"x", ?}]>})
// LUCK: --conflicts takes size, cost, not 'luck'
// The explanation names the rule that decided.
// RUN: tessera propagate %s --why '%%0' | FileCheck %s --check-prefix=EQUAL
// EQUAL: on dim 0 of %0, {{.*}} of %p, {{.*}}; the two tensors that offer the axis have equal sizes, and the earlier operand wins
// RUN: tessera propagate %s --conflicts=cost --why '%%0' | FileCheck %s --check-prefix=LESS
// LESS: on dim 1 of %0, {{.*}} of %a, {{.*}}; of the two dimensions that could take the axis, the one that sends less wins
// RUN: tessera propagate %S/Inputs/larger.mlir --why '%%0' --why '%%1' | FileCheck %s --check-prefix=LARGER
// LARGER: %0 : tensor<8x16xf32>
// LARGER: on dim 1 of %0, {{.*}} of %b, {{.*}}; of the two tensors that offer the axis, the larger one wins
// LARGER: %1 : tensor<8x8xf32>
// LARGER: on dim 1 of %1, {{.*}}; the two tensors that offer the axis have equal sizes, and the one with more shards along the dimension wins
sdy.mesh @m = <["x"=16]>
func.func @main(%p: tensor<64x32xi1> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>},
                %a: tensor<64x32xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>},
                %b: tensor<64x32xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>}) -> tensor<64x32xf32> {
  %0 = stablehlo.select %p, %a, %b : tensor<64x32xi1>, tensor<64x32xf32>
  return %0 : tensor<64x32xf32>
}
