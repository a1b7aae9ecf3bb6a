// RUN: tessera parse --verify-diagnostics %s

func.func @c1(%x: tensor<3x3xf32>) {
  // expected-error@+1 {{C1: }}
  %r = "stablehlo.cholesky"(%x) {lower = true} : (tensor<3x3xf32>) -> tensor<3x3xf64>
  return
}

// -----

func.func @c1_shape(%x: tensor<3x3xf32>) {
  // expected-error@+1 {{C1: }}
  %r = "stablehlo.cholesky"(%x) {lower = true} : (tensor<3x3xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @c2(%x: tensor<3xf32>) {
  // expected-error@+1 {{C2: }}
  %r = "stablehlo.cholesky"(%x) {lower = true} : (tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @c3(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{C3: }}
  %r = "stablehlo.cholesky"(%x) {lower = true} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @integers(%x: tensor<2x2xi32>) {
  // expected-error@+1 {{expected a float or complex type}}
  %r = "stablehlo.cholesky"(%x) {lower = true} : (tensor<2x2xi32>) -> tensor<2x2xi32>
  return
}
