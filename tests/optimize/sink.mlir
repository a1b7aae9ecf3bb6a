// Gathers stand where least is gathered: behind what joins, narrows or slices.
// RUN: tessera optimize %s --devices 2 --passes=sink,dead | FileCheck %s
// CHECK-LABEL: func.func @join(
// CHECK-DAG: [[K:%.*]] = stablehlo.constant dense<3.000000e+00> : tensor<2xf32>
// CHECK: [[M:%.*]] = stablehlo.multiply %arg0, [[K]] : tensor<2xf32>
// CHECK: [[S:%.*]] = stablehlo.add [[M]], %arg1 : tensor<2xf32>
// CHECK-NEXT: "stablehlo.all_gather"([[S]])
// CHECK-NEXT: return
func.func @join(%x: tensor<2xf32> {tessera.sharding = "x"}, %y: tensor<2xf32> {tessera.sharding = "x"}) -> tensor<4xf32> {
  %k = stablehlo.constant dense<3.0> : tensor<4xf32>
  %a = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> : (tensor<2xf32>) -> tensor<4xf32>
  %b = "stablehlo.all_gather"(%y) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> : (tensor<2xf32>) -> tensor<4xf32>
  %c = stablehlo.multiply %a, %k : tensor<4xf32>
  %d = stablehlo.add %c, %b : tensor<4xf32>
  return %d : tensor<4xf32>
}
// CHECK-LABEL: func.func @narrow(
// CHECK: stablehlo.convert %arg0 : (tensor<2xf32>) -> tensor<2xbf16>
// CHECK-NEXT: "stablehlo.all_gather"
func.func @narrow(%x: tensor<2xf32> {tessera.sharding = "x"}) -> tensor<4xbf16> {
  %a = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> : (tensor<2xf32>) -> tensor<4xf32>
  %b = stablehlo.convert %a : (tensor<4xf32>) -> tensor<4xbf16>
  return %b : tensor<4xbf16>
}
// One layer of a stack of weights: only that is gathered. Not if devices take different ones.
// CHECK-LABEL: func.func @layer(
// CHECK: stablehlo.dynamic_slice %arg0, %arg1, %arg1, sizes = [1, 2]
// CHECK: "stablehlo.all_gather"{{.*}} : (tensor<1x2xf32>) -> tensor<1x4xf32>
// CHECK: "stablehlo.all_gather"(%arg0)
func.func @layer(%x: tensor<8x2xf32> {tessera.sharding = "x"}, %i: tensor<i64>, %j: tensor<i64> {tessera.sharding = "x"}) -> (tensor<1x4xf32>, tensor<1x4xf32>) {
  %a = "stablehlo.all_gather"(%x) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> : (tensor<8x2xf32>) -> tensor<8x4xf32>
  %b = stablehlo.dynamic_slice %a, %i, %i, sizes = [1, 4] : (tensor<8x4xf32>, tensor<i64>, tensor<i64>) -> tensor<1x4xf32>
  %c = "stablehlo.all_gather"(%x) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> : (tensor<8x2xf32>) -> tensor<8x4xf32>
  %d = stablehlo.dynamic_slice %c, %j, %i, sizes = [1, 4] : (tensor<8x4xf32>, tensor<i64>, tensor<i64>) -> tensor<1x4xf32>
  return %b, %d : tensor<1x4xf32>, tensor<1x4xf32>
}
// CHECK-LABEL: func.func @stays(
// CHECK: "stablehlo.all_gather"(%arg0)
// CHECK-NEXT: stablehlo.add
// CHECK: "stablehlo.all_gather"(%arg0)
// CHECK-NEXT: stablehlo.optimization_barrier
func.func @stays(%x: tensor<2xf32> {tessera.sharding = "x"}, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %a = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> : (tensor<2xf32>) -> tensor<4xf32>
  %b = stablehlo.add %a, %y : tensor<4xf32>
  %c = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> : (tensor<2xf32>) -> tensor<4xf32>
  %d = stablehlo.optimization_barrier %y : tensor<4xf32>
  %e = stablehlo.negate %c : tensor<4xf32>
  %f = stablehlo.add %d, %e : tensor<4xf32>
  return %b, %f : tensor<4xf32>, tensor<4xf32>
}
