// RUN: tessera parse --verify-diagnostics %s

func.func @c1(%x: tensor<2xf32>, %y: tensor<2xf64>) {
  // expected-error@+1 {{'stablehlo.complex' op C1: operands must have the same type, got tensor<2xf32> and tensor<2xf64>}}
  %0 = "stablehlo.complex"(%x, %y) : (tensor<2xf32>, tensor<2xf64>) -> tensor<2xcomplex<f32>>
  return
}

// -----

func.func @c2(%x: tensor<2xf32>) {
  // expected-error@+1 {{'stablehlo.complex' op C2: result must have the shape of tensor<2xcomplex<f32>>, got tensor<3xcomplex<f32>>}}
  %0 = "stablehlo.complex"(%x, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<3xcomplex<f32>>
  return
}

// -----

func.func @c3(%x: tensor<2xf32>) {
  // expected-error@+1 {{'stablehlo.complex' op C3: result type must be tensor<2xcomplex<f32>>, got tensor<2xcomplex<f64>>}}
  %0 = "stablehlo.complex"(%x, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xcomplex<f64>>
  return
}

// -----

func.func @kind(%x: tensor<2xbf16>) {
  // expected-error@+1 {{'stablehlo.complex' op operand 0 must be float, got tensor<2xbf16>}}
  %0 = "stablehlo.complex"(%x, %x) : (tensor<2xbf16>, tensor<2xbf16>) -> tensor<2xcomplex<f32>>
  return
}
