// RUN: tessera parse --verify-diagnostics %s

func.func @c1(%p: tensor<3xi1>, %x: tensor<2xf32>) {
  // expected-error@+1 {{'stablehlo.select' op C1: operand 0 must be a scalar or have the shape of tensor<2xf32>, got tensor<3xi1>}}
  %0 = "stablehlo.select"(%p, %x, %x) : (tensor<3xi1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @c2(%p: tensor<i1>, %x: tensor<2xf32>, %y: tensor<2xf64>) {
  // expected-error@+1 {{'stablehlo.select' op C2: operands 1 and 2 must have the same type, got tensor<2xf32> and tensor<2xf64>}}
  %0 = "stablehlo.select"(%p, %x, %y) : (tensor<i1>, tensor<2xf32>, tensor<2xf64>) -> tensor<2xf32>
  return
}

// -----

func.func @c2_shape(%p: tensor<i1>, %x: tensor<2xf32>, %y: tensor<3xf32>) {
  // expected-error@+1 {{'stablehlo.select' op C2: operands 1 and 2 must have the same type, got tensor<2xf32> and tensor<3xf32>}}
  %0 = "stablehlo.select"(%p, %x, %y) : (tensor<i1>, tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @c2_result(%p: tensor<i1>, %x: tensor<2xf32>) {
  // expected-error@+1 {{'stablehlo.select' op C2: result type must be tensor<2xf32>, got tensor<3xf32>}}
  %0 = "stablehlo.select"(%p, %x, %x) : (tensor<i1>, tensor<2xf32>, tensor<2xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @pred(%p: tensor<i8>, %x: tensor<2xf32>) {
  // expected-error@+1 {{'stablehlo.select' op operand 0 must be bool, got tensor<i8>}}
  %0 = "stablehlo.select"(%p, %x, %x) : (tensor<i8>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @per_axis(%c: tensor<i1>, %x: tensor<2x2x!quant.uniform<i8:f32:0, {0.5:0, 0.25:0}>>) {
  // expected-error@+1 {{'stablehlo.select' op operand 1 must be a tensor or a per-tensor quantized tensor, got tensor<2x2x!quant.uniform<i8:f32:0, {5.000000e-01,2.500000e-01}>>}}
  %0 = stablehlo.select %c, %x, %x : tensor<i1>, tensor<2x2x!quant.uniform<i8:f32:0, {0.5:0, 0.25:0}>>
  return
}
