// A gather of which each device takes what it gave, less, what its neighbour gave, or what two gave.
// RUN: tessera optimize %s --devices 4 --passes=gather,dead | FileCheck %s
// CHECK-LABEL: func.func @own(
// CHECK-NEXT: return %arg0
func.func @own(%x: tensor<2xf32> {tessera.sharding = "x"}) -> tensor<2xf32> {
  %id = stablehlo.partition_id : tensor<ui32>
  %at = stablehlo.convert %id : (tensor<ui32>) -> tensor<i64>
  %2 = stablehlo.constant dense<2> : tensor<i64>
  %3 = stablehlo.constant dense<3> : tensor<i64>
  %4 = stablehlo.constant dense<4> : tensor<i64>
  %o = stablehlo.multiply %at, %2 : tensor<i64>
  %a = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> : (tensor<2xf32>) -> tensor<8xf32>
  %b = stablehlo.dynamic_slice %a, %o, sizes = [2] : (tensor<8xf32>, tensor<i64>) -> tensor<2xf32>
  return %b : tensor<2xf32>
}
// CHECK-LABEL: func.func @less(
// CHECK-NOT: all_gather
// CHECK: stablehlo.dynamic_slice %arg0
func.func @less(%x: tensor<4xf32> {tessera.sharding = "x"}) -> tensor<2xf32> {
  %id = stablehlo.partition_id : tensor<ui32>
  %at = stablehlo.convert %id : (tensor<ui32>) -> tensor<i64>
  %2 = stablehlo.constant dense<2> : tensor<i64>
  %3 = stablehlo.constant dense<3> : tensor<i64>
  %4 = stablehlo.constant dense<4> : tensor<i64>
  %m = stablehlo.multiply %at, %4 : tensor<i64>
  %o = stablehlo.add %m, %2 : tensor<i64>
  %a = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> : (tensor<4xf32>) -> tensor<16xf32>
  %b = stablehlo.dynamic_slice %a, %o, sizes = [2] : (tensor<16xf32>, tensor<i64>) -> tensor<2xf32>
  return %b : tensor<2xf32>
}
// CHECK-LABEL: func.func @neighbour(
// CHECK-NOT: all_gather
// CHECK: "stablehlo.collective_permute"(%arg0) {{.*}}dense<{{\[\[}}3, 0], [2, 1], [1, 2], [0, 3]]>
func.func @neighbour(%x: tensor<2xf32> {tessera.sharding = "x"}) -> tensor<2xf32> {
  %id = stablehlo.partition_id : tensor<ui32>
  %at = stablehlo.convert %id : (tensor<ui32>) -> tensor<i64>
  %2 = stablehlo.constant dense<2> : tensor<i64>
  %3 = stablehlo.constant dense<3> : tensor<i64>
  %4 = stablehlo.constant dense<4> : tensor<i64>
  %r = stablehlo.subtract %3, %at : tensor<i64>
  %o = stablehlo.multiply %r, %2 : tensor<i64>
  %a = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> : (tensor<2xf32>) -> tensor<8xf32>
  %b = stablehlo.dynamic_slice %a, %o, sizes = [2] : (tensor<8xf32>, tensor<i64>) -> tensor<2xf32>
  return %b : tensor<2xf32>
}
// CHECK-LABEL: func.func @two(
// CHECK: "stablehlo.all_gather"(%arg0) {{.*}}dense<{{\[\[}}0, 1], [2, 3]]>
// CHECK-NOT: dynamic_slice
func.func @two(%x: tensor<2xf32> {tessera.sharding = "x"}) -> tensor<4xf32> {
  %id = stablehlo.partition_id : tensor<ui32>
  %at = stablehlo.convert %id : (tensor<ui32>) -> tensor<i64>
  %2 = stablehlo.constant dense<2> : tensor<i64>
  %3 = stablehlo.constant dense<3> : tensor<i64>
  %4 = stablehlo.constant dense<4> : tensor<i64>
  %h = stablehlo.divide %at, %2 : tensor<i64>
  %o = stablehlo.multiply %h, %4 : tensor<i64>
  %a = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> : (tensor<2xf32>) -> tensor<8xf32>
  %b = stablehlo.dynamic_slice %a, %o, sizes = [4] : (tensor<8xf32>, tensor<i64>) -> tensor<4xf32>
  return %b : tensor<4xf32>
}
// A slice without elements is left as it is.
// CHECK-LABEL: func.func @none(
func.func @none(%x: tensor<2xf32> {tessera.sharding = "x"}) -> tensor<0xf32> {
  %id = stablehlo.partition_id : tensor<ui32>
  %at = stablehlo.convert %id : (tensor<ui32>) -> tensor<i64>
  %2 = stablehlo.constant dense<2> : tensor<i64>
  %o = stablehlo.multiply %at, %2 : tensor<i64>
  %a = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> : (tensor<2xf32>) -> tensor<8xf32>
  %b = stablehlo.dynamic_slice %a, %o, sizes = [0] : (tensor<8xf32>, tensor<i64>) -> tensor<0xf32>
  return %b : tensor<0xf32>
}
