// A sum all of whose ways lead to other sums is not made: through a product with what all have alike, a slice that is padded
// again, and two sums in a row; both others stay.
// RUN: tessera optimize %s --devices 2 --passes=absorb | FileCheck %s
// CHECK-LABEL: func.func @main(
// CHECK-COUNT-2: "stablehlo.all_reduce"
// CHECK-NOT: "stablehlo.all_reduce"
// CHECK-LABEL: func.func @returned(
func.func @main(%x: tensor<4xf32> {tessera.sharding = "x"}, %y: tensor<4xf32> {tessera.sharding = "x"}, %z: tensor<4xf32> {tessera.sharding = "x"}, %k: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %a = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  %b = "stablehlo.all_reduce"(%y) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  %c = "stablehlo.all_reduce"(%z) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  %0 = stablehlo.multiply %a, %k : tensor<4xf32>
  %1 = stablehlo.slice %a [3:4] : (tensor<4xf32>) -> tensor<1xf32>
  %2 = stablehlo.pad %1, %zero, low = [0], high = [3], interior = [0] : (tensor<1xf32>, tensor<f32>) -> tensor<4xf32>
  %3 = stablehlo.add %b, %0 : tensor<4xf32>
  %4 = stablehlo.add %2, %3 : tensor<4xf32>
  %5 = stablehlo.add %0, %c : tensor<4xf32>
  return %4, %5 : tensor<4xf32>, tensor<4xf32>
}
// One of its ways leads out: it must be made.
// CHECK-COUNT-2: "stablehlo.all_reduce"
// CHECK: stablehlo.add
// CHECK-NEXT: return
func.func @returned(%x: tensor<4xf32> {tessera.sharding = "x"}, %y: tensor<4xf32> {tessera.sharding = "x"}) -> (tensor<4xf32>, tensor<4xf32>) {
  %a = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  %b = "stablehlo.all_reduce"(%y) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  %c = stablehlo.add %a, %b : tensor<4xf32>
  return %c, %a : tensor<4xf32>, tensor<4xf32>
}
