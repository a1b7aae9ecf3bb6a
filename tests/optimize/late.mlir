// What only changes the result of an all-reduce a little stands where it is needed: the all-reduce has until then, and others can join.
// RUN: tessera optimize %s --devices 2 --passes=late | FileCheck %s
// RUN: tessera optimize %s --devices 2 --passes=late,bucket | FileCheck %s --check-prefix=BOTH
// CHECK-LABEL: func.func @main(
// CHECK: "stablehlo.all_reduce"(%arg0)
// CHECK: stablehlo.tanh
// CHECK: "stablehlo.all_reduce"
// CHECK: stablehlo.convert
// CHECK-NEXT: stablehlo.transpose
// CHECK-NEXT: return
// BOTH: stablehlo.tanh
// BOTH-NEXT: :2 = "stablehlo.all_reduce"
// BOTH-NOT: "stablehlo.all_reduce"
// BOTH: return
func.func @main(%x: tensor<2x2xf32> {tessera.sharding = "x"}, %y: tensor<2x2xf32> {tessera.sharding = "x"}) -> (tensor<2x2xf64>, tensor<2x2xf32>) {
  %a = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %b = stablehlo.convert %a : (tensor<2x2xf32>) -> tensor<2x2xf64>
  %c = stablehlo.transpose %b, dims = [1, 0] : (tensor<2x2xf64>) -> tensor<2x2xf64>
  %t = stablehlo.tanh %y : tensor<2x2xf32>
  %d = "stablehlo.all_reduce"(%t) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<2x2xf32>) -> tensor<2x2xf32>
  return %c, %d : tensor<2x2xf64>, tensor<2x2xf32>
}
