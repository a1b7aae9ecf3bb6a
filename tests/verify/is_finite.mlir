// RUN: tessera parse --verify-diagnostics %s

func.func @c1(%x: tensor<2xf32>) {
  // expected-error@+1 {{C1: }}
  %0 = "stablehlo.is_finite"(%x) : (tensor<2xf32>) -> tensor<3xi1>
  return
}

// -----

func.func @kind(%x: tensor<2xi32>) {
  // expected-error@+1 {{operand 0 must be }}
  %0 = "stablehlo.is_finite"(%x) : (tensor<2xi32>) -> tensor<2xi1>
  return
}
