// What MLIR writes behind a pass, and what is not known.
// RUN: sdy_opt %s -sdy-basic-propagate | FileCheck %s --check-prefixes=CHECK,BASIC
// RUN: sdy_opt %s -sdy-aggressive-propagate='propagation-strategy=basic' | FileCheck %s --check-prefixes=CHECK,BASIC
// RUN: sdy_opt %s -sdy-aggressive-propagate | FileCheck %s --check-prefixes=CHECK,AGGRESSIVE
// RUN: sdy_opt %s -sdy-user-priority-propagate='propagation-strategy=aggressive keep-sharding-rules=true' | FileCheck %s --check-prefixes=CHECK,AGGRESSIVE,RULES
// RUN: not sdy_opt %s -sdy-basic-propagate='propagation-strategy=wild' 2>&1 | FileCheck %s --check-prefix=WILD
// RUN: not sdy_opt %s -sdy-fly 2>&1 | FileCheck %s --check-prefix=FLY
// WILD: sdy_opt: -sdy-basic-propagate=propagation-strategy=wild is not known
// FLY: sdy_opt: -sdy-fly is not known

sdy.mesh @mesh = <["x"=2]>

// CHECK-LABEL: func.func @conflict
func.func @conflict(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> tensor<8x8xf32> {
  // BASIC-NEXT:      stablehlo.dot %arg0, %arg1 :
  // AGGRESSIVE-NEXT: stablehlo.dot %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}, {?}]>]>
  // RULES-SAME:      sdy.sharding_rule = #sdy.op_sharding_rule<([i, k], [k, j])->([i, j]) {i=8, j=8, k=8} reduction={k}>
  %0 = stablehlo.dot %arg0, %arg1 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
