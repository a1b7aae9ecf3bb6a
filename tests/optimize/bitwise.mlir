// --collectives=bitwise: XLA has no collective for a bitwise and, or, xor of integers, nor for a xor of booleans. Each device gathers the operands of its
// group and combines them itself. Where each device takes its own shard of the result, an all_to_all instead. Other reductions stay.
// RUN: tessera optimize %s --devices 4 --passes=bitwise | FileCheck %s
// RUN: tessera optimize %s --devices 4 --collectives=xla | FileCheck %s
// RUN: tessera optimize %s --devices 4 --collectives=typed | FileCheck %s --check-prefix=KEPT
// KEPT-COUNT-4: "stablehlo.all_reduce"
// KEPT: "stablehlo.reduce_scatter"
// CHECK-LABEL: func.func @or(
// CHECK: [[R:%.*]] = stablehlo.reshape %arg0 : (tensor<2x3xi8>) -> tensor<1x6xi8>
// CHECK: [[G:%.*]] = "stablehlo.all_gather"([[R]]) <{all_gather_dim = 0 : i64, {{.*}}replica_groups = dense<{{\[\[}}0, 1], [2, 3]]> : tensor<2x2xi64>, use_global_device_ids}> : (tensor<1x6xi8>) -> tensor<2x6xi8>
// CHECK: [[S:%.*]] = stablehlo.reduce([[G]] init: %{{.*}}) applies stablehlo.or across dimensions = [0] : (tensor<2x6xi8>, tensor<i8>) -> tensor<6xi8>
// CHECK: [[T:%.*]] = stablehlo.reshape [[S]] : (tensor<6xi8>) -> tensor<2x3xi8>
// CHECK: return [[T]]
func.func @or(%x: tensor<2x3xi8> {tessera.sharding = "x"}) -> tensor<2x3xi8> {
  %a = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
  ^bb0(%p: tensor<i8>, %q: tensor<i8>):
    %s = stablehlo.or %p, %q : tensor<i8>
    stablehlo.return %s : tensor<i8>
  }) : (tensor<2x3xi8>) -> tensor<2x3xi8>
  return %a : tensor<2x3xi8>
}
// CHECK-LABEL: func.func @xor_of_booleans(
// CHECK: "stablehlo.all_gather"
// CHECK: applies stablehlo.xor across dimensions = [0] : (tensor<4x1xi1>, tensor<i1>) -> tensor<1xi1>
func.func @xor_of_booleans(%x: tensor<i1> {tessera.sharding = "x"}) -> tensor<i1> {
  %a = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
  ^bb0(%p: tensor<i1>, %q: tensor<i1>):
    %s = stablehlo.xor %p, %q : tensor<i1>
    stablehlo.return %s : tensor<i1>
  }) : (tensor<i1>) -> tensor<i1>
  return %a : tensor<i1>
}
// CHECK-LABEL: func.func @stays(
// CHECK-COUNT-2: "stablehlo.all_reduce"
// CHECK-NOT: all_gather
func.func @stays(%x: tensor<4xi1> {tessera.sharding = "x"}, %y: tensor<4xi32> {tessera.sharding = "x"}) -> (tensor<4xi1>, tensor<4xi32>) {
  %a = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
  ^bb0(%p: tensor<i1>, %q: tensor<i1>):
    %s = stablehlo.and %p, %q : tensor<i1>
    stablehlo.return %s : tensor<i1>
  }) : (tensor<4xi1>) -> tensor<4xi1>
  %b = "stablehlo.all_reduce"(%y) <{replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
  ^bb0(%p: tensor<i32>, %q: tensor<i32>):
    %s = stablehlo.maximum %p, %q : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<4xi32>) -> tensor<4xi32>
  return %a, %b : tensor<4xi1>, tensor<4xi32>
}
// The shards of dimension 1 that a device gets lie behind one another: [3, 4, 5] is [3, 2, 2, 5], whose third dimension is the own shard.
// CHECK-LABEL: func.func @scattered(
// CHECK: [[E:%.*]] = "stablehlo.all_to_all"(%arg0) <{{{.*}}concat_dimension = 1 : i64, replica_groups = dense<{{\[\[}}0, 2], [1, 3]]> : tensor<2x2xi64>, split_count = 2 : i64, split_dimension = 1 : i64}> : (tensor<3x4x5xi32>) -> tensor<3x4x5xi32>
// CHECK: [[R:%.*]] = stablehlo.reshape [[E]] : (tensor<3x4x5xi32>) -> tensor<3x2x10xi32>
// CHECK: [[S:%.*]] = stablehlo.reduce([[R]] init: %{{.*}}) applies stablehlo.and across dimensions = [1] : (tensor<3x2x10xi32>, tensor<i32>) -> tensor<3x10xi32>
// CHECK: stablehlo.reshape [[S]] : (tensor<3x10xi32>) -> tensor<3x2x5xi32>
func.func @scattered(%x: tensor<3x4x5xi32> {tessera.sharding = "x"}) -> tensor<3x2x5xi32> {
  %a = "stablehlo.reduce_scatter"(%x) <{scatter_dimension = 1 : i64, replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
  ^bb0(%p: tensor<i32>, %q: tensor<i32>):
    %s = stablehlo.and %p, %q : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<3x4x5xi32>) -> tensor<3x2x5xi32>
  return %a : tensor<3x2x5xi32>
}
