// RUN: tessera parse --verify-diagnostics %s

func.func @c1(%x: tensor<2xf32>, %y: tensor<3xf32>) {
  // expected-error@+1 {{C1: }}
  %0 = "stablehlo.subtract"(%x, %y) : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @c1_result(%x: tensor<2xf32>) {
  // expected-error@+1 {{C1: }}
  %0 = "stablehlo.subtract"(%x, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @c1_element(%x: tensor<2xf32>, %y: tensor<2xf64>) {
  // expected-error@+1 {{C1: }}
  %0 = "stablehlo.subtract"(%x, %y) : (tensor<2xf32>, tensor<2xf64>) -> tensor<2xf32>
  return
}

// -----

func.func @kind(%x: tensor<2xi1>) {
  // expected-error@+1 {{operand 0 must be }}
  %0 = "stablehlo.subtract"(%x, %x) : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  return
}
