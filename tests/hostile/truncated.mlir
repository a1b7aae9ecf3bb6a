// Texts that end too early: in a string, a list, a constant, a type, a region, a location.
// RUN: split-file %s %t
// RUN: not tessera parse %t/function.mlir 2>&1 | FileCheck %s --check-prefix=FUNCTION
// RUN: not tessera parse %t/string.mlir 2>&1 | FileCheck %s --check-prefix=STRING
// RUN: not tessera parse %t/constant.mlir 2>&1 | FileCheck %s --check-prefix=CONSTANT
// RUN: not tessera parse %t/hex.mlir 2>&1 | FileCheck %s --check-prefix=HEX
// RUN: not tessera parse %t/type.mlir 2>&1 | FileCheck %s --check-prefix=TYPE
// RUN: not tessera parse %t/region.mlir 2>&1 | FileCheck %s --check-prefix=REGION
// RUN: not tessera parse %t/location.mlir 2>&1 | FileCheck %s --check-prefix=LOCATION
// RUN: not tessera parse %t/resources.mlir 2>&1 | FileCheck %s --check-prefix=RESOURCES

//--- function.mlir
func.func @f(%a: tensor<2xf32>
// FUNCTION: function.mlir:4:1: error: expected ')', but the text ends here

//--- string.mlir
module attributes {a = "never closed} {
}
// STRING: string.mlir:1:24: error: this string is not closed on its line

//--- constant.mlir
module attributes {a = dense<[1, 2, 3
// CONSTANT: constant.mlir:4:1: error: expected '>' of the constant, but the text ends here

//--- hex.mlir
module attributes {a = dense<"0x010000000200"> : tensor<2xi32>} {}
// HEX: hex.mlir:1:30: error: the hex constant has 6 bytes, but tensor<2xi32> requires 8 (or 4 for a splat)

//--- type.mlir
func.func private @f(tensor<4x
// TYPE: type.mlir:4:1: error: expected a type, but the text ends here

//--- region.mlir
func.func @f() {
  return
// REGION: region.mlir:5:1: error: expected '}', but the text ends here

//--- location.mlir
module {} loc(callsite("a.py":1:2 at
// LOCATION: location.mlir:4:1: error: expected a location, but the text ends here

//--- resources.mlir
module {}
{-# dialect_resources: { builtin: { blob: "0x01"
// RESOURCES: resources.mlir:2:43: error: expected 0x, four bytes of alignment and the data in hex
