// RUN: not tessera run --engine=eval %s 2>&1 | FileCheck %s

// CHECK: errors.mlir:[[#@LINE+5]]:8: error: 'stablehlo.custom_call' op: custom call @nobody_knows is unknown
// CHECK-NEXT: %0 = stablehlo.custom_call @nobody_knows(%x)
// CHECK-NEXT: {{^ *\^$}}
func.func @main() -> tensor<f32> {
  %x = stablehlo.constant dense<1.0> : tensor<f32>
  %0 = stablehlo.custom_call @nobody_knows(%x) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// A function that calls itself forever.
// CHECK: error: 'func.call' op calls @main recursively
func.func @main() -> tensor<f32> {
  %0 = func.call @main() : () -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// CHECK: 'stablehlo.all_reduce' op: process (1, 0) does not exist in a grid of 1 replicas x 1 partitions
func.func @main() -> tensor<f32> {
  %x = stablehlo.constant dense<1.0> : tensor<f32>
  %0 = "stablehlo.all_reduce"(%x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// CHECK: 'stablehlo.infeed' op: the infeed queue is empty: all 0 functions in it have been used
func.func @main() {
  %t = stablehlo.create_token : !stablehlo.token
  %0:2 = "stablehlo.infeed"(%t) : (!stablehlo.token) -> (tensor<f32>, !stablehlo.token)
  return
}

// -----

// CHECK: 'stablehlo.recv' op: nothing was sent on channel 3, and no other process is there to send
func.func @main() {
  %t = stablehlo.create_token : !stablehlo.token
  %0:2 = "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 3, type = 3>, is_host_transfer = true}> : (!stablehlo.token) -> (tensor<f32>, !stablehlo.token)
  return
}

// -----

// One error of one process ends all of them; the others do not add to it.
// CHECK: 'stablehlo.custom_call' op: a shape assertion does not hold: 3 is too small
// CHECK-NOT: deadlock
func.func @bad(%x: tensor<f32>) -> tensor<f32> {
  %f = stablehlo.constant dense<false> : tensor<i1>
  %n = stablehlo.constant dense<3> : tensor<i32>
  stablehlo.custom_call @shape_assertion(%f, %n) {error_message = "{0} is too small", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
  return %x : tensor<f32>
}
func.func @good(%x: tensor<f32>) -> tensor<f32> {
  %0 = "stablehlo.all_reduce"(%x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
func.func @main() {
  %c = stablehlo.constant dense<1.0> : tensor<f32>
  %r:2 = "interpreter.run_parallel"(%c, %c) {programs = [[@good], [@bad]]} : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return
}

// -----

// CHECK: 'sdy.manual_computation' op: describes one of 2 devices: run it with --partitions 2, or partition the program first
sdy.mesh @mesh = <["x"=2]>
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%y: tensor<2xf32>) {
    sdy.return %y : tensor<2xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
