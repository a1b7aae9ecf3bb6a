// Attributes, products, variants, regions, calls; the order of functions plays no part.
// RUN: split-file %s %t
// RUN: tessera names %t/a.mlir | FileCheck %s
// RUN: tessera names %t/b.mlir > %t.b
// RUN: tessera names %t/a.mlir | diff - %t.b
// RUN: tessera names --json %t/a.mlir | FileCheck %s --check-prefix=JSON
// RUN: tessera names --json --all %t/a.mlir | python3 -c "import json, sys; json.load(sys.stdin)"
// RUN: tessera names --all %t/a.mlir | FileCheck %s --check-prefix=ALL

// CHECK:      # batch {{ *}}4 {{.*}}attribute of argument 0 'x'
// CHECK-NEXT: # length {{ *}}6
// CHECK-NEXT: # hidden {{ *}}8
// CHECK-NEXT: # hidden' {{ *}}8 {{.*}}argument 1 'w' has hidden too
// CHECK-NEXT: # d3 {{ *}}3 {{.*}}made up: dimension 1 of argument 2 'v'
// CHECK-NEXT: # d5 {{ *}}5
// CHECK-EMPTY:
// CHECK-NEXT: arg0: batch,length,hidden
// CHECK-NEXT: arg1: hidden',hidden
// CHECK-NEXT: arg2: hidden,d3
// CHECK-NEXT: result0: batch*length,d3
// CHECK-NEXT: result1: batch,length,hidden
// CHECK-NEXT: result2: length
// CHECK-EMPTY:
// CHECK-NEXT: @other:arg0: d5

// JSON: {"file":"{{.*}}","names":[{"name":"batch","size":4,"dims":{{[0-9]+}},"origin":"attribute","from":"attribute of argument 0 'x'"},
// JSON-SAME: "functions":[{"name":"main","arguments":[{"index":0,"path":"x","type":"tensor<4x6x8xf32>","dims":["batch","length","hidden"]},

// ALL: %flat: batch*length,hidden
// ALL: %sorted: batch*length,hidden
// ALL: %back: batch,length,hidden
// ALL: %part: batch,d5b,hidden
// ALL: @relu:arg0: batch,length,hidden
// ALL: @relu:%m: batch,length,hidden

//--- a.mlir
func.func @other(%x: tensor<5xf32>) -> tensor<5xf32> {
  return %x : tensor<5xf32>
}
func.func @main(%x: tensor<4x6x8xf32> {tessera.dims = "batch, length, hidden"}, %w: tensor<8x8xf32>, %v: tensor<8x3xf32>)
    -> (tensor<24x3xf32>, tensor<4x6x8xf32>, tensor<6xf32>) {
  %y = stablehlo.dot_general %x, %w, contracting_dims = [2] x [0] : (tensor<4x6x8xf32>, tensor<8x8xf32>) -> tensor<4x6x8xf32>
  %z = func.call @relu(%y) : (tensor<4x6x8xf32>) -> tensor<4x6x8xf32>
  %residual = stablehlo.add %x, %z : tensor<4x6x8xf32>
  %flat = stablehlo.reshape %residual : (tensor<4x6x8xf32>) -> tensor<24x8xf32>
  %sorted = "stablehlo.sort"(%flat) <{dimension = 0 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %less = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  }) : (tensor<24x8xf32>) -> tensor<24x8xf32>
  %out = stablehlo.dot_general %sorted, %v, contracting_dims = [1] x [0] : (tensor<24x8xf32>, tensor<8x3xf32>) -> tensor<24x3xf32>
  %back = stablehlo.reshape %sorted : (tensor<24x8xf32>) -> tensor<4x6x8xf32>
  %part = stablehlo.slice %back [0:4, 0:5, 0:8] : (tensor<4x6x8xf32>) -> tensor<4x5x8xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %sum = stablehlo.reduce(%back init: %zero) applies stablehlo.add across dimensions = [0, 2] : (tensor<4x6x8xf32>, tensor<f32>) -> tensor<6xf32>
  return %out, %back, %sum : tensor<24x3xf32>, tensor<4x6x8xf32>, tensor<6xf32>
}
func.func private @relu(%x: tensor<4x6x8xf32>) -> tensor<4x6x8xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<4x6x8xf32>
  %m = stablehlo.maximum %x, %zero : tensor<4x6x8xf32>
  return %m : tensor<4x6x8xf32>
}
//--- b.mlir
func.func private @relu(%x: tensor<4x6x8xf32>) -> tensor<4x6x8xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<4x6x8xf32>
  %m = stablehlo.maximum %x, %zero : tensor<4x6x8xf32>
  return %m : tensor<4x6x8xf32>
}
func.func @main(%x: tensor<4x6x8xf32> {tessera.dims = "batch, length, hidden"}, %w: tensor<8x8xf32>, %v: tensor<8x3xf32>)
    -> (tensor<24x3xf32>, tensor<4x6x8xf32>, tensor<6xf32>) {
  %y = stablehlo.dot_general %x, %w, contracting_dims = [2] x [0] : (tensor<4x6x8xf32>, tensor<8x8xf32>) -> tensor<4x6x8xf32>
  %z = func.call @relu(%y) : (tensor<4x6x8xf32>) -> tensor<4x6x8xf32>
  %residual = stablehlo.add %x, %z : tensor<4x6x8xf32>
  %flat = stablehlo.reshape %residual : (tensor<4x6x8xf32>) -> tensor<24x8xf32>
  %sorted = "stablehlo.sort"(%flat) <{dimension = 0 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %less = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  }) : (tensor<24x8xf32>) -> tensor<24x8xf32>
  %out = stablehlo.dot_general %sorted, %v, contracting_dims = [1] x [0] : (tensor<24x8xf32>, tensor<8x3xf32>) -> tensor<24x3xf32>
  %back = stablehlo.reshape %sorted : (tensor<24x8xf32>) -> tensor<4x6x8xf32>
  %part = stablehlo.slice %back [0:4, 0:5, 0:8] : (tensor<4x6x8xf32>) -> tensor<4x5x8xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %sum = stablehlo.reduce(%back init: %zero) applies stablehlo.add across dimensions = [0, 2] : (tensor<4x6x8xf32>, tensor<f32>) -> tensor<6xf32>
  return %out, %back, %sum : tensor<24x3xf32>, tensor<4x6x8xf32>, tensor<6xf32>
}
func.func @other(%x: tensor<5xf32>) -> tensor<5xf32> {
  return %x : tensor<5xf32>
}
