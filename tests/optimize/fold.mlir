// Arithmetic of places is computed, ops that change nothing go, moves in a row become one.
// RUN: tessera optimize %s --passes=fold,dead | FileCheck %s
// CHECK-LABEL: func.func @index(
// CHECK-NEXT: stablehlo.constant dense<10> : tensor<i64>
// CHECK-NEXT: return
func.func @index() -> tensor<i64> {
  %2 = stablehlo.constant dense<2> : tensor<i64>
  %5 = stablehlo.constant dense<5> : tensor<i64>
  %0 = stablehlo.constant dense<0> : tensor<i64>
  %a = stablehlo.multiply %2, %5 : tensor<i64>
  %b = stablehlo.add %a, %0 : tensor<i64>
  return %b : tensor<i64>
}
// CHECK-LABEL: func.func @neutral(
// CHECK-NEXT: return %arg0
func.func @neutral(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %one = stablehlo.constant dense<1.0> : tensor<4x4xf32>
  %none = stablehlo.constant dense<-0.0> : tensor<4x4xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %i = stablehlo.constant dense<0> : tensor<i64>
  %a = stablehlo.multiply %x, %one : tensor<4x4xf32>
  %b = stablehlo.add %none, %a : tensor<4x4xf32>
  %c = stablehlo.slice %b [0:4, 0:4] : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %d = stablehlo.pad %c, %zero, low = [0, 0], high = [0, 0], interior = [0, 0] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4x4xf32>
  %e = stablehlo.reshape %d : (tensor<4x4xf32>) -> tensor<16xf32>
  %f = stablehlo.reshape %e : (tensor<16xf32>) -> tensor<4x4xf32>
  %g = stablehlo.transpose %f, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %h = stablehlo.transpose %g, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %k = stablehlo.convert %h : (tensor<4x4xf32>) -> tensor<4x4xf64>
  %l = stablehlo.convert %k : (tensor<4x4xf64>) -> tensor<4x4xf32>
  %m = stablehlo.dynamic_slice %l, %i, %i, sizes = [4, 4] : (tensor<4x4xf32>, tensor<i64>, tensor<i64>) -> tensor<4x4xf32>
  return %m : tensor<4x4xf32>
}
// +0.0 is not neutral: -0.0 + 0.0 is 0.0. Rounding does not go.
// CHECK-LABEL: func.func @not_neutral(
// CHECK: stablehlo.add
// CHECK: stablehlo.convert {{.*}} -> tensor<4xbf16>
// CHECK: stablehlo.convert {{.*}} -> tensor<4xf32>
func.func @not_neutral(%x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<4xf32>
  %a = stablehlo.add %x, %zero : tensor<4xf32>
  %b = stablehlo.convert %a : (tensor<4xf32>) -> tensor<4xbf16>
  %c = stablehlo.convert %b : (tensor<4xbf16>) -> tensor<4xf32>
  return %c : tensor<4xf32>
}
// A part of one value is that value; a part at a known place, clamped, is a slice.
// CHECK-LABEL: func.func @parts(
// CHECK-DAG: stablehlo.constant dense<2.000000e+00> : tensor<2xf32>
// CHECK-DAG: stablehlo.slice %arg0 [6:8]
// CHECK-NOT: dynamic_slice
// CHECK: return
func.func @parts(%x: tensor<8xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %two = stablehlo.constant dense<2.0> : tensor<f32>
  %i = stablehlo.constant dense<7> : tensor<i64>
  %all = stablehlo.broadcast_in_dim %two, dims = [] : (tensor<f32>) -> tensor<8xf32>
  %a = stablehlo.dynamic_slice %all, %i, sizes = [2] : (tensor<8xf32>, tensor<i64>) -> tensor<2xf32>
  %b = stablehlo.dynamic_slice %x, %i, sizes = [2] : (tensor<8xf32>, tensor<i64>) -> tensor<2xf32>
  return %a, %b : tensor<2xf32>, tensor<2xf32>
}
// Of four devices, the remainder by four is the number itself, and by one it is nothing.
// RUN: tessera optimize %s --devices 4 --passes=fold,dead | FileCheck %s --check-prefix=FOUR
// FOUR-LABEL: func.func @places(
// FOUR: [[P:%.*]] = stablehlo.convert
// FOUR-NOT: stablehlo.remainder
// FOUR: return [[P]], %c
func.func @places() -> (tensor<i64>, tensor<i64>) {
  %id = stablehlo.partition_id : tensor<ui32>
  %p = stablehlo.convert %id : (tensor<ui32>) -> tensor<i64>
  %4 = stablehlo.constant dense<4> : tensor<i64>
  %a = stablehlo.remainder %p, %4 : tensor<i64>
  %b = stablehlo.divide %p, %4 : tensor<i64>
  return %a, %b : tensor<i64>, tensor<i64>
}
