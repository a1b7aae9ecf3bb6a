// A sum over devices that a loop only sums up, or stacks, is done once behind the loop; what the carry begins with enters once.
// RUN: tessera optimize %s --devices 2 --passes=carry | FileCheck %s
// CHECK-LABEL: func.func @zeros(
// CHECK: stablehlo.while
// CHECK-NOT: "stablehlo.all_reduce"
// CHECK: stablehlo.add %iterArg{{.*}}, %arg0
// CHECK: }
// CHECK: "stablehlo.all_reduce"
// CHECK: return
func.func @zeros(%x: tensor<4xf32> {tessera.sharding = "x"}, %y: tensor<4xf32>) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %n = stablehlo.constant dense<5> : tensor<i32>
  %z = stablehlo.constant dense<0.0> : tensor<4xf32>
  %r:2 = stablehlo.while(%i = %zero, %a = %z) : tensor<i32>, tensor<4xf32>
    cond {
      %t = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %t : tensor<i1>
    } do {
      %s0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %s = stablehlo.add %p, %q : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<4xf32>) -> tensor<4xf32>
      %b = stablehlo.add %a, %s0 : tensor<4xf32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %j, %b : tensor<i32>, tensor<4xf32>
    }
  return %r#1 : tensor<4xf32>
}
// CHECK-LABEL: func.func @once(
// CHECK: [[ID:%.*]] = stablehlo.partition_id
// CHECK: [[F:%.*]] = stablehlo.compare EQ
// CHECK: [[I:%.*]] = stablehlo.select [[F]], %arg1
// CHECK: stablehlo.while({{.*}} = [[I]])
// CHECK-NOT: "stablehlo.all_reduce"
// CHECK: return
// CHECK: "stablehlo.all_reduce"
// CHECK: return
func.func @once(%x: tensor<4xf32> {tessera.sharding = "x"}, %y: tensor<4xf32>) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %n = stablehlo.constant dense<5> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %a = %y) : tensor<i32>, tensor<4xf32>
    cond {
      %t = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %t : tensor<i1>
    } do {
      %s0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %s = stablehlo.add %p, %q : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<4xf32>) -> tensor<4xf32>
      %b = stablehlo.add %s0, %a : tensor<4xf32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %j, %b : tensor<i32>, tensor<4xf32>
    }
  return %r#1 : tensor<4xf32>
}
// CHECK-LABEL: func.func @stack(
// CHECK: stablehlo.while
// CHECK-NOT: "stablehlo.all_reduce"
// CHECK: stablehlo.dynamic_update_slice
// CHECK: "stablehlo.all_reduce"
// CHECK: (tensor<5x4xf32>) -> tensor<5x4xf32>
func.func @stack(%x: tensor<4xf32> {tessera.sharding = "x"}, %y: tensor<4xf32>) -> tensor<5x4xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %n = stablehlo.constant dense<5> : tensor<i32>
  %z = stablehlo.constant dense<0.0> : tensor<5x4xf32>
  %row = stablehlo.reshape %x : (tensor<4xf32>) -> tensor<1x4xf32>
  %r:2 = stablehlo.while(%i = %zero, %a = %z) : tensor<i32>, tensor<5x4xf32>
    cond {
      %t = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %t : tensor<i1>
    } do {
      %s0 = "stablehlo.all_reduce"(%row) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %s = stablehlo.add %p, %q : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<1x4xf32>) -> tensor<1x4xf32>
      %b = stablehlo.dynamic_update_slice %a, %s0, %i, %zero : (tensor<5x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<5x4xf32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %j, %b : tensor<i32>, tensor<5x4xf32>
    }
  return %r#1 : tensor<5x4xf32>
}
// Not if the body looks at the carry, or it begins with what differs between devices.
// CHECK-LABEL: func.func @looked_at(
// CHECK: do {
// CHECK: "stablehlo.all_reduce"
// CHECK: return
func.func @looked_at(%x: tensor<4xf32> {tessera.sharding = "x"}, %y: tensor<4xf32>) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %n = stablehlo.constant dense<5> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %a = %y) : tensor<i32>, tensor<4xf32>
    cond {
      %t = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %t : tensor<i1>
    } do {
      %k = stablehlo.multiply %a, %x : tensor<4xf32>
      %s0 = "stablehlo.all_reduce"(%k) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %s = stablehlo.add %p, %q : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<4xf32>) -> tensor<4xf32>
      %b = stablehlo.add %a, %s0 : tensor<4xf32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %j, %b : tensor<i32>, tensor<4xf32>
    }
  return %r#1 : tensor<4xf32>
}
// CHECK-LABEL: func.func @differs(
// CHECK: do {
// CHECK: "stablehlo.all_reduce"
// CHECK: return
func.func @differs(%x: tensor<4xf32> {tessera.sharding = "x"}, %y: tensor<4xf32>) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %n = stablehlo.constant dense<5> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %a = %x) : tensor<i32>, tensor<4xf32>
    cond {
      %t = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %t : tensor<i1>
    } do {
      %s0 = "stablehlo.all_reduce"(%y) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %s = stablehlo.add %p, %q : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<4xf32>) -> tensor<4xf32>
      %b = stablehlo.add %a, %s0 : tensor<4xf32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %j, %b : tensor<i32>, tensor<4xf32>
    }
  return %r#1 : tensor<4xf32>
}
