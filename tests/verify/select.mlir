// RUN: tessera parse --verify-diagnostics %s

func.func @c1(%p: tensor<3xi1>, %x: tensor<2xf32>) {
  // expected-error@+1 {{C1: }}
  %0 = "stablehlo.select"(%p, %x, %x) : (tensor<3xi1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @c2(%p: tensor<i1>, %x: tensor<2xf32>, %y: tensor<2xf64>) {
  // expected-error@+1 {{C2: }}
  %0 = "stablehlo.select"(%p, %x, %y) : (tensor<i1>, tensor<2xf32>, tensor<2xf64>) -> tensor<2xf32>
  return
}

// -----

func.func @c2_shape(%p: tensor<i1>, %x: tensor<2xf32>, %y: tensor<3xf32>) {
  // expected-error@+1 {{C2: }}
  %0 = "stablehlo.select"(%p, %x, %y) : (tensor<i1>, tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @c2_result(%p: tensor<i1>, %x: tensor<2xf32>) {
  // expected-error@+1 {{C2: }}
  %0 = "stablehlo.select"(%p, %x, %x) : (tensor<i1>, tensor<2xf32>, tensor<2xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @pred(%p: tensor<i8>, %x: tensor<2xf32>) {
  // expected-error@+1 {{operand 0 must be bool}}
  %0 = "stablehlo.select"(%p, %x, %x) : (tensor<i8>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @per_axis(%c: tensor<i1>, %x: tensor<2x2x!quant.uniform<i8:f32:0, {0.5:0, 0.25:0}>>) {
  // expected-error@+1 {{operand 1 must be a tensor or a per-tensor quantized tensor}}
  %0 = stablehlo.select %c, %x, %x : tensor<i1>, tensor<2x2x!quant.uniform<i8:f32:0, {0.5:0, 0.25:0}>>
  return
}
