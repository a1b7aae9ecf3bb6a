// RUN: tessera parse --verify-diagnostics %s

func.func @c1(%x: tensor<2xf32>) {
  // expected-error@+1 {{'stablehlo.reduce_precision' op C1: result type must be tensor<2xf32>, got tensor<3xf32>}}
  %0 = "stablehlo.reduce_precision"(%x) {exponent_bits = 5 : i32, mantissa_bits = 10 : i32} : (tensor<2xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @c2(%x: tensor<2xf32>) {
  // expected-error@+1 {{'stablehlo.reduce_precision' op C2: exponent_bits must be at least 1, got 0}}
  %0 = "stablehlo.reduce_precision"(%x) {exponent_bits = 0 : i32, mantissa_bits = 10 : i32} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @c3(%x: tensor<2xf32>) {
  // expected-error@+1 {{'stablehlo.reduce_precision' op C3: mantissa_bits must be at least 0, got -1}}
  %0 = "stablehlo.reduce_precision"(%x) {exponent_bits = 5 : i32, mantissa_bits = -1 : i32} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @kind(%x: tensor<2xi32>) {
  // expected-error@+1 {{'stablehlo.reduce_precision' op operand 0 must be float or quantized per tensor, got tensor<2xi32>}}
  %0 = "stablehlo.reduce_precision"(%x) {exponent_bits = 5 : i32, mantissa_bits = 10 : i32} : (tensor<2xi32>) -> tensor<2xi32>
  return
}
