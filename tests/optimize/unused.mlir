// A carry that only feeds itself, and another that nobody needs, goes with what makes it; what the condition, a result or an effect
// needs stays.
// RUN: tessera optimize %s --passes=unused | FileCheck %s
// CHECK-LABEL: func.func @main(
// CHECK: [[R:%.*]]:3 = stablehlo.while(%iterArg = %arg0, [[Y:%.*]] = %arg2, [[W:%.*]] = %arg4) : tensor<i32>, tensor<4xf32>, tensor<4xf32>
// CHECK: do {
// CHECK-NOT: stablehlo.multiply
// CHECK-NOT: "stablehlo.all_gather"
// CHECK: custom_call @log([[W]])
// CHECK: stablehlo.return {{.*}} : tensor<i32>, tensor<4xf32>, tensor<4xf32>
// CHECK: return [[R]]#1
func.func @main(%i: tensor<i32>, %a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>, %d: tensor<4xf32>) -> tensor<4xf32> {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %n = stablehlo.constant dense<5> : tensor<i32>
  %r:5 = stablehlo.while(%k = %i, %x = %a, %y = %b, %z = %c, %w = %d) : tensor<i32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
    cond {
      %t = stablehlo.compare LT, %k, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %t : tensor<i1>
    } do {
      %m = stablehlo.multiply %x, %z : tensor<4xf32>
      %g = "stablehlo.all_gather"(%m) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> : (tensor<4xf32>) -> tensor<8xf32>
      %h = stablehlo.slice %g [0:4] : (tensor<8xf32>) -> tensor<4xf32>
      %s = stablehlo.add %y, %y : tensor<4xf32>
      %e = stablehlo.custom_call @log(%w) {has_side_effect = true} : (tensor<4xf32>) -> tensor<4xf32>
      %j = stablehlo.add %k, %one : tensor<i32>
      stablehlo.return %j, %h, %s, %m, %w : tensor<i32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
    }
  return %r#2 : tensor<4xf32>
}
