// A loop that never ends is stopped by --max-steps, with the place it had reached.
// RUN: not tessera run --engine=eval --max-steps=1000 %s 2>&1 | FileCheck %s
// RUN: not tessera check --max-steps=1000 %s | FileCheck --check-prefix=COUNT %s
// CHECK: endless.mlir:[[#]]:{{[0-9]+}}: error: {{.*}}the limit of 1000 ops was reached
// COUNT: 0 passed, 1 failed, 0 skipped
func.func @main() -> tensor<i32> {
  %0 = stablehlo.constant dense<0> : tensor<i32>
  %1 = stablehlo.while(%i = %0) : tensor<i32>
  cond {
    %t = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %t : tensor<i1>
  } do {
    %n = stablehlo.negate %i : tensor<i32>
    stablehlo.return %n : tensor<i32>
  }
  return %1 : tensor<i32>
}
