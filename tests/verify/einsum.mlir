// RUN: tessera parse --verify-diagnostics %s

func.func @sizes(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{different sizes}}
  %r = "stablehlo.einsum"(%x, %x) {einsum_config = "ij,jk->ik"} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @rank(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{do not fit its rank}}
  %r = "stablehlo.einsum"(%x, %x) {einsum_config = "i,jk->ik"} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @arrow(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{no ->}}
  %r = "stablehlo.einsum"(%x, %x) {einsum_config = "ij,jk"} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}
