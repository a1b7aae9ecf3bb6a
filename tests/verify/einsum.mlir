// RUN: tessera parse --verify-diagnostics %s

func.func @sizes(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'stablehlo.einsum' op einsum_config "ij,jk->ik": label 'j' has sizes 3 and 2, expected equal}}
  %r = "stablehlo.einsum"(%x, %x) {einsum_config = "ij,jk->ik"} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @rank(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'stablehlo.einsum' op einsum_config "i,jk->ik": "i" must be letters, one per dimension of operand 0 of rank 2}}
  %r = "stablehlo.einsum"(%x, %x) {einsum_config = "i,jk->ik"} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @arrow(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'stablehlo.einsum' op einsum_config "ij,jk": it has no '->', expected labels of operands -> labels of the result}}
  %r = "stablehlo.einsum"(%x, %x) {einsum_config = "ij,jk"} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}
