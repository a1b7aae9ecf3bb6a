// Sums of 16-bit floats, formed in f32 and rounded once, are treated as those of f32: two that are added meet, one of which each
// device takes its part is scattered, small ones are combined, also with those of f32. In the text each is an op from bf16 to f32
// and a convert, which stands where it is first needed.
// RUN: split-file %s %t
// RUN: tessera optimize %t/sums.mlir --devices 4 | FileCheck %s
// RUN: sed 's/bf16/f16/g' %t/sums.mlir | tessera optimize --devices 4 | sed 's/f16/bf16/g' | FileCheck %s
// RUN: tessera optimize %t/sums.mlir --devices 4 --collectives=typed | FileCheck %s --check-prefix=TYPED
// RUN: sed 's/bf16/f16/g' %t/sums.mlir | tessera optimize --devices 4 --collectives=typed | FileCheck %s --check-prefix=HALF
// RUN: tessera optimize %t/given.mlir --devices 2 --passes=dead | FileCheck %s --check-prefix=GIVEN
// RUN: tessera optimize %t/given.mlir --devices 2 --passes=dead | tessera optimize --devices 2 --passes=dead | FileCheck %s --check-prefix=GIVEN
// CHECK-LABEL: func.func @meet(
// CHECK-NEXT: [[X:%.*]] = stablehlo.add %arg0, %arg1 : tensor<4xbf16>
// CHECK-NEXT: [[S:%.*]] = "stablehlo.all_reduce"([[X]])
// CHECK-NEXT: tensor<f32>, {{.*}} tensor<f32>
// CHECK: (tensor<4xbf16>) -> tensor<4xf32>
// CHECK-NEXT: [[R:%.*]] = stablehlo.convert [[S]] : (tensor<4xf32>) -> tensor<4xbf16>
// CHECK-NEXT: return [[R]]
// TYPED-LABEL: func.func @meet(
// TYPED-NEXT: [[X:%.*]] = stablehlo.add %arg0, %arg1 : tensor<4xbf16>
// TYPED-NEXT: [[S:%.*]] = "stablehlo.all_reduce"([[X]])
// TYPED-NEXT: tensor<bf16>, {{.*}} tensor<bf16>
// TYPED: (tensor<4xbf16>) -> tensor<4xbf16>
// TYPED-NEXT: return [[S]]
// HALF-LABEL: func.func @meet(
// HALF-NEXT: [[X:%.*]] = stablehlo.add %arg0, %arg1 : tensor<4xf16>
// HALF-NEXT: [[W:%.*]] = stablehlo.convert [[X]] : (tensor<4xf16>) -> tensor<4xf32>
// HALF-NEXT: [[S:%.*]] = "stablehlo.all_reduce"([[W]])
// HALF: (tensor<4xf32>) -> tensor<4xf32>
// HALF-NEXT: [[R:%.*]] = stablehlo.convert [[S]] : (tensor<4xf32>) -> tensor<4xf16>
// HALF-NEXT: return [[R]]
//--- sums.mlir
func.func @meet(%x: tensor<4xbf16> {tessera.sharding = "x"}, %y: tensor<4xbf16> {tessera.sharding = "x"}) -> tensor<4xbf16> {
  %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xbf16>) -> tensor<4xf32>
  %1 = stablehlo.convert %0 : (tensor<4xf32>) -> tensor<4xbf16>
  %2 = "stablehlo.all_reduce"(%y) <{replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xbf16>) -> tensor<4xf32>
  %3 = stablehlo.convert %2 : (tensor<4xf32>) -> tensor<4xbf16>
  %4 = stablehlo.add %1, %3 : tensor<4xbf16>
  return %4 : tensor<4xbf16>
}
// CHECK-LABEL: func.func @scattered(
// CHECK: "stablehlo.reduce_scatter"(%arg0)
// CHECK: (tensor<8xbf16>) -> tensor<2xf32>
// CHECK: stablehlo.convert {{.*}} -> tensor<2xbf16>
// TYPED-LABEL: func.func @scattered(
// TYPED: (tensor<8xbf16>) -> tensor<2xbf16>
// HALF-LABEL: func.func @scattered(
// HALF: stablehlo.convert %arg0 : (tensor<8xf16>) -> tensor<8xf32>
// HALF: (tensor<8xf32>) -> tensor<2xf32>
func.func @scattered(%x: tensor<8xbf16> {tessera.sharding = "x"}) -> tensor<2xbf16> {
  %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<8xbf16>) -> tensor<8xf32>
  %1 = stablehlo.convert %0 : (tensor<8xf32>) -> tensor<8xbf16>
  %id = stablehlo.partition_id : tensor<ui32>
  %n = stablehlo.convert %id : (tensor<ui32>) -> tensor<i64>
  %two = stablehlo.constant dense<2> : tensor<i64>
  %at = stablehlo.multiply %n, %two : tensor<i64>
  %2 = stablehlo.dynamic_slice %1, %at, sizes = [2] : (tensor<8xbf16>, tensor<i64>) -> tensor<2xbf16>
  return %2 : tensor<2xbf16>
}
// One collective with the loss, which is f32; the operations between need neither result.
// CHECK-LABEL: func.func @combined(
// CHECK: [[R:%.*]]:3 = "stablehlo.all_reduce"(%arg0, %arg1, %arg2)
// CHECK: (tensor<4xbf16>, tensor<8xbf16>, tensor<f32>) -> (tensor<4xf32>, tensor<8xf32>, tensor<f32>)
// CHECK-NEXT: [[T:%.*]] = stablehlo.tanh %arg1
// CHECK-NEXT: [[B:%.*]] = stablehlo.convert [[R]]#1 : (tensor<8xf32>) -> tensor<8xbf16>
// CHECK-NEXT: [[U:%.*]] = stablehlo.multiply [[T]], [[B]]
// CHECK-NEXT: [[A:%.*]] = stablehlo.convert [[R]]#0 : (tensor<4xf32>) -> tensor<4xbf16>
// CHECK-NEXT: return [[A]], [[U]], [[R]]#2
// TYPED-LABEL: func.func @combined(
// TYPED: "stablehlo.all_reduce"(%arg0, %arg1)
// TYPED: (tensor<4xbf16>, tensor<8xbf16>) -> (tensor<4xbf16>, tensor<8xbf16>)
// TYPED: "stablehlo.all_reduce"(%arg2)
func.func @combined(%x: tensor<4xbf16> {tessera.sharding = "x"}, %y: tensor<8xbf16> {tessera.sharding = "x"}, %z: tensor<f32> {tessera.sharding = "x"}) -> (tensor<4xbf16>, tensor<8xbf16>, tensor<f32>) {
  %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xbf16>) -> tensor<4xf32>
  %1 = stablehlo.convert %0 : (tensor<4xf32>) -> tensor<4xbf16>
  %2 = "stablehlo.all_reduce"(%y) <{replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<8xbf16>) -> tensor<8xf32>
  %3 = stablehlo.convert %2 : (tensor<8xf32>) -> tensor<8xbf16>
  %4 = "stablehlo.all_reduce"(%z) <{replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<f32>) -> tensor<f32>
  %5 = stablehlo.tanh %y : tensor<8xbf16>
  %6 = stablehlo.multiply %5, %3 : tensor<8xbf16>
  return %1, %6, %4 : tensor<4xbf16>, tensor<8xbf16>, tensor<f32>
}
// A sum whose f32 result is also used as such keeps it: rounding it does not commute with adding up.
// CHECK-LABEL: func.func @kept(
// CHECK: [[S:%.*]] = "stablehlo.all_reduce"(%arg0)
// CHECK-DAG: stablehlo.convert [[S]]
// CHECK-DAG: stablehlo.negate [[S]] : tensor<4xf32>
// HALF-LABEL: func.func @kept(
// HALF: [[W:%.*]] = stablehlo.convert %arg0
// HALF: [[S:%.*]] = "stablehlo.all_reduce"([[W]])
// TYPED-LABEL: func.func @kept(
// TYPED: [[W:%.*]] = stablehlo.convert %arg0
// TYPED: [[S:%.*]] = "stablehlo.all_reduce"([[W]])
func.func @kept(%x: tensor<4xbf16> {tessera.sharding = "x"}) -> (tensor<4xbf16>, tensor<4xf32>) {
  %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xbf16>) -> tensor<4xf32>
  %1 = stablehlo.convert %0 : (tensor<4xf32>) -> tensor<4xbf16>
  %2 = stablehlo.negate %0 : tensor<4xf32>
  return %1, %2 : tensor<4xbf16>, tensor<4xf32>
}
// A loop that only adds up: the sum leaves it, as in f32.
// CHECK-LABEL: func.func @loop(
// CHECK: stablehlo.while
// CHECK-NOT: all_reduce
// CHECK: } do {
// CHECK-NOT: all_reduce
// CHECK: stablehlo.return
// CHECK: "stablehlo.all_reduce"
// CHECK: (tensor<4xbf16>) -> tensor<4xf32>
func.func @loop(%x: tensor<3x4xbf16> {tessera.sharding = "x"}) -> tensor<4xbf16> {
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %zeros = stablehlo.constant dense<0.0> : tensor<4xbf16>
  %w:2 = stablehlo.while(%i = %zero, %c = %zeros) : tensor<i64>, tensor<4xbf16>
  cond {
    %n = stablehlo.constant dense<3> : tensor<i64>
    %t = stablehlo.compare LT, %i, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %t : tensor<i1>
  } do {
    %r = stablehlo.dynamic_slice %x, %i, %zero, sizes = [1, 4] : (tensor<3x4xbf16>, tensor<i64>, tensor<i64>) -> tensor<1x4xbf16>
    %v = stablehlo.reshape %r : (tensor<1x4xbf16>) -> tensor<4xbf16>
    %0 = "stablehlo.all_reduce"(%v) <{replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %s = stablehlo.add %p, %q : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<4xbf16>) -> tensor<4xf32>
    %1 = stablehlo.convert %0 : (tensor<4xf32>) -> tensor<4xbf16>
    %2 = stablehlo.add %c, %1 : tensor<4xbf16>
    %one = stablehlo.constant dense<1> : tensor<i64>
    %j = stablehlo.add %i, %one : tensor<i64>
    stablehlo.return %j, %2 : tensor<i64>, tensor<4xbf16>
  }
  return %w#1 : tensor<4xbf16>
}
// A sum that somebody wrote with one type is formed in f32, too.
// GIVEN: [[S:%.*]] = "stablehlo.all_reduce"(%arg0)
// GIVEN: (tensor<4xbf16>) -> tensor<4xf32>
// GIVEN-NEXT: [[R:%.*]] = stablehlo.convert [[S]]
// GIVEN-NEXT: [[B:%.*]] = stablehlo.optimization_barrier %arg0
// GIVEN-NEXT: stablehlo.add [[R]], [[B]]
//--- given.mlir
func.func @given(%x: tensor<4xbf16> {tessera.sharding = "x"}) -> tensor<4xbf16> {
  %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
  ^bb0(%p: tensor<bf16>, %q: tensor<bf16>):
    %s = stablehlo.add %p, %q : tensor<bf16>
    stablehlo.return %s : tensor<bf16>
  }) : (tensor<4xbf16>) -> tensor<4xbf16>
  %1 = stablehlo.optimization_barrier %x : tensor<4xbf16>
  %2 = stablehlo.add %0, %1 : tensor<4xbf16>
  return %2 : tensor<4xbf16>
}
