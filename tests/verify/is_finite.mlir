// RUN: tessera parse --verify-diagnostics %s

func.func @c1(%x: tensor<2xf32>) {
  // expected-error@+1 {{'stablehlo.is_finite' op C1: result must have the shape of tensor<2xi1>, got tensor<3xi1>}}
  %0 = "stablehlo.is_finite"(%x) : (tensor<2xf32>) -> tensor<3xi1>
  return
}

// -----

func.func @kind(%x: tensor<2xi32>) {
  // expected-error@+1 {{'stablehlo.is_finite' op operand 0 must be float or quantized, got tensor<2xi32>}}
  %0 = "stablehlo.is_finite"(%x) : (tensor<2xi32>) -> tensor<2xi1>
  return
}
