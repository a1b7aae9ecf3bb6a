// A loop that adds up scattered sums carries all of them, and they are scattered once behind it.
// RUN: tessera optimize %s --devices 2 --passes=carry | FileCheck %s
// The answers stay: on both devices.
// RUN: tessera run --engine=eval %s --partitions=2 --entry=main > %t.before
// RUN: tessera optimize %s --devices 2 | tessera run --engine=eval - --partitions=2 --entry=main > %t.after
// RUN: diff %t.before %t.after
// RUN: tessera optimize %s --devices 2 --passes=carry | tessera run --engine=eval - --partitions=2 --entry=main > %t.after
// RUN: diff %t.before %t.after

func.func @main(%x: tensor<4x3xi32>, %y: tensor<2x3xi32>) -> (tensor<2x3xi32>, tensor<3x2xi32>, tensor<2x3xi32>) {
  %id = stablehlo.partition_id : tensor<ui32>
  %i = stablehlo.convert %id : (tensor<ui32>) -> tensor<i32>
  %big = stablehlo.broadcast_in_dim %i, dims = [] : (tensor<i32>) -> tensor<4x3xi32>
  %small = stablehlo.broadcast_in_dim %i, dims = [] : (tensor<i32>) -> tensor<2x3xi32>
  %mine = stablehlo.add %x, %big : tensor<4x3xi32>
  %part = stablehlo.add %y, %small : tensor<2x3xi32>
  %a = call @zeros(%mine) : (tensor<4x3xi32>) -> tensor<2x3xi32>
  %b = call @turned(%mine, %part) : (tensor<4x3xi32>, tensor<2x3xi32>) -> tensor<3x2xi32>
  %c = call @two(%mine, %part) : (tensor<4x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
  return %a, %b, %c : tensor<2x3xi32>, tensor<3x2xi32>, tensor<2x3xi32>
}

// CHECK-LABEL: func.func private @zeros(
// CHECK: [[Z:%.*]] = stablehlo.constant dense<0> : tensor<4x3xi32>
// CHECK: [[R:%.*]]:2 = stablehlo.while({{.*}}[[A:%iterArg.*]] = [[Z]])
// CHECK-NOT: reduce_scatter
// CHECK: stablehlo.add [[A]], %arg0 : tensor<4x3xi32>
// CHECK: }
// CHECK: "stablehlo.reduce_scatter"([[R]]#1)
// CHECK: (tensor<4x3xi32>) -> tensor<2x3xi32>
func.func private @zeros(%x: tensor<4x3xi32>) -> tensor<2x3xi32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %n = stablehlo.constant dense<5> : tensor<i32>
  %z = stablehlo.constant dense<0> : tensor<2x3xi32>
  %r:2 = stablehlo.while(%i = %zero, %a = %z) : tensor<i32>, tensor<2x3xi32>
    cond {
      %t = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %t : tensor<i1>
    } do {
      %s0 = "stablehlo.reduce_scatter"(%x) <{scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
      ^bb0(%p: tensor<i32>, %q: tensor<i32>):
        %s = stablehlo.add %p, %q : tensor<i32>
        stablehlo.return %s : tensor<i32>
      }) : (tensor<4x3xi32>) -> tensor<2x3xi32>
      %b = stablehlo.add %a, %s0 : tensor<2x3xi32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %j, %b : tensor<i32>, tensor<2x3xi32>
    }
  return %r#1 : tensor<2x3xi32>
}

