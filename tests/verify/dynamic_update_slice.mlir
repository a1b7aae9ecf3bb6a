// RUN: tessera parse --verify-diagnostics %s

func.func @c1(%a: tensor<2x3xf32>, %b: tensor<1x2xf32>, %c: tensor<i64>, %d: tensor<i64>) {
  // expected-error@+1 {{'stablehlo.dynamic_update_slice' op C1: the operand has type tensor<2x3xf32> and the result tensor<1x2xf32>, expected the same}}
  %0 = "stablehlo.dynamic_update_slice"(%a, %b, %c, %d) : (tensor<2x3xf32>, tensor<1x2xf32>, tensor<i64>, tensor<i64>) -> tensor<1x2xf32>
  return
}

// -----

func.func @c2(%a: tensor<2x3xf32>, %b: tensor<1x2xf64>, %c: tensor<i64>, %d: tensor<i64>) {
  // expected-error@+1 {{'stablehlo.dynamic_update_slice' op C2: update and operand have element types f64 and f32, expected equal}}
  %0 = "stablehlo.dynamic_update_slice"(%a, %b, %c, %d) : (tensor<2x3xf32>, tensor<1x2xf64>, tensor<i64>, tensor<i64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @c3(%a: tensor<2x3xf32>, %b: tensor<2xf32>, %c: tensor<i64>, %d: tensor<i64>) {
  // expected-error@+1 {{'stablehlo.dynamic_update_slice' op C3: update and operand have ranks 1 and 2, expected equal}}
  %0 = "stablehlo.dynamic_update_slice"(%a, %b, %c, %d) : (tensor<2x3xf32>, tensor<2xf32>, tensor<i64>, tensor<i64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @c4(%a: tensor<2x3xf32>, %b: tensor<1x2xf32>, %c: tensor<i64>) {
  // expected-error@+1 {{'stablehlo.dynamic_update_slice' op C4: the number of start indices is 1, expected 2, one per dimension}}
  %0 = "stablehlo.dynamic_update_slice"(%a, %b, %c) : (tensor<2x3xf32>, tensor<1x2xf32>, tensor<i64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @c5(%a: tensor<2x3xf32>, %b: tensor<1x2xf32>, %c: tensor<i64>, %d: tensor<ui8>) {
  // expected-error@+1 {{'stablehlo.dynamic_update_slice' op C5: start indices 0 and 1 have types tensor<i64> and tensor<ui8>, expected equal}}
  %0 = "stablehlo.dynamic_update_slice"(%a, %b, %c, %d) : (tensor<2x3xf32>, tensor<1x2xf32>, tensor<i64>, tensor<ui8>) -> tensor<2x3xf32>
  return
}

// -----

func.func @c6(%a: tensor<2x3xf32>, %b: tensor<3x3xf32>, %c: tensor<i64>, %d: tensor<i64>) {
  // expected-error@+1 {{'stablehlo.dynamic_update_slice' op C6: the update's shape is [3, 3], expected each size at most the operand's [2, 3]}}
  %0 = "stablehlo.dynamic_update_slice"(%a, %b, %c, %d) : (tensor<2x3xf32>, tensor<3x3xf32>, tensor<i64>, tensor<i64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @c1_scale(%x: tensor<2x!quant.uniform<i8:f32, 0.5:0>>, %i: tensor<i32>) {
  // expected-error@+1 {{'stablehlo.dynamic_update_slice' op C1: the operand has type tensor<2x!quant.uniform<i8:f32, 5.000000e-01>> and the result tensor<2x!quant.uniform<i8:f32, 2.500000e-01>>, expected the same}}
  %0 = "stablehlo.dynamic_update_slice"(%x, %x, %i) : (tensor<2x!quant.uniform<i8:f32, 0.5:0>>, tensor<2x!quant.uniform<i8:f32, 0.5:0>>, tensor<i32>) -> tensor<2x!quant.uniform<i8:f32, 0.25:0>>
  return
}
