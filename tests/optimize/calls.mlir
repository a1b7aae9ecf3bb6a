// A function that only one call in a loop names is written there, so that its sums can leave the loop, as JAX prints the bodies of
// scans; one in another, too. Functions that are called twice, outside of loops or by other programs stay.
// RUN: tessera optimize %s --devices 2 --passes=calls,calls | FileCheck %s
// RUN: tessera optimize %s --devices 2 --passes=calls,calls,carry | FileCheck %s --check-prefix=CARRY
// CHECK: func.func public @main
// CHECK: stablehlo.while
// CHECK-NOT: call @body
// CHECK: "stablehlo.all_reduce"
// CHECK-NOT: call @inner
// CHECK: call @twice
// CHECK: call @twice
// CHECK: call @open
// CHECK: call @outside
// CHECK-NOT: @body
// CHECK-NOT: @inner
// CHECK: func.func private @twice
// CHECK: func.func private @outside
// CHECK: func.func public @open
// CARRY: do {
// CARRY-NOT: all_reduce
// CARRY: return
// CARRY: "stablehlo.all_reduce"
func.func public @main(%x: tensor<4xf32> {tessera.sharding = "x"}) -> (tensor<4xf32>, tensor<4xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %z = stablehlo.constant dense<0.0> : tensor<4xf32>
  %r:3 = stablehlo.while(%i = %zero, %a = %z, %c = %x) : tensor<i32>, tensor<4xf32>, tensor<4xf32>
    cond {
      %n = stablehlo.constant dense<5> : tensor<i32>
      %t = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %t : tensor<i1>
    } do {
      %b = func.call @body(%a, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      %d = func.call @twice(%c) : (tensor<4xf32>) -> tensor<4xf32>
      %e = func.call @twice(%d) : (tensor<4xf32>) -> tensor<4xf32>
      %f = func.call @open(%e) : (tensor<4xf32>) -> tensor<4xf32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %j, %b, %f : tensor<i32>, tensor<4xf32>, tensor<4xf32>
    }
  %g = call @outside(%r#2) : (tensor<4xf32>) -> tensor<4xf32>
  return %r#1, %g : tensor<4xf32>, tensor<4xf32>
}
func.func private @body(%a: tensor<4xf32>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %s = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %t = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %t : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  %r = call @inner(%a, %s) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func private @inner(%a: tensor<4xf32>, %s: tensor<4xf32>) -> tensor<4xf32> {
  %r = stablehlo.add %a, %s : tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func private @twice(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = stablehlo.tanh %x : tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func private @outside(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = stablehlo.sine %x : tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func public @open(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = stablehlo.cosine %x : tensor<4xf32>
  return %r : tensor<4xf32>
}
