// RUN: tessera parse --verify-diagnostics %s

func.func @c1(%x: tensor<2xf32>, %y: tensor<2xf64>) {
  // expected-error@+1 {{C1: }}
  %0 = "stablehlo.complex"(%x, %y) : (tensor<2xf32>, tensor<2xf64>) -> tensor<2xcomplex<f32>>
  return
}

// -----

func.func @c2(%x: tensor<2xf32>) {
  // expected-error@+1 {{C2: }}
  %0 = "stablehlo.complex"(%x, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<3xcomplex<f32>>
  return
}

// -----

func.func @c3(%x: tensor<2xf32>) {
  // expected-error@+1 {{C3: }}
  %0 = "stablehlo.complex"(%x, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xcomplex<f64>>
  return
}

// -----

func.func @kind(%x: tensor<2xbf16>) {
  // expected-error@+1 {{operand 0 must be }}
  %0 = "stablehlo.complex"(%x, %x) : (tensor<2xbf16>, tensor<2xbf16>) -> tensor<2xcomplex<f32>>
  return
}
