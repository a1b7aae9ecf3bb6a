// RUN: tessera partition --verify %s 2>&1 | FileCheck %s
// What is the same in every round of the inner loop, and left it, is not so in every round of the outer one.
// CHECK: verified on 2 devices: 1 result agrees
func.func @main(%x: tensor<4xi32>) -> tensor<4xi32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %sum = stablehlo.constant dense<0> : tensor<4xi32>
  %r:3 = stablehlo.while(%i = %zero, %s = %sum, %v = %x) : tensor<i32>, tensor<4xi32>, tensor<4xi32>
  cond {
    %n = stablehlo.constant dense<3> : tensor<i32>
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %i, %one : tensor<i32>
    %q:2 = stablehlo.while(%k = %zero, %t = %s) : tensor<i32>, tensor<4xi32>
    cond {
      %m = stablehlo.constant dense<2> : tensor<i32>
      %p = stablehlo.compare LT, %k, %m : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %two = stablehlo.constant dense<1> : tensor<i32>
      %after = stablehlo.add %k, %two : tensor<i32>
      %cut = stablehlo.negate %v {sdy.sharding = #sdy.sharding_per_value<[<mesh<["a"=2]>, [{"a"}]>]>} : tensor<4xi32>
      %whole = stablehlo.reverse %cut, dims = [0] {sdy.sharding = #sdy.sharding_per_value<[<mesh<["a"=2]>, [{}]>]>} : tensor<4xi32>
      %u = stablehlo.add %t, %whole : tensor<4xi32>
      stablehlo.return %after, %u : tensor<i32>, tensor<4xi32>
    }
    %other = stablehlo.add %v, %q#1 : tensor<4xi32>
    stablehlo.return %next, %q#1, %other : tensor<i32>, tensor<4xi32>, tensor<4xi32>
  }
  return %r#1 : tensor<4xi32>
}
