// What is wrong with names is said where they are written.
// RUN: split-file %s %t
// RUN: not tessera names %t/m.mlir --names %t/bad.txt 2>&1 | FileCheck %s --check-prefix=BAD
// RUN: not tessera names %t/m.mlir --names %t/two.txt 2>&1 | FileCheck %s --check-prefix=TWO
// RUN: tessera names %t/m.mlir --names %t/apart.txt 2>&1 | FileCheck %s --check-prefix=APART
// RUN: not tessera names %t/m.mlir --names %t/missing.txt 2>&1 | FileCheck %s --check-prefix=FILE
// RUN: not tessera names %t/attr.mlir 2>&1 | FileCheck %s --check-prefix=ATTR
// RUN: tessera names --help | FileCheck %s --check-prefix=HELP

// BAD:      bad.txt:1:1: error: 2 names for argument 0 'x' : tensor<4x6x8xf32>, which has 3 dimensions
// BAD:      bad.txt:2:1: error: nothing is called 'weihgt'; near names: weight, result0, x
// BAD:      bad.txt:3:1: error: expected PATTERN: NAME, NAME, as in 'arg0: batch, length'
// BAD:      bad.txt:4:8: error: '8' is no name of a dimension: letters, digits and _ are
// BAD-NEXT: %f: a, 8
// BAD-NEXT:        ^
// BAD:      bad.txt:5:5: error: a name is missing here; _ is a dimension without one
// BAD:      bad.txt:6:16: error: '...' stands twice in one list
// BAD:      bad.txt:7:16: error: 'twice' stands twice in argument 1 'weight': call the second twice'
// BAD:      bad.txt:8:12: error: 'size' has 16 elements as dimension 1 of argument 2 'up' but 8 as dimension 0 of argument 2 'up': they need two names
// BAD:      bad.txt:9:10: error: dimension 0 of result 0 is a, not a*b: products follow from their parts

// TWO:      m.mlir:3:{{[0-9]+}}: error: two names for one dimension: dimension 2 of %y is 'hidden', dimension 1 of argument 1 'weight' is 'width', and stablehlo.dot_general makes them one; give both one name, or call one hidden'
// TWO:      note: dimension 2 of argument 0 'x' is called 'hidden' by {{.*}}two.txt:1
// TWO:      m.mlir:4:{{[0-9]+}}: note: dimension 2 of argument 0 'x' is dimension 2 of %y by stablehlo.add
// TWO:      note: dimension 1 of argument 1 'weight' is called 'width' by {{.*}}two.txt:2

// APART:    arg1: hidden,hidden'
// FILE: error: {{.*}}missing.txt
// ATTR: attr.mlir:1:{{[0-9]+}}: error: tessera.dims of argument 0 'x' must be a string, as "batch, length"
// ATTR: attr.mlir:1:{{[0-9]+}}: error: 2 names for argument 1 'y' : tensor<4xf32>, which has 1 dimension
// HELP: usage: tessera names [options] [FILE…]
// HELP: --names=FILE
// HELP: examples:

//--- m.mlir
// A residual layer and another one.
func.func @main(%x: tensor<4x6x8xf32>, %weight: tensor<8x8xf32>, %up: tensor<8x16xf32>) -> tensor<24x16xf32> {
  %y = stablehlo.dot_general %x, %weight, contracting_dims = [2] x [0] : (tensor<4x6x8xf32>, tensor<8x8xf32>) -> tensor<4x6x8xf32>
  %z = stablehlo.add %x, %y : tensor<4x6x8xf32>
  %u = stablehlo.dot_general %z, %up, contracting_dims = [2] x [0] : (tensor<4x6x8xf32>, tensor<8x16xf32>) -> tensor<4x6x16xf32>
  %f = stablehlo.reshape %u : (tensor<4x6x16xf32>) -> tensor<24x16xf32>
  return %f : tensor<24x16xf32>
}
//--- bad.txt
x: a, b
weihgt: a, b
nonsense
%f: a, 8
%u: ,b
%z: a, ..., b, ...
weight: twice, twice
up: size , size
result0: a*b, _
//--- two.txt
x: batch, length, hidden
weight: _, width
//--- apart.txt
x: batch, length, hidden
weight: hidden, hidden'
//--- attr.mlir
func.func @main(%x: tensor<4xf32> {tessera.dims = 3 : i64}, %y: tensor<4xf32> {tessera.dims = "a, b"}) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
