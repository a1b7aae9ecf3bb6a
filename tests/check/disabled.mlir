// RUN: tessera check %s | FileCheck %s
// RUN-DISABLED(inaccurate): stablehlo-translate --interpret %s
// CHECK: skipped: {{.*}}disabled.mlir
// CHECK: 1 files whose RUN line says that the reference does not run them: 0 segments pass, 1 do not (skipped)
// CHECK-NEXT: 0 passed, 0 failed, 1 skipped
func.func @main() {
  %x = stablehlo.constant dense<1> : tensor<i32>
  check.expect_eq_const %x, dense<2> : tensor<i32>
  return
}
