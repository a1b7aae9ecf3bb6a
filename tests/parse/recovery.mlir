// Reading goes on behind an op or function that does not read: several errors, and none for what follows
// from an error.
// RUN: not tessera parse %s 2>&1 | FileCheck %s

func.func @f(%a: tensor<2xf32>, %p: tensor<i1>) -> tensor<2xf32> {
  // CHECK: [[@LINE+1]]:8: error: unknown op 'stablehlo.tahn'; did you mean
  %0 = stablehlo.tahn %a : tensor<2xf32>
  %1 = stablehlo.add %0, %a : tensor<2xf32>
  %2 = "stablehlo.if"(%p) ({
    // CHECK: [[@LINE+1]]:25: error: '%nothing' is not defined before this use
    %3 = stablehlo.tanh %nothing : tensor<2xf32>
    stablehlo.return %3 : tensor<2xf32>
  }, {
    // CHECK: [[@LINE+1]]:44: error: expected
    %3 = stablehlo.tanh %a : tensor<2xf32> , tensor<2xf32>
    stablehlo.return %3 : tensor<2xf32>
  }) : (tensor<i1>) -> tensor<2xf32>
  return %2 : tensor<2xf32>
}
// CHECK: [[@LINE+1]]:15: error: expected
func.func @g( {
  return
}
func.func @h() {
  // CHECK: [[@LINE+1]]:3: error: unknown op 'stablehlo.nothing'
  stablehlo.nothing
  return
}
// CHECK-NOT: error:
