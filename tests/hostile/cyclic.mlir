// Things that are defined by themselves.
// RUN: split-file %s %t
// RUN: not tessera parse %t/attribute.mlir 2>&1 | FileCheck %s --check-prefix=ATTRIBUTE
// RUN: not tessera parse %t/type.mlir 2>&1 | FileCheck %s --check-prefix=TYPE
// RUN: not tessera parse %t/location.mlir 2>&1 | FileCheck %s --check-prefix=LOCATION
// RUN: not tessera parse %t/value.mlir 2>&1 | FileCheck %s --check-prefix=VALUE
// RUN: not tessera parse %t/alias.mlir 2>&1 | FileCheck %s --check-prefix=ALIAS
// RUN: not tessera parse %t/calls.mlir 2>&1 | FileCheck %s --check-prefix=CALLS
// RUN: not tessera parse %t/symbol.mlir 2>&1 | FileCheck %s --check-prefix=SYMBOL

//--- attribute.mlir
#a = [#b]
#b = {c = #a}
module attributes {x = #a} {}
// ATTRIBUTE: attribute.mlir:2:11: error: the alias '#a' is defined in terms of itself
// ATTRIBUTE-NOT: error

//--- type.mlir
!t = tuple<!t>
func.func private @f(!t)
// TYPE: type.mlir:1:12: error: the alias '!t' is defined in terms of itself
// TYPE-NOT: error

//--- location.mlir
module {} loc(#l)
#l = loc(callsite("f" at #m))
#m = loc("g"(#l))
// LOCATION: location.mlir:3:14: error: the alias '#l' is defined in terms of itself
// LOCATION-NOT: error

//--- value.mlir
func.func @f() {
  %0 = "stablehlo.tanh"(%0) : (tensor<f32>) -> tensor<f32>
  return
}
// VALUE: value.mlir:2:25: error: '%0' is not defined before this use

//--- alias.mlir
#a = 1
#a = 2
// ALIAS: alias.mlir:2:1: error: the alias '#a' is defined twice
// ALIAS: alias.mlir:1:1: note: the first definition is here

//--- calls.mlir
func.func @f(%a: tensor<f32>) -> tensor<f32> {
  %0 = call @g(%a) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
func.func @g(%a: tensor<f32>) -> tensor<f32> {
  %0 = call @f(%a) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
// CALLS: calls.mlir:6:8: error: 'func.call' op calls @f recursively; StableHLO has no recursion

//--- symbol.mlir
func.func @f() { return }
func.func @f() { return }
// SYMBOL: symbol.mlir:2:1: error: 'func.func' op redefines the symbol @f
// SYMBOL: symbol.mlir:1:1: note: @f is first defined here
