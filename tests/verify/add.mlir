// RUN: tessera parse --verify-diagnostics %s

func.func @c1(%x: tensor<2xf32>, %y: tensor<3xf32>) {
  // expected-error@+1 {{'stablehlo.add' op C1: operands must have the same type, got tensor<2xf32> and tensor<3xf32>}}
  %0 = "stablehlo.add"(%x, %y) : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @c1_result(%x: tensor<2xf32>) {
  // expected-error@+1 {{'stablehlo.add' op C1: result must have the shape of tensor<2xf32>, got tensor<3xf32>}}
  %0 = "stablehlo.add"(%x, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @c1_element(%x: tensor<2xf32>, %y: tensor<2xf64>) {
  // expected-error@+1 {{'stablehlo.add' op C1: operands must have the same type, got tensor<2xf32> and tensor<2xf64>}}
  %0 = "stablehlo.add"(%x, %y) : (tensor<2xf32>, tensor<2xf64>) -> tensor<2xf32>
  return
}

// -----

func.func @c2(%x: tensor<2x2x!quant.uniform<i8:f32, 0.5:0>>, %y: tensor<2x2x!quant.uniform<i8:f32, 0.5:0>>) {
  // expected-error@+1 {{'stablehlo.add' op C2: operands and result must all be quantized, got tensor<2x2x!quant.uniform<i8:f32, 5.000000e-01>>, tensor<2x2x!quant.uniform<i8:f32, 5.000000e-01>> and tensor<2x2xf32>}}
  %0 = "stablehlo.add"(%x, %y) : (tensor<2x2x!quant.uniform<i8:f32, 0.5:0>>, tensor<2x2x!quant.uniform<i8:f32, 0.5:0>>) -> tensor<2x2xf32>
  return
}

// -----

func.func @c2_operand(%x: tensor<2x2x!quant.uniform<i8:f32, 0.5:0>>, %y: tensor<2x2xf32>) {
  // expected-error@+1 {{'stablehlo.add' op C2: operands and result must all be quantized, got tensor<2x2x!quant.uniform<i8:f32, 5.000000e-01>>, tensor<2x2xf32> and tensor<2x2x!quant.uniform<i8:f32, 5.000000e-01>>}}
  %0 = "stablehlo.add"(%x, %y) : (tensor<2x2x!quant.uniform<i8:f32, 0.5:0>>, tensor<2x2xf32>) -> tensor<2x2x!quant.uniform<i8:f32, 0.5:0>>
  return
}

// -----

func.func @c3(%x: tensor<2x2x!quant.uniform<i8:f32, 0.5:0>>, %y: tensor<2x2x!quant.uniform<i8:f32, 0.5:0>>) {
  // expected-error@+1 {{'stablehlo.add' op C3: storage types must be the same, got i8, i8 and i4}}
  %0 = "stablehlo.add"(%x, %y) : (tensor<2x2x!quant.uniform<i8:f32, 0.5:0>>, tensor<2x2x!quant.uniform<i8:f32, 0.5:0>>) -> tensor<2x2x!quant.uniform<i4:f32, 0.5:0>>
  return
}

// -----

func.func @c4(%x: tensor<2x2x!quant.uniform<i8:f32, 0.5:0>>, %y: tensor<2x2x!quant.uniform<i8:f32, 0.5:0>>) {
  // expected-error@+1 {{'stablehlo.add' op C4: expressed types must be the same, got f32, f32 and f64}}
  %0 = "stablehlo.add"(%x, %y) : (tensor<2x2x!quant.uniform<i8:f32, 0.5:0>>, tensor<2x2x!quant.uniform<i8:f32, 0.5:0>>) -> tensor<2x2x!quant.uniform<i8:f64, 0.5:0>>
  return
}

// -----

func.func @c5(%x: tensor<2x2x!quant.uniform<i8:f32:0, {0.5:0, 0.25:0}>>, %y: tensor<2x2x!quant.uniform<i8:f32, 0.5:0>>) {
  // expected-error@+1 {{'stablehlo.add' op C5: result must be quantized per axis if and only if an operand is, got tensor<2x2x!quant.uniform<i8:f32, 5.000000e-01>> for operands tensor<2x2x!quant.uniform<i8:f32:0, {5.000000e-01,2.500000e-01}>> and tensor<2x2x!quant.uniform<i8:f32, 5.000000e-01>>}}
  %0 = "stablehlo.add"(%x, %y) : (tensor<2x2x!quant.uniform<i8:f32:0, {0.5:0, 0.25:0}>>, tensor<2x2x!quant.uniform<i8:f32, 0.5:0>>) -> tensor<2x2x!quant.uniform<i8:f32, 0.5:0>>
  return
}

// -----

func.func @c6(%x: tensor<2x2x!quant.uniform<i8:f32:0, {0.5:0, 0.25:0}>>, %y: tensor<2x2x!quant.uniform<i8:f32:1, {0.5:0, 0.25:0}>>) {
  // expected-error@+1 {{'stablehlo.add' op C6: quantization dimensions of lhs and result are 0 and 1, expected equal}}
  %0 = "stablehlo.add"(%x, %y) : (tensor<2x2x!quant.uniform<i8:f32:0, {0.5:0, 0.25:0}>>, tensor<2x2x!quant.uniform<i8:f32:1, {0.5:0, 0.25:0}>>) -> tensor<2x2x!quant.uniform<i8:f32:1, {0.5:0, 0.25:0}>>
  return
}

// -----

func.func @c7(%x: tensor<2x2x!quant.uniform<i8:f32:0, {0.5:0, 0.25:0}>>, %y: tensor<2x2x!quant.uniform<i8:f32:1, {0.5:0, 0.25:0}>>) {
  // expected-error@+1 {{'stablehlo.add' op C7: quantization dimensions of rhs and result are 1 and 0, expected equal}}
  %0 = "stablehlo.add"(%x, %y) : (tensor<2x2x!quant.uniform<i8:f32:0, {0.5:0, 0.25:0}>>, tensor<2x2x!quant.uniform<i8:f32:1, {0.5:0, 0.25:0}>>) -> tensor<2x2x!quant.uniform<i8:f32:0, {0.5:0, 0.25:0}>>
  return
}
