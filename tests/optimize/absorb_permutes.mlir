// A sum is not made before a permute on its way to another sum, if what a group has goes to one group (a roll along one axis of
// the mesh, a sum along the other).
// RUN: tessera optimize %s --devices 4 --passes=absorb | FileCheck %s
// CHECK-LABEL: func.func @together(
// CHECK-NOT: "stablehlo.all_reduce"
// CHECK: "stablehlo.collective_permute"(%arg0)
// CHECK: "stablehlo.all_reduce"
// CHECK-NOT: "stablehlo.all_reduce"
// CHECK-LABEL: func.func @crossed(
func.func @together(%x: tensor<4xf32> {tessera.sharding = "x"}, %y: tensor<4xf32> {tessera.sharding = "x"}) -> tensor<4xf32> {
  %a = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  %b = "stablehlo.all_reduce"(%y) <{replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  %0 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[0, 3], [1, 2]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}> : (tensor<4xf32>) -> tensor<4xf32>
  %1 = stablehlo.add %b, %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}
// Of two groups' parts there is no sum; nor of one part only.
// CHECK-COUNT-2: "stablehlo.all_reduce"
// CHECK: "stablehlo.collective_permute"
// CHECK-LABEL: func.func @torn(
func.func @crossed(%x: tensor<4xf32> {tessera.sharding = "x"}, %y: tensor<4xf32> {tessera.sharding = "x"}) -> tensor<4xf32> {
  %a = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  %b = "stablehlo.all_reduce"(%y) <{replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  %0 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[0, 2], [2, 3]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}> : (tensor<4xf32>) -> tensor<4xf32>
  %1 = stablehlo.add %b, %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}
// CHECK-COUNT-2: "stablehlo.all_reduce"
// CHECK: "stablehlo.collective_permute"
func.func @torn(%x: tensor<4xf32> {tessera.sharding = "x"}, %y: tensor<4xf32> {tessera.sharding = "x"}) -> tensor<4xf32> {
  %a = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  %b = "stablehlo.all_reduce"(%y) <{replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  %0 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[0, 2]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}> : (tensor<4xf32>) -> tensor<4xf32>
  %1 = stablehlo.add %b, %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}
