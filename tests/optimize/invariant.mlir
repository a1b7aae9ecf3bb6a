// A gather of a weight that a loop only hands on stands before the loop, with what it takes; one of a value that changes stays.
// RUN: tessera optimize %s --devices 2 --passes=invariant,dead | FileCheck %s
// CHECK-LABEL: func.func @main(
// CHECK: stablehlo.negate %arg0
// CHECK-NEXT: [[W:%.*]] = "stablehlo.all_gather"
// CHECK: stablehlo.while
// CHECK: do {
// CHECK: "stablehlo.all_gather"(%iterArg
// CHECK: stablehlo.multiply {{.*}}, [[W]]
func.func @main(%w: tensor<2xf32> {tessera.sharding = "x"}, %x: tensor<4xf32>, %v: tensor<2xf32> {tessera.sharding = "x"}) -> (tensor<4xf32>, tensor<2xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %n = stablehlo.constant dense<5> : tensor<i32>
  %r:4 = stablehlo.while(%i = %zero, %a = %x, %b = %w, %c = %v) : tensor<i32>, tensor<4xf32>, tensor<2xf32>, tensor<2xf32>
    cond {
      %t = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %t : tensor<i1>
    } do {
      %m = stablehlo.negate %b : tensor<2xf32>
      %g = "stablehlo.all_gather"(%m) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> : (tensor<2xf32>) -> tensor<4xf32>
      %h = "stablehlo.all_gather"(%c) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> : (tensor<2xf32>) -> tensor<4xf32>
      %k = stablehlo.multiply %a, %g : tensor<4xf32>
      %l = stablehlo.add %k, %h : tensor<4xf32>
      %d = stablehlo.negate %c : tensor<2xf32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %j, %l, %b, %d : tensor<i32>, tensor<4xf32>, tensor<2xf32>, tensor<2xf32>
    }
  return %r#1, %r#3 : tensor<4xf32>, tensor<2xf32>
}
