// RUN: tessera parse --verify-diagnostics %s

func.func @c1(%x: tensor<2xf32>, %y: tensor<3xf32>) {
  // expected-error@+1 {{'stablehlo.atan2' op C1: operands must have the same type, got tensor<2xf32> and tensor<3xf32>}}
  %0 = "stablehlo.atan2"(%x, %y) : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @c1_result(%x: tensor<2xf32>) {
  // expected-error@+1 {{'stablehlo.atan2' op C1: result must have the shape of tensor<2xf32>, got tensor<3xf32>}}
  %0 = "stablehlo.atan2"(%x, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @c1_element(%x: tensor<2xf32>, %y: tensor<2xf64>) {
  // expected-error@+1 {{'stablehlo.atan2' op C1: operands must have the same type, got tensor<2xf32> and tensor<2xf64>}}
  %0 = "stablehlo.atan2"(%x, %y) : (tensor<2xf32>, tensor<2xf64>) -> tensor<2xf32>
  return
}

// -----

func.func @kind(%x: tensor<2xi1>) {
  // expected-error@+1 {{'stablehlo.atan2' op operand 0 must be float, complex or quantized, got tensor<2xi1>}}
  %0 = "stablehlo.atan2"(%x, %x) : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  return
}
