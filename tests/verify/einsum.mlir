// RUN: tessera parse --verify-diagnostics %s

func.func @sizes(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'stablehlo.einsum' op einsum_config "ij,jk->ik": a label stands for dimensions of different sizes}}
  %r = "stablehlo.einsum"(%x, %x) {einsum_config = "ij,jk->ik"} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @rank(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'stablehlo.einsum' op einsum_config "i,jk->ik": the labels of an operand do not fit its rank}}
  %r = "stablehlo.einsum"(%x, %x) {einsum_config = "i,jk->ik"} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @arrow(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'stablehlo.einsum' op einsum_config "ij,jk": there is no -> in it}}
  %r = "stablehlo.einsum"(%x, %x) {einsum_config = "ij,jk"} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}
