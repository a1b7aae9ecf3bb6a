// A sum of which each device takes its own part is a reduce-scatter; of which two take the same part, one among fewer and a smaller sum.
// RUN: tessera optimize %s --devices 4 --passes=scatter,dead | FileCheck %s
// CHECK-LABEL: func.func @own(
// CHECK-NOT: all_reduce
// CHECK: "stablehlo.reduce_scatter"(%arg0) {{.*}}replica_groups = dense<{{\[\[}}0, 1, 2, 3]]> : tensor<1x4xi64>, scatter_dimension = 0
// CHECK: (tensor<8xf32>) -> tensor<2xf32>
// CHECK-NOT: dynamic_slice
func.func @own(%x: tensor<8xf32> {tessera.sharding = "x"}) -> tensor<2xf32> {
  %id = stablehlo.partition_id : tensor<ui32>
  %at = stablehlo.convert %id : (tensor<ui32>) -> tensor<i64>
  %2 = stablehlo.constant dense<2> : tensor<i64>
  %3 = stablehlo.constant dense<3> : tensor<i64>
  %4 = stablehlo.constant dense<4> : tensor<i64>
  %o = stablehlo.multiply %at, %2 : tensor<i64>
  %a = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<8xf32>) -> tensor<8xf32>
  %b = stablehlo.dynamic_slice %a, %o, sizes = [2] : (tensor<8xf32>, tensor<i64>) -> tensor<2xf32>
  return %b : tensor<2xf32>
}
// The other way round: so are the groups.
// CHECK-LABEL: func.func @reversed(
// CHECK: "stablehlo.reduce_scatter"(%arg0) {{.*}}dense<{{\[\[}}3, 2, 1, 0]]>
func.func @reversed(%x: tensor<8xf32> {tessera.sharding = "x"}) -> tensor<2xf32> {
  %id = stablehlo.partition_id : tensor<ui32>
  %at = stablehlo.convert %id : (tensor<ui32>) -> tensor<i64>
  %2 = stablehlo.constant dense<2> : tensor<i64>
  %3 = stablehlo.constant dense<3> : tensor<i64>
  %4 = stablehlo.constant dense<4> : tensor<i64>
  %r = stablehlo.subtract %3, %at : tensor<i64>
  %o = stablehlo.multiply %r, %2 : tensor<i64>
  %a = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<8xf32>) -> tensor<8xf32>
  %b = stablehlo.dynamic_slice %a, %o, sizes = [2] : (tensor<8xf32>, tensor<i64>) -> tensor<2xf32>
  return %b : tensor<2xf32>
}
// CHECK-LABEL: func.func @two_each(
// CHECK: "stablehlo.reduce_scatter"(%arg0) {{.*}}dense<{{\[\[}}0, 2], [1, 3]]>
// CHECK: "stablehlo.all_reduce"({{.*}}dense<{{\[\[}}0, 1], [2, 3]]>
// CHECK: (tensor<4xf32>) -> tensor<4xf32>
func.func @two_each(%x: tensor<8xf32> {tessera.sharding = "x"}) -> tensor<4xf32> {
  %id = stablehlo.partition_id : tensor<ui32>
  %at = stablehlo.convert %id : (tensor<ui32>) -> tensor<i64>
  %2 = stablehlo.constant dense<2> : tensor<i64>
  %3 = stablehlo.constant dense<3> : tensor<i64>
  %4 = stablehlo.constant dense<4> : tensor<i64>
  %h = stablehlo.divide %at, %2 : tensor<i64>
  %o = stablehlo.multiply %h, %4 : tensor<i64>
  %a = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<8xf32>) -> tensor<8xf32>
  %b = stablehlo.dynamic_slice %a, %o, sizes = [4] : (tensor<8xf32>, tensor<i64>) -> tensor<4xf32>
  return %b : tensor<4xf32>
}
// Zeros behind the end are summed with it; not if others use the sum, or the places are not known.
// CHECK-LABEL: func.func @padded(
// CHECK: stablehlo.pad %arg0
// CHECK: "stablehlo.reduce_scatter"
func.func @padded(%x: tensor<7xf32> {tessera.sharding = "x"}) -> tensor<2xf32> {
  %id = stablehlo.partition_id : tensor<ui32>
  %at = stablehlo.convert %id : (tensor<ui32>) -> tensor<i64>
  %2 = stablehlo.constant dense<2> : tensor<i64>
  %3 = stablehlo.constant dense<3> : tensor<i64>
  %4 = stablehlo.constant dense<4> : tensor<i64>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %o = stablehlo.multiply %at, %2 : tensor<i64>
  %a = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<7xf32>) -> tensor<7xf32>
  %p = stablehlo.pad %a, %zero, low = [0], high = [1], interior = [0] : (tensor<7xf32>, tensor<f32>) -> tensor<8xf32>
  %b = stablehlo.dynamic_slice %p, %o, sizes = [2] : (tensor<8xf32>, tensor<i64>) -> tensor<2xf32>
  return %b : tensor<2xf32>
}
// CHECK-LABEL: func.func @stays(
// CHECK-NOT: reduce_scatter
// CHECK: return
func.func @stays(%x: tensor<8xf32> {tessera.sharding = "x"}, %i: tensor<i64>) -> (tensor<8xf32>, tensor<2xf32>, tensor<2xf32>) {
  %id = stablehlo.partition_id : tensor<ui32>
  %at = stablehlo.convert %id : (tensor<ui32>) -> tensor<i64>
  %2 = stablehlo.constant dense<2> : tensor<i64>
  %3 = stablehlo.constant dense<3> : tensor<i64>
  %4 = stablehlo.constant dense<4> : tensor<i64>
  %o = stablehlo.multiply %at, %2 : tensor<i64>
  %a = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<8xf32>) -> tensor<8xf32>
  %b = stablehlo.dynamic_slice %a, %o, sizes = [2] : (tensor<8xf32>, tensor<i64>) -> tensor<2xf32>
  %c = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<8xf32>) -> tensor<8xf32>
  %d = stablehlo.dynamic_slice %c, %i, sizes = [2] : (tensor<8xf32>, tensor<i64>) -> tensor<2xf32>
  return %a, %b, %d : tensor<8xf32>, tensor<2xf32>, tensor<2xf32>
}
