// RUN: tessera parse --verify-diagnostics %s

func.func @c1(%x: tensor<2xf32>, %y: tensor<3xf32>) {
  // expected-error@+1 {{C1: }}
  %0 = "stablehlo.add"(%x, %y) : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @c1_result(%x: tensor<2xf32>) {
  // expected-error@+1 {{C1: }}
  %0 = "stablehlo.add"(%x, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @c1_element(%x: tensor<2xf32>, %y: tensor<2xf64>) {
  // expected-error@+1 {{C1: }}
  %0 = "stablehlo.add"(%x, %y) : (tensor<2xf32>, tensor<2xf64>) -> tensor<2xf32>
  return
}

// -----

func.func @c2(%x: tensor<2x2x!quant.uniform<i8:f32, 0.5:0>>, %y: tensor<2x2x!quant.uniform<i8:f32, 0.5:0>>) {
  // expected-error@+1 {{C2: }}
  %0 = "stablehlo.add"(%x, %y) : (tensor<2x2x!quant.uniform<i8:f32, 0.5:0>>, tensor<2x2x!quant.uniform<i8:f32, 0.5:0>>) -> tensor<2x2xf32>
  return
}

// -----

func.func @c2_operand(%x: tensor<2x2x!quant.uniform<i8:f32, 0.5:0>>, %y: tensor<2x2xf32>) {
  // expected-error@+1 {{C2: }}
  %0 = "stablehlo.add"(%x, %y) : (tensor<2x2x!quant.uniform<i8:f32, 0.5:0>>, tensor<2x2xf32>) -> tensor<2x2x!quant.uniform<i8:f32, 0.5:0>>
  return
}

// -----

func.func @c3(%x: tensor<2x2x!quant.uniform<i8:f32, 0.5:0>>, %y: tensor<2x2x!quant.uniform<i8:f32, 0.5:0>>) {
  // expected-error@+1 {{C3: }}
  %0 = "stablehlo.add"(%x, %y) : (tensor<2x2x!quant.uniform<i8:f32, 0.5:0>>, tensor<2x2x!quant.uniform<i8:f32, 0.5:0>>) -> tensor<2x2x!quant.uniform<i4:f32, 0.5:0>>
  return
}

// -----

func.func @c4(%x: tensor<2x2x!quant.uniform<i8:f32, 0.5:0>>, %y: tensor<2x2x!quant.uniform<i8:f32, 0.5:0>>) {
  // expected-error@+1 {{C4: }}
  %0 = "stablehlo.add"(%x, %y) : (tensor<2x2x!quant.uniform<i8:f32, 0.5:0>>, tensor<2x2x!quant.uniform<i8:f32, 0.5:0>>) -> tensor<2x2x!quant.uniform<i8:f64, 0.5:0>>
  return
}

// -----

func.func @c5(%x: tensor<2x2x!quant.uniform<i8:f32:0, {0.5:0, 0.25:0}>>, %y: tensor<2x2x!quant.uniform<i8:f32, 0.5:0>>) {
  // expected-error@+1 {{C5: }}
  %0 = "stablehlo.add"(%x, %y) : (tensor<2x2x!quant.uniform<i8:f32:0, {0.5:0, 0.25:0}>>, tensor<2x2x!quant.uniform<i8:f32, 0.5:0>>) -> tensor<2x2x!quant.uniform<i8:f32, 0.5:0>>
  return
}

// -----

func.func @c6(%x: tensor<2x2x!quant.uniform<i8:f32:0, {0.5:0, 0.25:0}>>, %y: tensor<2x2x!quant.uniform<i8:f32:1, {0.5:0, 0.25:0}>>) {
  // expected-error@+1 {{C6: }}
  %0 = "stablehlo.add"(%x, %y) : (tensor<2x2x!quant.uniform<i8:f32:0, {0.5:0, 0.25:0}>>, tensor<2x2x!quant.uniform<i8:f32:1, {0.5:0, 0.25:0}>>) -> tensor<2x2x!quant.uniform<i8:f32:1, {0.5:0, 0.25:0}>>
  return
}

// -----

func.func @c7(%x: tensor<2x2x!quant.uniform<i8:f32:0, {0.5:0, 0.25:0}>>, %y: tensor<2x2x!quant.uniform<i8:f32:1, {0.5:0, 0.25:0}>>) {
  // expected-error@+1 {{C7: }}
  %0 = "stablehlo.add"(%x, %y) : (tensor<2x2x!quant.uniform<i8:f32:0, {0.5:0, 0.25:0}>>, tensor<2x2x!quant.uniform<i8:f32:1, {0.5:0, 0.25:0}>>) -> tensor<2x2x!quant.uniform<i8:f32:0, {0.5:0, 0.25:0}>>
  return
}
