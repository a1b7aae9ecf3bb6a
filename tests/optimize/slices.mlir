// A slice stands before what makes the whole, if nothing else uses that.
// RUN: tessera optimize %s --passes=slices | FileCheck %s
// CHECK-LABEL: func.func @chain(
// CHECK-DAG: [[A:%.*]] = stablehlo.slice %arg0 [0:2, 1:2] : (tensor<4x2xf32>) -> tensor<2x1xf32>
// CHECK-DAG: [[T:%.*]] = stablehlo.transpose [[A]], dims = [1, 0] : (tensor<2x1xf32>) -> tensor<1x2xf32>
// CHECK-DAG: [[B:%.*]] = stablehlo.slice %arg1 [0:2]
// CHECK-DAG: [[C:%.*]] = stablehlo.broadcast_in_dim [[B]], dims = [1] : (tensor<2xf32>) -> tensor<1x2xf32>
// CHECK: stablehlo.add [[T]], [[C]] : tensor<1x2xf32>
// CHECK-NEXT: return
func.func @chain(%x: tensor<4x2xf32>, %y: tensor<4xf32>) -> tensor<1x2xf32> {
  %a = stablehlo.transpose %x, dims = [1, 0] : (tensor<4x2xf32>) -> tensor<2x4xf32>
  %b = stablehlo.broadcast_in_dim %y, dims = [1] : (tensor<4xf32>) -> tensor<2x4xf32>
  %c = stablehlo.add %a, %b : tensor<2x4xf32>
  %d = stablehlo.slice %c [1:2, 0:2] : (tensor<2x4xf32>) -> tensor<1x2xf32>
  return %d : tensor<1x2xf32>
}
// CHECK-LABEL: func.func @place(
// CHECK: stablehlo.dynamic_slice %arg0, %arg1, %arg2, sizes = [1, 2]
// CHECK: stablehlo.convert {{.*}} : (tensor<1x2xf32>) -> tensor<1x2xbf16>
func.func @place(%x: tensor<4x2xf32>, %i: tensor<i64>, %j: tensor<i64>) -> tensor<1x2xbf16> {
  %a = stablehlo.convert %x : (tensor<4x2xf32>) -> tensor<4x2xbf16>
  %b = stablehlo.dynamic_slice %a, %i, %j, sizes = [1, 2] : (tensor<4x2xbf16>, tensor<i64>, tensor<i64>) -> tensor<1x2xbf16>
  return %b : tensor<1x2xbf16>
}
// CHECK-LABEL: func.func @stays(
// CHECK-NEXT: stablehlo.negate
// CHECK-NEXT: stablehlo.slice
func.func @stays(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<2xf32>) {
  %a = stablehlo.negate %x : tensor<4xf32>
  %b = stablehlo.slice %a [0:2] : (tensor<4xf32>) -> tensor<2xf32>
  return %a, %b : tensor<4xf32>, tensor<2xf32>
}
