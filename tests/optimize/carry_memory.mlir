// A carry grows to what is scattered only as long as the loop holds as much anyway: its carries, and what it uses from outside.
// RUN: tessera optimize %s --devices 4 --passes=carry | FileCheck %s

// Three more parts beside one, a counter and three constants.
// CHECK-LABEL: func.func @too_large(
// CHECK: do {
// CHECK: "stablehlo.reduce_scatter"
// CHECK: stablehlo.return {{.*}} tensor<2x2xi32>
// CHECK: }
// CHECK-NOT: reduce_scatter
// CHECK: return
func.func @too_large(%x: tensor<i32>) -> tensor<2x2xi32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %n = stablehlo.constant dense<5> : tensor<i32>
  %z = stablehlo.constant dense<0> : tensor<2x2xi32>
  %r:2 = stablehlo.while(%i = %zero, %a = %z) : tensor<i32>, tensor<2x2xi32>
    cond {
      %t = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %t : tensor<i1>
    } do {
      %y = stablehlo.broadcast_in_dim %i, dims = [] : (tensor<i32>) -> tensor<8x2xi32>
      %s0 = "stablehlo.reduce_scatter"(%y) <{scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
      ^bb0(%p: tensor<i32>, %q: tensor<i32>):
        %s = stablehlo.add %p, %q : tensor<i32>
        stablehlo.return %s : tensor<i32>
      }) : (tensor<8x2xi32>) -> tensor<2x2xi32>
      %b = stablehlo.add %a, %s0 : tensor<2x2xi32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %j, %b : tensor<i32>, tensor<2x2xi32>
    }
  return %r#1 : tensor<2x2xi32>
}

// Beside as much again.
// CHECK-LABEL: func.func @beside(
// CHECK: do {
// CHECK-NOT: reduce_scatter
// CHECK: stablehlo.return {{.*}} tensor<8x2xi32>
// CHECK: }
// CHECK: reduce_scatter
func.func @beside(%x: tensor<8x2xi32>) -> tensor<2x2xi32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %n = stablehlo.constant dense<5> : tensor<i32>
  %z = stablehlo.constant dense<0> : tensor<2x2xi32>
  %r:2 = stablehlo.while(%i = %zero, %a = %z) : tensor<i32>, tensor<2x2xi32>
    cond {
      %t = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %t : tensor<i1>
    } do {
      %y = stablehlo.broadcast_in_dim %i, dims = [] : (tensor<i32>) -> tensor<8x2xi32>
      %w = stablehlo.multiply %y, %x : tensor<8x2xi32>
      %s0 = "stablehlo.reduce_scatter"(%w) <{scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
      ^bb0(%p: tensor<i32>, %q: tensor<i32>):
        %s = stablehlo.add %p, %q : tensor<i32>
        stablehlo.return %s : tensor<i32>
      }) : (tensor<8x2xi32>) -> tensor<2x2xi32>
      %b = stablehlo.add %a, %s0 : tensor<2x2xi32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %j, %b : tensor<i32>, tensor<2x2xi32>
    }
  return %r#1 : tensor<2x2xi32>
}
