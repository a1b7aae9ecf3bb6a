// RUN: not tessera run --engine=eval %s 2>&1 | FileCheck %s
// Process (1, 0) never comes; the report says who waits where and for whom.
// CHECK: error: deadlock: 2 of 3 processes wait and none can go on
// CHECK-NEXT: process (0, 0) waits at 'stablehlo.all_reduce' at {{.*}}deadlock.mlir:[[#@LINE+6]]:8 for (1, 0)
// CHECK-NEXT: process (1, 0) has finished
// CHECK-NEXT: process (2, 0) waits at 'stablehlo.recv' at {{.*}}deadlock.mlir:{{[0-9]+}}:10 for a message on channel 5

module {
func.func @reduce(%x: tensor<i32>) -> tensor<i32> {
  %0 = "stablehlo.all_reduce"(%x) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {replica_groups = dense<[[0, 1], [2, -1]]> : tensor<2x2xi64>} : (tensor<i32>) -> tensor<i32>
  return %0 : tensor<i32>
}
func.func @pass(%x: tensor<i32>) -> tensor<i32> {
  return %x : tensor<i32>
}
func.func @wait(%x: tensor<i32>) -> tensor<i32> {
  %t = stablehlo.create_token : !stablehlo.token
  %0:2 = "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 3>, is_host_transfer = true}> : (!stablehlo.token) -> (tensor<i32>, !stablehlo.token)
  return %0#0 : tensor<i32>
}
func.func @main() {
  %c = stablehlo.constant dense<1> : tensor<i32>
  %r:3 = "interpreter.run_parallel"(%c, %c, %c) {programs = [[@reduce], [@pass], [@wait]]} : (tensor<i32>, tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>, tensor<i32>)
  return
}
}
