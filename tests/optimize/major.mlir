// --collectives=major: a reduce_scatter followed by a transpose that moves the scattered dimension to the front is done behind the
// transpose, along dimension 0. Otherwise it stays: along dimension 0, moved elsewhere, or with another user.
// RUN: tessera optimize %s --devices 2 --passes=dead --collectives=major | FileCheck %s
// RUN: tessera optimize %s --devices 2 --passes=dead --collectives=major | tessera parse
// CHECK-LABEL: func.func @gradients(
// CHECK-NEXT: [[T:%.*]] = stablehlo.transpose %arg0, dims = [2, 0, 1] : (tensor<4x6x8xf32>) -> tensor<8x4x6xf32>
// CHECK-NEXT: [[A:%.*]] = "stablehlo.reduce_scatter"([[T]]) {{.*}}scatter_dimension = 0 : i64
// CHECK: }) : (tensor<8x4x6xf32>) -> tensor<4x4x6xf32>
// CHECK-NEXT: [[B:%.*]] = "stablehlo.reduce_scatter"(%arg0) {{.*}}scatter_dimension = 0 : i64
// CHECK: }) : (tensor<4x6x8xf32>) -> tensor<2x6x8xf32>
// CHECK: stablehlo.transpose [[B]]
// CHECK-NEXT: [[C:%.*]] = "stablehlo.reduce_scatter"(%arg0) {{.*}}scatter_dimension = 2 : i64
// CHECK: stablehlo.transpose [[C]], dims = [0, 2, 1]
// CHECK-NEXT: [[D:%.*]] = "stablehlo.reduce_scatter"(%arg0) {{.*}}scatter_dimension = 1 : i64
// CHECK: stablehlo.transpose [[D]], dims = [1, 0, 2]
// CHECK: return [[A]]
func.func @gradients(%x: tensor<4x6x8xf32> {tessera.sharding = "x"}) -> (tensor<4x4x6xf32>, tensor<8x2x6xf32>, tensor<4x4x6xf32>, tensor<3x4x8xf32>, tensor<4x3x8xf32>) {
  %a = "stablehlo.reduce_scatter"(%x) <{scatter_dimension = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4x6x8xf32>) -> tensor<4x6x4xf32>
  %at = stablehlo.transpose %a, dims = [2, 0, 1] : (tensor<4x6x4xf32>) -> tensor<4x4x6xf32>
  %b = "stablehlo.reduce_scatter"(%x) <{scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4x6x8xf32>) -> tensor<2x6x8xf32>
  %bt = stablehlo.transpose %b, dims = [2, 0, 1] : (tensor<2x6x8xf32>) -> tensor<8x2x6xf32>
  %c = "stablehlo.reduce_scatter"(%x) <{scatter_dimension = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4x6x8xf32>) -> tensor<4x6x4xf32>
  %ct = stablehlo.transpose %c, dims = [0, 2, 1] : (tensor<4x6x4xf32>) -> tensor<4x4x6xf32>
  %d = "stablehlo.reduce_scatter"(%x) <{scatter_dimension = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4x6x8xf32>) -> tensor<4x3x8xf32>
  %dt = stablehlo.transpose %d, dims = [1, 0, 2] : (tensor<4x3x8xf32>) -> tensor<3x4x8xf32>
  return %at, %bt, %ct, %dt, %d : tensor<4x4x6xf32>, tensor<8x2x6xf32>, tensor<4x4x6xf32>, tensor<3x4x8xf32>, tensor<4x3x8xf32>
}