// Negated, turned round and negated in between, which moves the dimension; what the carry begins with is put at this device's place.
// CHECK-LABEL: func.func private @turned(
// CHECK: stablehlo.partition_id
// CHECK: [[I:%.*]] = stablehlo.dynamic_update_slice {{.*}} : (tensor<3x4xi32>, tensor<3x2xi32>
// CHECK: [[R:%.*]]:2 = stablehlo.while({{.*}}[[A:%iterArg.*]] = [[I]])
// CHECK-NOT: reduce_scatter
// CHECK: [[N:%.*]] = stablehlo.negate %arg0 : tensor<4x3xi32>
// CHECK: [[U:%.*]] = stablehlo.transpose [[N]], dims = [1, 0] : (tensor<4x3xi32>) -> tensor<3x4xi32>
// CHECK: [[T:%.*]] = stablehlo.negate [[U]] : tensor<3x4xi32>
// CHECK: stablehlo.add [[T]], [[A]] : tensor<3x4xi32>
// CHECK: }
// CHECK: "stablehlo.reduce_scatter"([[R]]#1) <{{.*}}scatter_dimension = 1
// CHECK: (tensor<3x4xi32>) -> tensor<3x2xi32>
func.func private @turned(%x: tensor<4x3xi32>, %y: tensor<2x3xi32>) -> tensor<3x2xi32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %n = stablehlo.constant dense<5> : tensor<i32>
  %z = stablehlo.transpose %y, dims = [1, 0] : (tensor<2x3xi32>) -> tensor<3x2xi32>
  %r:2 = stablehlo.while(%i = %zero, %a = %z) : tensor<i32>, tensor<3x2xi32>
    cond {
      %t = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %t : tensor<i1>
    } do {
      %s0 = "stablehlo.reduce_scatter"(%x) <{scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
      ^bb0(%p: tensor<i32>, %q: tensor<i32>):
        %s = stablehlo.add %p, %q : tensor<i32>
        stablehlo.return %s : tensor<i32>
      }) : (tensor<4x3xi32>) -> tensor<2x3xi32>
      %n0 = stablehlo.negate %s0 : tensor<2x3xi32>
      %t0 = stablehlo.transpose %n0, dims = [1, 0] : (tensor<2x3xi32>) -> tensor<3x2xi32>
      %s1 = stablehlo.negate %t0 : tensor<3x2xi32>
      %b = stablehlo.add %s1, %a : tensor<3x2xi32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %j, %b : tensor<i32>, tensor<3x2xi32>
    }
  return %r#1 : tensor<3x2xi32>
}

// Two of the same round, by maximum.
// CHECK-LABEL: func.func private @two(
// CHECK: stablehlo.while
// CHECK-NOT: reduce_scatter
// CHECK: stablehlo.maximum {{.*}} : tensor<4x3xi32>
// CHECK-NOT: reduce_scatter
// CHECK: stablehlo.maximum {{.*}} : tensor<4x3xi32>
// CHECK: }
// CHECK: "stablehlo.reduce_scatter"
// CHECK: stablehlo.maximum
// CHECK: (tensor<4x3xi32>) -> tensor<2x3xi32>
func.func private @two(%x: tensor<4x3xi32>, %y: tensor<2x3xi32>) -> tensor<2x3xi32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %n = stablehlo.constant dense<2> : tensor<i32>
  %w = stablehlo.negate %x : tensor<4x3xi32>
  %r:2 = stablehlo.while(%i = %zero, %a = %y) : tensor<i32>, tensor<2x3xi32>
    cond {
      %t = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %t : tensor<i1>
    } do {
      %s0 = "stablehlo.reduce_scatter"(%x) <{scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
      ^bb0(%p: tensor<i32>, %q: tensor<i32>):
        %s = stablehlo.maximum %p, %q : tensor<i32>
        stablehlo.return %s : tensor<i32>
      }) : (tensor<4x3xi32>) -> tensor<2x3xi32>
      %s1 = "stablehlo.reduce_scatter"(%w) <{scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
      ^bb0(%p: tensor<i32>, %q: tensor<i32>):
        %s = stablehlo.maximum %p, %q : tensor<i32>
        stablehlo.return %s : tensor<i32>
      }) : (tensor<4x3xi32>) -> tensor<2x3xi32>
      %b = stablehlo.maximum %a, %s0 : tensor<2x3xi32>
      %c = stablehlo.maximum %b, %s1 : tensor<2x3xi32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %j, %c : tensor<i32>, tensor<2x3xi32>
    }
  return %r#1 : tensor<2x3xi32>
}
