// RUN: tessera parse --verify-diagnostics %s

func.func @operands(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'stablehlo.unary_einsum' op einsum_config "ij,jk->ik": it must have labels of 1 operand, separated by commas}}
  %r = "stablehlo.unary_einsum"(%x) {einsum_config = "ij,jk->ik"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @unknown(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'stablehlo.unary_einsum' op einsum_config "ij->k": label 'k' of the result is in no operand or twice in the result}}
  %r = "stablehlo.unary_einsum"(%x) {einsum_config = "ij->k"} : (tensor<2x3xf32>) -> tensor<3xf32>
  return
}
