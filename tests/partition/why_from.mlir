// A reason names the argument that a value comes from: through calls, loops that carry it unchanged, slices and transposes; a
// function that is called twice is left by the call it was entered from; nothing is said where two tensors meet, or where a loop
// changes the value.
// RUN: tessera partition %s --why -o /dev/null 2>&1 | FileCheck %s

sdy.mesh @mesh = <["data"=4]>
func.func @main(%params: tensor<3x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"data"}, {}]>} loc("params.w"),
                %bias: tensor<3x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"data"}, {}]>} loc("params.b"),
                %x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>} loc("x"),
                %state: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>} loc("state"))
    -> (tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}) {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %c1 = stablehlo.constant dense<1> : tensor<i32>
  %c3 = stablehlo.constant dense<3> : tensor<i32>
  %0:5 = stablehlo.while(%i = %c0, %w = %params, %b = %bias, %y = %x, %s = %state) : tensor<i32>, tensor<3x8x8xf32>, tensor<3x8x8xf32>, tensor<16x8xf32>, tensor<8x8xf32>
  cond {
    %1 = stablehlo.compare LT, %i, %c3 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = func.call @at(%w, %i) : (tensor<3x8x8xf32>, tensor<i32>) -> tensor<8x8xf32>
    %2 = func.call @at(%b, %i) : (tensor<3x8x8xf32>, tensor<i32>) -> tensor<8x8xf32>
    %3:2 = func.call @layer(%1, %2, %y, %s) : (tensor<8x8xf32>, tensor<8x8xf32>, tensor<16x8xf32>, tensor<8x8xf32>) -> (tensor<16x8xf32>, tensor<8x8xf32>)
    %4 = stablehlo.add %i, %c1 : tensor<i32>
    stablehlo.return %4, %w, %b, %3#0, %3#1 : tensor<i32>, tensor<3x8x8xf32>, tensor<3x8x8xf32>, tensor<16x8xf32>, tensor<8x8xf32>
  }
  return %0#3 : tensor<16x8xf32>
}
func.func private @at(%stack: tensor<3x8x8xf32>, %i: tensor<i32>) -> tensor<8x8xf32> {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.dynamic_slice %stack, %i, %c0, %c0, sizes = [1, 8, 8] : (tensor<3x8x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x8xf32>
  %1 = stablehlo.reshape %0 : (tensor<1x8x8xf32>) -> tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}
// CHECK-DAG: needs @layer:%weights (from params.w) as replicated
// CHECK-DAG: needs @layer:%turned (from params.b) as replicated
// CHECK-DAG: needs @layer:%both as replicated
// CHECK-DAG: needs @layer:%state as replicated
// CHECK-NOT: (from x
// CHECK-NOT: (from state
func.func private @layer(%weights: tensor<8x8xf32>, %biases: tensor<8x8xf32>, %y: tensor<16x8xf32>, %state: tensor<8x8xf32>) -> (tensor<16x8xf32>, tensor<8x8xf32>) {
  %turned = stablehlo.transpose %biases, dims = [1, 0] : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %both = stablehlo.add %weights, %biases {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {}]>]>} : tensor<8x8xf32>
  %0 = stablehlo.dot %y, %weights : (tensor<16x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
  %1 = stablehlo.dot %0, %turned : (tensor<16x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
  %2 = stablehlo.dot %1, %both : (tensor<16x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
  %3 = stablehlo.dot %2, %state : (tensor<16x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
  %4 = stablehlo.negate %state : tensor<8x8xf32>
  return %3, %4 : tensor<16x8xf32>, tensor<8x8xf32>
}
