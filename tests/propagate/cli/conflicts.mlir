// An axis that two factors want goes to the larger or first tensor's, as in Shardy, or to where less moves: one operand is
// exchanged for the sake of two.
// RUN: tessera propagate %s | FileCheck %s --check-prefix=SIZE
// RUN: tessera propagate %s --conflicts=size | FileCheck %s --check-prefix=SIZE
// RUN: tessera propagate %s --conflicts=cost | FileCheck %s --check-prefix=COST
// RUN: not tessera propagate %s --conflicts=luck 2>&1 | FileCheck %s --check-prefix=LUCK
// SIZE: -> (tensor<64x32xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", ?}, {?}]>})
// COST: -> (tensor<64x32xf32> {sdy.sharding = #sdy.sharding<@m, [{?}, {"x", ?}]>})
// LUCK: --conflicts takes size, cost, not 'luck'
sdy.mesh @m = <["x"=16]>
func.func @main(%p: tensor<64x32xi1> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>},
                %a: tensor<64x32xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>},
                %b: tensor<64x32xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>}) -> tensor<64x32xf32> {
  %0 = stablehlo.select %p, %a, %b : tensor<64x32xi1>, tensor<64x32xf32>
  return %0 : tensor<64x32xf32>
}
