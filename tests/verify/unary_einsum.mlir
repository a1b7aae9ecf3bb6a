// RUN: tessera parse --verify-diagnostics %s

func.func @operands(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'stablehlo.unary_einsum' op einsum_config "ij,jk->ik": it names another number of operands}}
  %r = "stablehlo.unary_einsum"(%x) {einsum_config = "ij,jk->ik"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @unknown(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'stablehlo.unary_einsum' op einsum_config "ij->k": a label of the result is in no operand, or in the result twice}}
  %r = "stablehlo.unary_einsum"(%x) {einsum_config = "ij->k"} : (tensor<2x3xf32>) -> tensor<3xf32>
  return
}
