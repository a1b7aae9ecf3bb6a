// A result of a loop that is returned has one buffer.
// RUN: tessera plan %s --machine h100:2 --mesh x=2 --memory 5MB | FileCheck %s --check-prefix=FITS
// FITS: memory  4.194 MB of 5 MB per device
func.func @main(%x: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %g = %x) : tensor<i32>, tensor<1024x1024xf32>
  cond {
    %end = stablehlo.constant dense<4> : tensor<i32>
    %t = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %t : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %g1 = stablehlo.tanh %g : tensor<1024x1024xf32>
    %n = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %n, %g1 : tensor<i32>, tensor<1024x1024xf32>
  }
  return %r#1 : tensor<1024x1024xf32>
}
