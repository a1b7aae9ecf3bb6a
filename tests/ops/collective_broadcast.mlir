// RUN: tessera check %s

// The first of a group is the source; who is in no group gets zeros.
func.func @b(%x: tensor<2xui8>) -> tensor<2xui8> {
  %0 = "stablehlo.collective_broadcast"(%x) <{replica_groups = dense<[[2, 0]]> : tensor<1x2xi64>}> : (tensor<2xui8>) -> tensor<2xui8>
  return %0 : tensor<2xui8>
}
func.func @main() {
  %a = stablehlo.constant dense<[1, 2]> : tensor<2xui8>
  %b = stablehlo.constant dense<[3, 4]> : tensor<2xui8>
  %c = stablehlo.constant dense<[5, 6]> : tensor<2xui8>
  %r:3 = "interpreter.run_parallel"(%a, %b, %c) {programs = [[@b], [@b], [@b]]} : (tensor<2xui8>, tensor<2xui8>, tensor<2xui8>) -> (tensor<2xui8>, tensor<2xui8>, tensor<2xui8>)
  check.expect_eq_const %r#0, dense<[5, 6]> : tensor<2xui8>
  check.expect_eq_const %r#1, dense<0> : tensor<2xui8>
  check.expect_eq_const %r#2, dense<[5, 6]> : tensor<2xui8>
  return
}

// -----

// A root that is computed: each value from its own process of the group.
func.func @b(%x: tensor<f32>, %y: tensor<i1>, %root: tensor<2xi32>) -> (tensor<f32>, tensor<i1>) {
  %0:2 = "stablehlo.collective_broadcast"(%x, %y, %root) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, has_dynamic_root, replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>}> : (tensor<f32>, tensor<i1>, tensor<2xi32>) -> (tensor<f32>, tensor<i1>)
  return %0#0, %0#1 : tensor<f32>, tensor<i1>
}
func.func @main() {
  %a = stablehlo.constant dense<1.0> : tensor<f32>
  %b = stablehlo.constant dense<2.0> : tensor<f32>
  %t = stablehlo.constant dense<true> : tensor<i1>
  %f = stablehlo.constant dense<false> : tensor<i1>
  %root = stablehlo.constant dense<[0, 1]> : tensor<2xi32>
  %r:4 = "interpreter.run_parallel"(%a, %t, %root, %b, %f, %root) {programs = [[@b, @b]]} : (tensor<f32>, tensor<i1>, tensor<2xi32>, tensor<f32>, tensor<i1>, tensor<2xi32>) -> (tensor<f32>, tensor<i1>, tensor<f32>, tensor<i1>)
  check.expect_eq_const %r#0, dense<2.0> : tensor<f32>
  check.expect_eq_const %r#1, dense<true> : tensor<i1>
  check.expect_eq_const %r#2, dense<2.0> : tensor<f32>
  check.expect_eq_const %r#3, dense<true> : tensor<i1>
  return
}
