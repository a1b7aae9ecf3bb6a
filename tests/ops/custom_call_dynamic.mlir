// RUN: tessera check %s
// Custom calls with shapes that are operands.

func.func @main() {
  %a = stablehlo.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %window = stablehlo.constant dense<[2, 1]> : tensor<2xi64>
  %strides = stablehlo.constant dense<[4, 1]> : tensor<2xi64>
  %base = stablehlo.constant dense<[2, 1]> : tensor<2xi64>
  %dilations = stablehlo.constant dense<[3, 1]> : tensor<2xi64>
  %padding = stablehlo.constant dense<[[2, 1], [0, 0]]> : tensor<2x2xi64>
  %r = stablehlo.custom_call @stablehlo.dynamic_reduce_window(%a, %zero, %window, %strides, %base, %dilations, %padding) {called_computations = [@sum]} : (tensor<3x2xi32>, tensor<i32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>, tensor<2x2xi64>) -> tensor<?x?xi32>
  %c = stablehlo.reshape %r : (tensor<?x?xi32>) -> tensor<2x2xi32>
  %s = "stablehlo.reduce_window"(%a, %zero) <{window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 4, 1>, base_dilations = array<i64: 2, 1>, window_dilations = array<i64: 3, 1>, padding = dense<[[2, 1], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %z = stablehlo.add %x, %y : tensor<i32>
    stablehlo.return %z : tensor<i32>
  }) : (tensor<3x2xi32>, tensor<i32>) -> tensor<2x2xi32>
  check.expect_eq %c, %s : tensor<2x2xi32>
  check.expect_eq_const %c, dense<[[0, 0], [3, 4]]> : tensor<2x2xi32>
  return
}
func.func private @sum(%a: tensor<i32>, %b: tensor<i32>) -> tensor<i32> {
  %0 = stablehlo.add %a, %b : tensor<i32>
  return %0 : tensor<i32>
}

// -----

func.func @random_bits() {
  %state = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %shape = stablehlo.constant dense<[2, 3]> : tensor<2xi64>
  %r:2 = stablehlo.custom_call @stablehlo.dynamic_rng_bit_generator(%state, %shape) {rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>} : (tensor<2xui64>, tensor<2xi64>) -> (tensor<2xui64>, tensor<?x?xui32>)
  %c = stablehlo.reshape %r#1 : (tensor<?x?xui32>) -> tensor<2x3xui32>
  %s, %b = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2x3xui32>)
  check.expect_eq %c, %b : tensor<2x3xui32>
  check.expect_eq %r#0, %s : tensor<2xui64>
  return
}
