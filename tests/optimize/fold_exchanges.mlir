// What all devices have alike is not exchanged: gathers of constants, sums of zeros. A permute of ones stays: who is sent nothing
// has zeros.
// RUN: tessera optimize %s --devices 2 --passes=fold,dead | FileCheck %s
// CHECK-LABEL: func.func @main(
// CHECK-NEXT: stablehlo.constant dense<1.000000e+00> : tensor<2x4xf32>
// CHECK-NEXT: stablehlo.constant dense<1.000000e+00> : tensor<4x4xf32>
// CHECK-NEXT: stablehlo.constant dense<1.000000e+00> : tensor<4x2xf32>
// CHECK-NEXT: stablehlo.constant dense<0.000000e+00> : tensor<2x4xf32>
// CHECK-NEXT: stablehlo.constant dense<0.000000e+00> : tensor<1x4xf32>
// CHECK-NEXT: stablehlo.constant dense<0.000000e+00> : tensor<2x4xf32>
// CHECK-NEXT: collective_permute
// CHECK-NEXT: "stablehlo.all_reduce"
// CHECK-NOT: all_reduce
module attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
func.func @main() -> (tensor<4x4xf32>, tensor<4x2xf32>, tensor<2x4xf32>, tensor<1x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>) {
  %one = stablehlo.constant dense<1.0> : tensor<2x4xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<2x4xf32>
  %a = "stablehlo.all_gather"(%one) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<2x4xf32>) -> tensor<4x4xf32>
  %b = "stablehlo.all_to_all"(%one) <{split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2x4xf32>) -> tensor<4x2xf32>
  %c = "stablehlo.all_reduce"(%zero) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %d = "stablehlo.reduce_scatter"(%zero) <{scatter_dimension = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<2x4xf32>) -> tensor<1x4xf32>
  %e = "stablehlo.collective_permute"(%zero) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %f = "stablehlo.collective_permute"(%one) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %g = "stablehlo.all_reduce"(%one) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return %a, %b, %c, %d, %e, %f, %g : tensor<4x4xf32>, tensor<4x2xf32>, tensor<2x4xf32>, tensor<1x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>
}
}
