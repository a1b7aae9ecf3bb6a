// Sizes that no machine holds are refused, or cost nothing: a splat is one element however large its type.
// RUN: split-file %s %t
// RUN: not tessera parse %t/dimension.mlir 2>&1 | FileCheck %s --check-prefix=DIMENSION
// RUN: not tessera parse %t/elements.mlir 2>&1 | FileCheck %s --check-prefix=ELEMENTS
// RUN: not tessera parse %t/list.mlir 2>&1 | FileCheck %s --check-prefix=LIST
// RUN: not tessera parse %t/hex.mlir 2>&1 | FileCheck %s --check-prefix=HEX
// RUN: not tessera parse %t/results.mlir 2>&1 | FileCheck %s --check-prefix=RESULTS
// RUN: not tessera parse %t/integer.mlir 2>&1 | FileCheck %s --check-prefix=INTEGER
// RUN: tessera parse %t/splat.mlir | FileCheck %s --check-prefix=SPLAT

//--- dimension.mlir
func.func private @f(tensor<99999999999999999999x2xf32>)
// DIMENSION: dimension.mlir:1:29: error: the dimension is 99999999999999999999, expected at most 9223372036854775807

//--- elements.mlir
func.func private @f(tensor<4294967296x4294967296xf32>)
// ELEMENTS: elements.mlir:1:28: error: the tensor has more than 9223372036854775807 elements

//--- list.mlir
module attributes {a = dense<[1, 2]> : tensor<9223372036854775807xi64>} {}
// LIST: list.mlir:1:36: error: the constant has 2 items in dimension 0, expected 9223372036854775807 as in its type

//--- hex.mlir
module attributes {a = dense<"0x0102"> : tensor<9223372036854775807xi64>} {}
// HEX: hex.mlir:1:30: error: the hex constant has 2 bytes, but tensor<9223372036854775807xi64> requires more than can be addressed

//--- results.mlir
func.func @f() {
  %0:70000 = "stablehlo.return"() : () -> ()
  return
}
// RESULTS: results.mlir:2:6: error: the number of results is 70000, expected 1 to 65535

//--- integer.mlir
module attributes {a = 99999999999999999999} {}
// INTEGER: integer.mlir:1:24: error: '99999999999999999999' is not a value of type i64

//--- splat.mlir
module attributes {a = dense<1> : tensor<1000000x1000000x1000000xi8>} {}
// SPLAT: module attributes {a = dense<1> : tensor<1000000x1000000x1000000xi8>}
