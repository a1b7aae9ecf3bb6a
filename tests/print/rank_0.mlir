// Ops without dimensions, indices or operands, as MLIR prints them. Everything is printed as MLIR reads it: it does not read
// the `, ,` that it prints for a dynamic_slice without indices, and has no pretty form of torch_index_select.
// RUN: tessera parse %s | FileCheck %s
// RUN: tessera parse %s | tessera parse - | FileCheck %s
func.func @main(%a: tensor<f32>, %none: tensor<0xi64>, %v: tensor<2xf32>, %i: tensor<i32>, %p: tensor<i1>) -> tensor<f32> {
  // CHECK: stablehlo.dynamic_slice %{{.*}}, sizes = [] : (tensor<f32>) -> tensor<f32>
  %0 = stablehlo.dynamic_slice %a, , sizes = [] : (tensor<f32>) -> tensor<f32>
  // CHECK: stablehlo.dynamic_slice %{{.*}}, sizes = [] {foo = 1 : i32} : (tensor<f32>) -> tensor<f32>
  %1 = stablehlo.dynamic_slice %0, , sizes = [] {foo = 1 : i32} : (tensor<f32>) -> tensor<f32>
  // CHECK: stablehlo.dynamic_update_slice %{{.*}}, %{{.*}} : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %2 = stablehlo.dynamic_update_slice %1, %a : (tensor<f32>, tensor<f32>) -> tensor<f32>
  // CHECK: stablehlo.slice %{{.*}} [] : (tensor<f32>) -> tensor<f32>
  %3 = stablehlo.slice %2 [] : (tensor<f32>) -> tensor<f32>
  // CHECK: stablehlo.pad %{{.*}}, %{{.*}}, low = [], high = [], interior = [] : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %4 = stablehlo.pad %3, %a, low = [], high = [], interior = [] : (tensor<f32>, tensor<f32>) -> tensor<f32>
  // CHECK: stablehlo.broadcast_in_dim %{{.*}}, dims = [] : (tensor<f32>) -> tensor<f32>
  %5 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<f32>) -> tensor<f32>
  // CHECK: stablehlo.broadcast %{{.*}}, sizes = [] : (tensor<f32>) -> tensor<f32>
  %6 = stablehlo.broadcast %5, sizes = [] : (tensor<f32>) -> tensor<f32>
  // CHECK: stablehlo.transpose %{{.*}}, dims = [] : (tensor<f32>) -> tensor<f32>
  %7 = stablehlo.transpose %6, dims = [] : (tensor<f32>) -> tensor<f32>
  // CHECK: stablehlo.reverse %{{.*}}, dims = [] : tensor<f32>
  %8 = stablehlo.reverse %7, dims = [] : tensor<f32>
  // CHECK: stablehlo.reduce(%{{.*}} init: %{{.*}}) applies stablehlo.add across dimensions = [] : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %9 = stablehlo.reduce(%8 init: %a) applies stablehlo.add across dimensions = [] : (tensor<f32>, tensor<f32>) -> tensor<f32>
  // CHECK: stablehlo.dot_general %{{.*}}, %{{.*}}, contracting_dims = [] x [] : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %10 = stablehlo.dot_general %9, %a, contracting_dims = [] x [] : (tensor<f32>, tensor<f32>) -> tensor<f32>
  // CHECK: stablehlo.dynamic_broadcast_in_dim %{{.*}}, %{{.*}}, dims = [] : (tensor<f32>, tensor<0xi64>) -> tensor<f32>
  %11 = stablehlo.dynamic_broadcast_in_dim %10, %none, dims = [] : (tensor<f32>, tensor<0xi64>) -> tensor<f32>
  // CHECK: stablehlo.real_dynamic_slice %{{.*}} : (tensor<f32>, tensor<0xi64>, tensor<0xi64>, tensor<0xi64>) -> tensor<f32>
  %12 = stablehlo.real_dynamic_slice %11, %none, %none, %none : (tensor<f32>, tensor<0xi64>, tensor<0xi64>, tensor<0xi64>) -> tensor<f32>
  // CHECK: "stablehlo.map"(%{{.*}}) <{dimensions = array<i64>}>
  %13 = "stablehlo.map"(%12) <{dimensions = array<i64>}> ({
  ^bb0(%x: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) : (tensor<f32>) -> tensor<f32>
  // CHECK: "stablehlo.torch_index_select"(%{{.*}}, %{{.*}}) <{batch_dims = 0 : i64, dim = 0 : i64}> : (tensor<2xf32>, tensor<i32>) -> tensor<f32>
  %14 = "stablehlo.torch_index_select"(%v, %i) <{batch_dims = 0 : i64, dim = 0 : i64}> : (tensor<2xf32>, tensor<i32>) -> tensor<f32>
  // CHECK: stablehlo.custom_call @foo() {has_side_effect = true} : () -> ()
  stablehlo.custom_call @foo() {has_side_effect = true} : () -> ()
  // CHECK: stablehlo.tuple {{ *}}: tuple<>
  %15 = stablehlo.tuple  : tuple<>
  // CHECK: stablehlo.after_all {{ *}}: !stablehlo.token
  %16 = stablehlo.after_all  : !stablehlo.token
  // CHECK: "stablehlo.if"(%{{.*}}) ({
  // CHECK-NEXT: stablehlo.return
  "stablehlo.if"(%p) ({
    stablehlo.return
  }, {
    stablehlo.return
  }) : (tensor<i1>) -> ()
  return %13 : tensor<f32>
}
