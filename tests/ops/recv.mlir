// RUN: tessera check %s

// To the right along partitions by pairs; who gets nothing has zeros.
func.func @shift(%x: tensor<2xf32>, %t: !stablehlo.token) -> tensor<2xf32> {
  %s = "stablehlo.send"(%x, %t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>}> : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
  %r:2 = "stablehlo.recv"(%s) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>}> : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  return %r#0 : tensor<2xf32>
}
func.func @main() {
  %t = stablehlo.create_token : !stablehlo.token
  %a = stablehlo.constant dense<1.0> : tensor<2xf32>
  %b = stablehlo.constant dense<2.0> : tensor<2xf32>
  %c = stablehlo.constant dense<3.0> : tensor<2xf32>
  %r:3 = "interpreter.run_parallel"(%a, %t, %b, %t, %c, %t) {programs = [[@shift, @shift, @shift]]} : (tensor<2xf32>, !stablehlo.token, tensor<2xf32>, !stablehlo.token, tensor<2xf32>, !stablehlo.token) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
  check.expect_eq_const %r#0, dense<0.0> : tensor<2xf32>
  check.expect_eq_const %r#1, dense<1.0> : tensor<2xf32>
  check.expect_eq_const %r#2, dense<2.0> : tensor<2xf32>
  return
}

// -----

// Several values at once, the receiver first in line; a channel keeps their order.
func.func @put(%x: tensor<i1>, %y: tensor<0xi32>, %t: !stablehlo.token) -> !stablehlo.token {
  %s = "stablehlo.send"(%x, %y, %t) <{channel_handle = #stablehlo.channel_handle<handle = 7, type = 2>, is_host_transfer = true}> : (tensor<i1>, tensor<0xi32>, !stablehlo.token) -> !stablehlo.token
  %n = stablehlo.not %x : tensor<i1>
  %u = "stablehlo.send"(%n, %y, %s) <{channel_handle = #stablehlo.channel_handle<handle = 7, type = 2>, is_host_transfer = true}> : (tensor<i1>, tensor<0xi32>, !stablehlo.token) -> !stablehlo.token
  return %u : !stablehlo.token
}
func.func @get(%t: !stablehlo.token) -> (tensor<i1>, tensor<i1>) {
  %r:3 = "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 7, type = 3>, is_host_transfer = true}> : (!stablehlo.token) -> (tensor<i1>, tensor<0xi32>, !stablehlo.token)
  %s:3 = "stablehlo.recv"(%r#2) <{channel_handle = #stablehlo.channel_handle<handle = 7, type = 3>, is_host_transfer = true}> : (!stablehlo.token) -> (tensor<i1>, tensor<0xi32>, !stablehlo.token)
  return %r#0, %s#0 : tensor<i1>, tensor<i1>
}
func.func @main() {
  %t = stablehlo.create_token : !stablehlo.token
  %e = stablehlo.constant dense<> : tensor<0xi32>
  %x = stablehlo.constant dense<true> : tensor<i1>
  %r:3 = "interpreter.run_parallel"(%t, %x, %e, %t) {programs = [[@get], [@put]]} : (!stablehlo.token, tensor<i1>, tensor<0xi32>, !stablehlo.token) -> (tensor<i1>, tensor<i1>, !stablehlo.token)
  check.expect_eq_const %r#0, dense<true> : tensor<i1>
  check.expect_eq_const %r#1, dense<false> : tensor<i1>
  return
}
