// Aliases of attributes and types, used before and behind their lines.
// RUN: tessera parse %s | FileCheck %s

// CHECK: module attributes {first = {a = 1 : i64, b = [@f, 2 : i8]}, second = [@f, 2 : i8]}
// CHECK: func.func @f(%arg0: tensor<2x3xf32>) -> tuple<tensor<2x3xf32>, tensor<2x3xf32>>
#inner = [@f, #two]
module attributes {first = #outer, second = #inner} {
  func.func @f(%a: !matrix) -> !pair {
    %0 = stablehlo.tuple %a, %a : !pair
    return %0 : !pair
  }
}
!pair = tuple<!matrix, !matrix>
#outer = {a = 1, b = #inner}
!matrix = tensor<2x3xf32>
#two = 2 : i8
