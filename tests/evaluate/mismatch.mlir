// RUN: not tessera run --engine=eval %s 2>&1 | FileCheck %s
// Two collectives over one group that differ.
// CHECK: mismatch.mlir:{{[0-9]+}}:8: error: 'stablehlo.all_reduce' op: mismatched collectives: process (0, 1) is at 'stablehlo.all_reduce' at {{.*}} while process (0, 0) of the same group is at 'stablehlo.all_gather'

func.func @g(%x: tensor<2xi32>) -> tensor<4xi32> {
  %0 = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids} : (tensor<2xi32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}
func.func @r(%x: tensor<4xi32>) -> tensor<4xi32> {
  %0 = "stablehlo.all_reduce"(%x) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids} : (tensor<4xi32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}
func.func @main() {
  %a = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %b = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %r:2 = "interpreter.run_parallel"(%a, %b) {programs = [[@g, @r]]} : (tensor<2xi32>, tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>)
  return
}
