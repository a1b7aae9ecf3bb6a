// An all_reduce moves before linear ops with constants, if these would be kernels of their own between it and a reduction or contraction.
// RUN: tessera optimize %s --devices=4 --passes=early | FileCheck %s

// CHECK-LABEL: func @mean
// CHECK: %[[SUM:.*]] = stablehlo.reduce
// CHECK-NEXT: %[[ALL:.*]] = "stablehlo.all_reduce"(%[[SUM]])
// CHECK: : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %[[ROW:.*]] = stablehlo.broadcast_in_dim %[[ALL]]
// CHECK-NEXT: %[[MEAN:.*]] = stablehlo.divide %[[ROW]]
// CHECK-NEXT: return %[[MEAN]]
func.func @mean(%x: tensor<8x4xf32>) -> tensor<1x4xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %n = stablehlo.constant dense<32.0> : tensor<1x4xf32>
  %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8x4xf32>, tensor<f32>) -> tensor<4xf32>
  %row = stablehlo.broadcast_in_dim %sum, dims = [1] : (tensor<4xf32>) -> tensor<1x4xf32>
  %part = stablehlo.divide %row, %n : tensor<1x4xf32>
  %mean = "stablehlo.all_reduce"(%part) <{replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<1x4xf32>) -> tensor<1x4xf32>
  return %mean : tensor<1x4xf32>
}

// Stay: an op that makes the value smaller (more bytes would be sent), one that does not commute with sums, one whose other operand is no constant,
// one with another user, one that fuses with what is before it, sums of 16-bit floats, and one behind a barrier.
// CHECK-LABEL: func @stay
func.func @stay(%x: tensor<8x4xf32>, %y: tensor<4xf32>, %h: tensor<8x4xbf16>)
    -> (tensor<2xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<8x4xf32>, tensor<4xbf16>, tensor<4xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %half = stablehlo.constant dense<0.5> : tensor<4xf32>
  %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8x4xf32>, tensor<f32>) -> tensor<4xf32>
  // CHECK: %[[SLICE:.*]] = stablehlo.slice
  // CHECK: "stablehlo.all_reduce"(%[[SLICE]])
  %slice = stablehlo.slice %sum [0:2] : (tensor<4xf32>) -> tensor<2xf32>
  %r0 = "stablehlo.all_reduce"(%slice) <{replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<2xf32>) -> tensor<2xf32>
  %exp = stablehlo.exponential %sum : tensor<4xf32>
  %r1 = "stablehlo.all_reduce"(%exp) <{replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  %varying = stablehlo.multiply %sum, %y : tensor<4xf32>
  %r2 = "stablehlo.all_reduce"(%varying) <{replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %[[SHARED:.*]] = stablehlo.multiply {{.*}}, %cst
  // CHECK: "stablehlo.all_reduce"(%[[SHARED]])
  %shared = stablehlo.multiply %sum, %half : tensor<4xf32>
  %r3 = "stablehlo.all_reduce"(%shared) <{replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  %tanh = stablehlo.tanh %x : tensor<8x4xf32>
  %halves = stablehlo.constant dense<0.5> : tensor<8x4xf32>
  %fused = stablehlo.multiply %tanh, %halves : tensor<8x4xf32>
  // CHECK: %[[FUSED:.*]] = stablehlo.multiply
  // CHECK: "stablehlo.all_reduce"(%[[FUSED]])
  %r4 = "stablehlo.all_reduce"(%fused) <{replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<8x4xf32>) -> tensor<8x4xf32>
  %bzero = stablehlo.constant dense<0.0> : tensor<bf16>
  %bhalf = stablehlo.constant dense<0.5> : tensor<4xbf16>
  %bsum = stablehlo.reduce(%h init: %bzero) applies stablehlo.add across dimensions = [0] : (tensor<8x4xbf16>, tensor<bf16>) -> tensor<4xbf16>
  %bscaled = stablehlo.multiply %bsum, %bhalf : tensor<4xbf16>
  // CHECK: %[[NARROW:.*]] = stablehlo.multiply {{.*}} : tensor<4xbf16>
  // CHECK: "stablehlo.all_reduce"(%[[NARROW]])
  %r5 = "stablehlo.all_reduce"(%bscaled) <{replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
  ^bb0(%a: tensor<bf16>, %b: tensor<bf16>):
    %s = stablehlo.add %a, %b : tensor<bf16>
    stablehlo.return %s : tensor<bf16>
  }) : (tensor<4xbf16>) -> tensor<4xbf16>
  %sum2 = stablehlo.reduce(%tanh init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8x4xf32>, tensor<f32>) -> tensor<4xf32>
  %before = stablehlo.multiply %sum2, %half : tensor<4xf32>
  %fence = stablehlo.optimization_barrier %y : tensor<4xf32>
  // CHECK: stablehlo.optimization_barrier
  // CHECK: "stablehlo.all_reduce"
  %r6 = "stablehlo.all_reduce"(%before) <{replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  %after = stablehlo.add %r6, %fence : tensor<4xf32>
  return %r0, %r1, %r2, %r3, %shared, %r4, %r5, %after : tensor<2xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<8x4xf32>, tensor<4xbf16>, tensor<4xf32>
}
