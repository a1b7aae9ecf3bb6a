// Blobs behind the program: printed back as they were, other sections are passed over.
// RUN: tessera parse %s | FileCheck %s
// RUN: tessera parse --generic %s | tessera parse | FileCheck %s
// RUN: tessera check %s | FileCheck %s --check-prefix=VALUE

// CHECK: stablehlo.constant dense_resource<blob> : tensor<3xi8>
// CHECK: stablehlo.constant dense_resource<"a b"> : tensor<1xi8>
// CHECK: blob: "0x01000000020304"
// CHECK: "a b": "0x0100000002"
// VALUE: 1 passed, 0 failed, 0 skipped
func.func @main() {
  %0 = stablehlo.constant dense_resource<blob> : tensor<3xi8>
  %1 = stablehlo.constant dense_resource<"a b"> : tensor<1xi8>
  check.expect_eq_const %0, dense<[2, 3, 4]> : tensor<3xi8>
  check.expect_eq_const %1, dense<2> : tensor<1xi8>
  return
}
{-#
  dialect_resources: {
    builtin: {
      blob: "0x01000000020304",
      "a b": "0x0100000002"
    }
  },
  external_resources: {
    other: { key: true, text: "}" }
  }
#-}
