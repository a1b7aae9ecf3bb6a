// RUN: tessera parse --verify-diagnostics %s

func.func @c1(%l: tensor<2xf32>, %x: tensor<3xf32>, %h: tensor<3xf32>) {
  // expected-error@+1 {{'stablehlo.clamp' op C1: min must be a scalar or have the shape of tensor<3xf32>, got tensor<2xf32>}}
  %0 = "stablehlo.clamp"(%l, %x, %h) : (tensor<2xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @c2(%l: tensor<2xf32>, %x: tensor<3xf32>, %h: tensor<3xf32>) {
  // expected-error@+1 {{'stablehlo.clamp' op C2: max must be a scalar or have the shape of tensor<3xf32>, got tensor<2xf32>}}
  %0 = "stablehlo.clamp"(%h, %x, %l) : (tensor<3xf32>, tensor<3xf32>, tensor<2xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @c3(%l: tensor<f64>, %x: tensor<3xf32>) {
  // expected-error@+1 {{'stablehlo.clamp' op C3: operands must have the same element type, got tensor<f64>, tensor<3xf32> and tensor<f64>}}
  %0 = "stablehlo.clamp"(%l, %x, %l) : (tensor<f64>, tensor<3xf32>, tensor<f64>) -> tensor<3xf32>
  return
}

// -----

func.func @c4(%l: tensor<f32>, %x: tensor<3xf32>) {
  // expected-error@+1 {{'stablehlo.clamp' op C4: result type must be tensor<3xf32>, got tensor<4xf32>}}
  %0 = "stablehlo.clamp"(%l, %x, %l) : (tensor<f32>, tensor<3xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

func.func @per_axis(%x: tensor<2x2x!quant.uniform<i8:f32:0, {0.5:0, 0.25:0}>>) {
  // expected-error@+1 {{'stablehlo.clamp' op operand 0 must be a tensor or a per-tensor quantized tensor, got tensor<2x2x!quant.uniform<i8:f32:0, {5.000000e-01,2.500000e-01}>>}}
  %0 = stablehlo.clamp %x, %x, %x : tensor<2x2x!quant.uniform<i8:f32:0, {0.5:0, 0.25:0}>>
  return
}
