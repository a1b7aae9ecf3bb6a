// RUN: tessera check %s

// Each member keeps its slice of the group's sum, in group order.
func.func @s(%x: tensor<2x4xf32>) -> tensor<2x2xf32> {
  %0 = "stablehlo.reduce_scatter"(%x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>, scatter_dimension = 1 : i64, use_global_device_ids} : (tensor<2x4xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}
func.func @main() {
  %a = stablehlo.constant dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]> : tensor<2x4xf32>
  %b = stablehlo.constant dense<10.0> : tensor<2x4xf32>
  %r:2 = "interpreter.run_parallel"(%a, %b) {programs = [[@s, @s]]} : (tensor<2x4xf32>, tensor<2x4xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>)
  check.expect_eq_const %r#0, dense<[[13.0, 14.0], [17.0, 18.0]]> : tensor<2x2xf32>
  check.expect_eq_const %r#1, dense<[[11.0, 12.0], [15.0, 16.0]]> : tensor<2x2xf32>
  return
}

// -----

// Across replicas and partitions the group is replicas x partitions wide.
func.func @s(%x: tensor<4xi32>) -> tensor<1xi32> {
  %0 = "stablehlo.reduce_scatter"(%x) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.minimum %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 0 : i64} : (tensor<4xi32>) -> tensor<1xi32>
  return %0 : tensor<1xi32>
}
func.func @main() {
  %a = stablehlo.constant dense<[4, 3, 2, 1]> : tensor<4xi32>
  %b = stablehlo.constant dense<[5, 5, 5, 0]> : tensor<4xi32>
  %r:4 = "interpreter.run_parallel"(%a, %b, %a, %b) {programs = [[@s, @s], [@s, @s]]} : (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) -> (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>)
  check.expect_eq_const %r#0, dense<4> : tensor<1xi32>
  check.expect_eq_const %r#1, dense<2> : tensor<1xi32>
  check.expect_eq_const %r#2, dense<3> : tensor<1xi32>
  check.expect_eq_const %r#3, dense<0> : tensor<1xi32>
  return
}
