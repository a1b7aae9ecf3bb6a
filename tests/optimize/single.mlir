// --collectives=single: each collective has one operand. The pass `bucket` combines none, and collectives that come with several
// operands are split, body and all, where they stand. That holds for whichever passes run.
// RUN: tessera optimize %s --devices 4 --collectives=single | FileCheck %s
// RUN: tessera optimize %s --devices 4 --collectives=single --passes=bucket,dead | FileCheck %s
// RUN: tessera optimize %s --devices 4 --passes=single | FileCheck %s
// RUN: tessera optimize %s --devices 4 --collectives=combined | FileCheck %s --check-prefix=COMBINED
// RUN: not tessera optimize %s --devices 4 --collectives=double 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not tessera partition %s --collectives=single,double 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: --collectives: collectives have no form 'double'; there are combined, xla, single, bitwise, fenced, major, apart, paced, leading, typed
// CHECK-LABEL: func.func @two(
// CHECK: [[A:%.*]] = "stablehlo.all_reduce"(%arg0)
// CHECK: stablehlo.add
// CHECK: (tensor<4xf32>) -> tensor<4xf32>
// CHECK: [[B:%.*]] = "stablehlo.all_reduce"(%arg1)
// CHECK: stablehlo.add
// CHECK: (tensor<4xf32>) -> tensor<4xf32>
// CHECK: return [[A]], [[B]]
// COMBINED-LABEL: func.func @two(
// COMBINED: "stablehlo.all_reduce"(%arg0, %arg1)
func.func @two(%x: tensor<4xf32> {tessera.sharding = "x"}, %y: tensor<4xf32> {tessera.sharding = "x"}) -> (tensor<4xf32>, tensor<4xf32>) {
  %a = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  %b = "stablehlo.all_reduce"(%y) <{replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return %a, %b : tensor<4xf32>, tensor<4xf32>
}
// A body that is no single op, and a gather and an all_to_all of several operands.
// CHECK-LABEL: func.func @given(
// CHECK: [[A:%.*]] = "stablehlo.all_reduce"(%arg0)
// CHECK: [[D:%.*]] = stablehlo.subtract %{{.*}}, %{{.*}} : tensor<f32>
// CHECK: stablehlo.negate [[D]]
// CHECK: (tensor<4xf32>) -> tensor<4xf32>
// CHECK: [[B:%.*]] = "stablehlo.all_reduce"(%arg1)
// CHECK: [[E:%.*]] = stablehlo.subtract
// CHECK: stablehlo.negate [[E]]
// CHECK: (tensor<8xf32>) -> tensor<8xf32>
// CHECK: [[G:%.*]] = "stablehlo.all_gather"(%arg0)
// CHECK: [[H:%.*]] = "stablehlo.all_gather"(%arg1)
// CHECK: [[T:%.*]] = "stablehlo.all_to_all"(%arg0)
// CHECK: [[U:%.*]] = "stablehlo.all_to_all"(%arg1)
// CHECK: return [[A]], [[B]], [[G]], [[H]], [[T]], [[U]]
func.func @given(%x: tensor<4xf32> {tessera.sharding = "x"}, %y: tensor<8xf32> {tessera.sharding = "x"}) -> (tensor<4xf32>, tensor<8xf32>, tensor<8xf32>, tensor<16xf32>, tensor<4xf32>, tensor<8xf32>) {
  %a:2 = "stablehlo.all_reduce"(%x, %y) <{replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.subtract %p, %q : tensor<f32>
    %n = stablehlo.negate %s : tensor<f32>
    stablehlo.return %n : tensor<f32>
  }) : (tensor<4xf32>, tensor<8xf32>) -> (tensor<4xf32>, tensor<8xf32>)
  %g:2 = "stablehlo.all_gather"(%x, %y) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> : (tensor<4xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<16xf32>)
  %t:2 = "stablehlo.all_to_all"(%x, %y) <{split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}> : (tensor<4xf32>, tensor<8xf32>) -> (tensor<4xf32>, tensor<8xf32>)
  return %a#0, %a#1, %g#0, %g#1, %t#0, %t#1 : tensor<4xf32>, tensor<8xf32>, tensor<8xf32>, tensor<16xf32>, tensor<4xf32>, tensor<8xf32>
}
