// RUN: tessera parse --verify-diagnostics %s

func.func @operands(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{another number of operands}}
  %r = "stablehlo.unary_einsum"(%x) {einsum_config = "ij,jk->ik"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @unknown(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{in no operand}}
  %r = "stablehlo.unary_einsum"(%x) {einsum_config = "ij->k"} : (tensor<2x3xf32>) -> tensor<3xf32>
  return
}
