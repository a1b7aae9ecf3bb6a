// RUN: tessera parse --verify-diagnostics %s

func.func @c1(%x: tensor<2xi32>, %y: tensor<3xi32>) {
  // expected-error@+1 {{'stablehlo.shift_left' op C1: operands must have the same type, got tensor<2xi32> and tensor<3xi32>}}
  %0 = "stablehlo.shift_left"(%x, %y) : (tensor<2xi32>, tensor<3xi32>) -> tensor<2xi32>
  return
}

// -----

func.func @c1_result(%x: tensor<2xi32>) {
  // expected-error@+1 {{'stablehlo.shift_left' op C1: result must have the shape of tensor<2xi32>, got tensor<3xi32>}}
  %0 = "stablehlo.shift_left"(%x, %x) : (tensor<2xi32>, tensor<2xi32>) -> tensor<3xi32>
  return
}

// -----

func.func @c1_element(%x: tensor<2xi32>, %y: tensor<2xi64>) {
  // expected-error@+1 {{'stablehlo.shift_left' op C1: operands must have the same type, got tensor<2xi32> and tensor<2xi64>}}
  %0 = "stablehlo.shift_left"(%x, %y) : (tensor<2xi32>, tensor<2xi64>) -> tensor<2xi32>
  return
}

// -----

func.func @kind(%x: tensor<2xf32>) {
  // expected-error@+1 {{'stablehlo.shift_left' op operand 0 must be signed integer or unsigned integer, got tensor<2xf32>}}
  %0 = "stablehlo.shift_left"(%x, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}
