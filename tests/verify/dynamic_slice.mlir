// RUN: tessera parse --verify-diagnostics %s

func.func @c1(%a: tensor<2x3xf32>, %b: tensor<i64>, %c: tensor<i64>) {
  // expected-error@+1 {{'stablehlo.dynamic_slice' op C1: the result's element type is f64, expected the operand's f32}}
  %0 = "stablehlo.dynamic_slice"(%a, %b, %c) <{slice_sizes = array<i64: 1, 1>}> : (tensor<2x3xf32>, tensor<i64>, tensor<i64>) -> tensor<1x1xf64>
  return
}

// -----

func.func @c2(%a: tensor<2x3xf32>, %b: tensor<i64>) {
  // expected-error@+1 {{'stablehlo.dynamic_slice' op C2: the number of start indices is 1, expected 2, one per dimension}}
  %0 = "stablehlo.dynamic_slice"(%a, %b) <{slice_sizes = array<i64: 1, 1>}> : (tensor<2x3xf32>, tensor<i64>) -> tensor<1x1xf32>
  return
}

// -----

func.func @c2_sizes(%a: tensor<2x3xf32>, %b: tensor<i64>, %c: tensor<i64>) {
  // expected-error@+1 {{'stablehlo.dynamic_slice' op C2: slice_sizes [1] has length 1, expected 2, one entry per dimension}}
  %0 = "stablehlo.dynamic_slice"(%a, %b, %c) <{slice_sizes = array<i64: 1>}> : (tensor<2x3xf32>, tensor<i64>, tensor<i64>) -> tensor<1x1xf32>
  return
}

// -----

func.func @c3(%a: tensor<2x3xf32>, %b: tensor<i64>, %c: tensor<i32>) {
  // expected-error@+1 {{'stablehlo.dynamic_slice' op C3: start indices 0 and 1 have types tensor<i64> and tensor<i32>, expected equal}}
  %0 = "stablehlo.dynamic_slice"(%a, %b, %c) <{slice_sizes = array<i64: 1, 1>}> : (tensor<2x3xf32>, tensor<i64>, tensor<i32>) -> tensor<1x1xf32>
  return
}

// -----

func.func @c4(%a: tensor<2x3xf32>, %b: tensor<i64>, %c: tensor<i64>) {
  // expected-error@+1 {{'stablehlo.dynamic_slice' op C4: slice_sizes are [1, 4], expected each from 0 to the operand's [2, 3]}}
  %0 = "stablehlo.dynamic_slice"(%a, %b, %c) <{slice_sizes = array<i64: 1, 4>}> : (tensor<2x3xf32>, tensor<i64>, tensor<i64>) -> tensor<1x4xf32>
  return
}

// -----

func.func @c5(%a: tensor<2x3xf32>, %b: tensor<i64>, %c: tensor<i64>) {
  // expected-error@+1 {{'stablehlo.dynamic_slice' op C5: the result's shape is [1, 1], expected [1, 2]}}
  %0 = "stablehlo.dynamic_slice"(%a, %b, %c) <{slice_sizes = array<i64: 1, 2>}> : (tensor<2x3xf32>, tensor<i64>, tensor<i64>) -> tensor<1x1xf32>
  return
}
