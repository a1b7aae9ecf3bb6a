// Two reduce_scatters in a longer sum are one, of the sum of what they scatter.
// RUN: tessera optimize %s --devices 4 --passes=sums,dead | FileCheck %s

// CHECK: %[[SUM:.*]] = stablehlo.add %arg1, %arg2 : tensor<8xf32>
// CHECK-COUNT-1: reduce_scatter
// CHECK-NOT: reduce_scatter
func.func @main(%x: tensor<2xf32>, %a: tensor<8xf32>, %b: tensor<8xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.reduce_scatter"(%a) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
    replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, scatter_dimension = 0 : i64, use_global_device_ids}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<8xf32>) -> tensor<2xf32>
  %1 = stablehlo.add %x, %0 : tensor<2xf32>
  %2 = stablehlo.add %1, %y : tensor<2xf32>
  %3 = "stablehlo.reduce_scatter"(%b) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
    replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, scatter_dimension = 0 : i64, use_global_device_ids}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<8xf32>) -> tensor<2xf32>
  %4 = stablehlo.add %2, %3 : tensor<2xf32>
  return %4 : tensor<2xf32>
}
