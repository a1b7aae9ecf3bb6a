// A dimension that stands twice or three times in one value has variants, the same ones everywhere.
// RUN: tessera names --all %s | FileCheck %s
// CHECK:      # n {{ *}}8
// CHECK:      # n' {{ *}}8 {{ *[0-9]+}}  %g has n too
// CHECK-NEXT: # n'' {{ *}}8
// CHECK:      %g: n,n'
// CHECK-NEXT: %t: n,n'
// CHECK-NEXT: %s: n,n'
// CHECK-NEXT: %y: n,k
// CHECK-NEXT: %c: n,n'
// CHECK-NEXT: %cube: n,n',n'',k
// CHECK-NEXT: %flat: n*n'*n''*k
func.func @main(%x: tensor<8x4xf32> {tessera.dims = "n, k"}) -> (tensor<8x8xf32>, tensor<8x4xf32>, tensor<2048xf32>) {
  %g = stablehlo.dot_general %x, %x, contracting_dims = [1] x [1] : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x8xf32>
  %t = stablehlo.transpose %g, dims = [1, 0] : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %s = stablehlo.add %g, %t : tensor<8x8xf32>
  %y = stablehlo.dot_general %s, %x, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  %c = stablehlo.cholesky %s, lower = true : tensor<8x8xf32>
  %cube = stablehlo.dot_general %s, %y, contracting_dims = [] x [] : (tensor<8x8xf32>, tensor<8x4xf32>) -> tensor<8x8x8x4xf32>
  %flat = stablehlo.reshape %cube : (tensor<8x8x8x4xf32>) -> tensor<2048xf32>
  return %c, %y, %flat : tensor<8x8xf32>, tensor<8x4xf32>, tensor<2048xf32>
}
