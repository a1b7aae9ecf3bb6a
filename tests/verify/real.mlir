// RUN: tessera parse --verify-diagnostics %s

func.func @c1(%x: tensor<2xcomplex<f32>>) {
  // expected-error@+1 {{'stablehlo.real' op C1: result must have the shape of tensor<2xf32>, got tensor<3xf32>}}
  %0 = "stablehlo.real"(%x) : (tensor<2xcomplex<f32>>) -> tensor<3xf32>
  return
}

// -----

func.func @c2(%x: tensor<2xcomplex<f32>>) {
  // expected-error@+1 {{'stablehlo.real' op C2: result type must be tensor<2xf32>, got tensor<2xcomplex<f32>>}}
  %0 = "stablehlo.real"(%x) : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  return
}

// -----

func.func @kind(%x: tensor<2xi32>) {
  // expected-error@+1 {{'stablehlo.real' op operand 0 must be float or complex, got tensor<2xi32>}}
  %0 = "stablehlo.real"(%x) : (tensor<2xi32>) -> tensor<2xi32>
  return
}
