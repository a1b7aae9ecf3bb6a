// Equal ops are done once, equal gathers too; not across a barrier, not an effect, and not if a gathered tensor would have to be kept
// while others are gathered.
// RUN: tessera optimize %s --passes=share,dead | FileCheck %s
// CHECK-LABEL: func.func @equal(
// CHECK-COUNT-1: "stablehlo.all_gather"
// CHECK-NOT: "stablehlo.all_gather"
// CHECK: stablehlo.add [[G:%.*]], [[G]]
func.func @equal(%w: tensor<2xf32> {tessera.sharding = "x"}) -> tensor<4xf32> {
  %a = "stablehlo.all_gather"(%w) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> : (tensor<2xf32>) -> tensor<4xf32>
  %b = "stablehlo.all_gather"(%w) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> : (tensor<2xf32>) -> tensor<4xf32>
  %c = stablehlo.add %a, %b : tensor<4xf32>
  return %c : tensor<4xf32>
}
// CHECK-LABEL: func.func @bodies(
// CHECK-COUNT-1: "stablehlo.all_reduce"
// CHECK-NOT: "stablehlo.all_reduce"
// CHECK: return
func.func @bodies(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %a = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<2xf32>) -> tensor<2xf32>
  %b = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<2xf32>) -> tensor<2xf32>
  return %a, %b : tensor<2xf32>, tensor<2xf32>
}
// CHECK-LABEL: func.func @barrier(
// CHECK: "stablehlo.all_gather"
// CHECK: optimization_barrier
// CHECK: "stablehlo.all_gather"
func.func @barrier(%w: tensor<2xf32> {tessera.sharding = "x"}, %x: tensor<4xf32>) -> tensor<4xf32> {
  %a = "stablehlo.all_gather"(%w) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> : (tensor<2xf32>) -> tensor<4xf32>
  %y = stablehlo.add %a, %x : tensor<4xf32>
  %z = stablehlo.optimization_barrier %y : tensor<4xf32>
  %b = "stablehlo.all_gather"(%w) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> : (tensor<2xf32>) -> tensor<4xf32>
  %c = stablehlo.add %z, %b : tensor<4xf32>
  return %c : tensor<4xf32>
}
// The weights of three layers, forward and back: the last one is still there, the others are gathered again.
// CHECK-LABEL: func.func @layers(
// CHECK-COUNT-5: "stablehlo.all_gather"
// CHECK-NOT: "stablehlo.all_gather"
// CHECK: return
func.func @layers(%u: tensor<2xf32> {tessera.sharding = "x"}, %v: tensor<2xf32> {tessera.sharding = "x"}, %w: tensor<2xf32> {tessera.sharding = "x"}, %x: tensor<4xf32>) -> tensor<4xf32> {
  %u0 = "stablehlo.all_gather"(%u) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> : (tensor<2xf32>) -> tensor<4xf32>
  %1 = stablehlo.multiply %x, %u0 : tensor<4xf32>
  %v0 = "stablehlo.all_gather"(%v) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> : (tensor<2xf32>) -> tensor<4xf32>
  %2 = stablehlo.multiply %1, %v0 : tensor<4xf32>
  %w0 = "stablehlo.all_gather"(%w) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> : (tensor<2xf32>) -> tensor<4xf32>
  %3 = stablehlo.multiply %2, %w0 : tensor<4xf32>
  %w1 = "stablehlo.all_gather"(%w) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> : (tensor<2xf32>) -> tensor<4xf32>
  %4 = stablehlo.subtract %3, %w1 : tensor<4xf32>
  %v1 = "stablehlo.all_gather"(%v) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> : (tensor<2xf32>) -> tensor<4xf32>
  %5 = stablehlo.subtract %4, %v1 : tensor<4xf32>
  %u1 = "stablehlo.all_gather"(%u) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> : (tensor<2xf32>) -> tensor<4xf32>
  %6 = stablehlo.subtract %5, %u1 : tensor<4xf32>
  return %6 : tensor<4xf32>
}
// CHECK-LABEL: func.func @effects(
// CHECK-COUNT-2: custom_call @log
// CHECK: return
func.func @effects(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = stablehlo.custom_call @log(%x) {has_side_effect = true} : (tensor<4xf32>) -> tensor<4xf32>
  %b = stablehlo.custom_call @log(%x) {has_side_effect = true} : (tensor<4xf32>) -> tensor<4xf32>
  %c = stablehlo.add %a, %b : tensor<4xf32>
  return %c : tensor<4xf32>
}
// CHECK-LABEL: func.func @seen_from_a_loop(
// CHECK: stablehlo.negate
// CHECK: stablehlo.while
// CHECK-NOT: stablehlo.negate
// CHECK: return
func.func @seen_from_a_loop(%x: tensor<f32>, %c: tensor<i1>) -> (tensor<f32>, tensor<f32>) {
  %a = stablehlo.negate %x : tensor<f32>
  %r = stablehlo.while(%i = %x) : tensor<f32>
    cond {
      stablehlo.return %c : tensor<i1>
    } do {
      %b = stablehlo.negate %x : tensor<f32>
      %s = stablehlo.add %i, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }
  return %a, %r : tensor<f32>, tensor<f32>
}
