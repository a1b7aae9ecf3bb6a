// What nothing uses goes, collectives and loops too; effects and random numbers stay.
// RUN: tessera optimize %s --passes=dead | FileCheck %s
// CHECK-LABEL: func.func @main(
// CHECK-NOT: "stablehlo.all_gather"
// CHECK-NOT: stablehlo.while
// CHECK: custom_call @log
// CHECK: stablehlo.rng
// CHECK-NEXT: return %arg0
func.func @main(%x: tensor<2xf32>, %c: tensor<i1>) -> tensor<2xf32> {
  %n = stablehlo.constant dense<2> : tensor<1xi64>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %a = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> : (tensor<2xf32>) -> tensor<4xf32>
  %r = stablehlo.while(%i = %a) : tensor<4xf32>
    cond {
      stablehlo.return %c : tensor<i1>
    } do {
      %s = stablehlo.negate %i : tensor<4xf32>
      stablehlo.return %s : tensor<4xf32>
    }
  %e = stablehlo.custom_call @log(%x) {has_side_effect = true} : (tensor<2xf32>) -> tensor<2xf32>
  %u = stablehlo.rng %zero, %one, %n, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<2xf32>
  return %x : tensor<2xf32>
}
