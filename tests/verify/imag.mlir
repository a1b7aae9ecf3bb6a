// RUN: tessera parse --verify-diagnostics %s

func.func @c1(%x: tensor<2xcomplex<f32>>) {
  // expected-error@+1 {{C1: }}
  %0 = "stablehlo.imag"(%x) : (tensor<2xcomplex<f32>>) -> tensor<3xf32>
  return
}

// -----

func.func @c2(%x: tensor<2xcomplex<f32>>) {
  // expected-error@+1 {{C2: }}
  %0 = "stablehlo.imag"(%x) : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  return
}

// -----

func.func @kind(%x: tensor<2xi32>) {
  // expected-error@+1 {{operand 0 must be }}
  %0 = "stablehlo.imag"(%x) : (tensor<2xi32>) -> tensor<2xi32>
  return
}
