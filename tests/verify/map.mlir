// RUN: tessera parse --verify-diagnostics %s

func.func @c1(%x: tensor<2xf32>, %y: tensor<3xf32>) {
  // expected-error@+1 {{'stablehlo.map' op C1: operands must have the same shape, got tensor<2xf32> and tensor<3xf32>}}
  %0 = "stablehlo.map"(%x, %y) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) {dimensions = array<i64: 0>} : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @c1_result(%x: tensor<2xf32>, %y: tensor<2xf32>) {
  // expected-error@+1 {{'stablehlo.map' op C1: result must have the shape of tensor<2xf32>, got tensor<3xf32>}}
  %0 = "stablehlo.map"(%x, %y) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) {dimensions = array<i64: 0>} : (tensor<2xf32>, tensor<2xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @c2() {
  // expected-error@+1 {{'stablehlo.map' op C2: there are no operands, expected at least one}}
  %0 = "stablehlo.map"() ({
    %1 = stablehlo.constant dense<1.0> : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {dimensions = array<i64>} : () -> tensor<f32>
  return
}

// -----

func.func @c3(%x: tensor<2xf32>, %y: tensor<2xf32>) {
  // expected-error@+1 {{'stablehlo.map' op C3: dimensions are [1], expected [0]}}
  %0 = "stablehlo.map"(%x, %y) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) {dimensions = array<i64: 1>} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @c4_count(%x: tensor<2xf32>, %y: tensor<2xf32>) {
  // expected-error@+1 {{'stablehlo.map' op C4: the body must take 2 arguments, got 1}}
  %0 = "stablehlo.map"(%x, %y) ({
  ^bb0(%a: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) {dimensions = array<i64: 0>} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @c4_type(%x: tensor<2xf32>, %y: tensor<2xf32>) {
  // expected-error@+1 {{'stablehlo.map' op C4: argument 1 of the body must be tensor<f32>, got tensor<f64>}}
  %0 = "stablehlo.map"(%x, %y) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f64>):
    stablehlo.return %a : tensor<f32>
  }) {dimensions = array<i64: 0>} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @c4_result(%x: tensor<2xf32>, %y: tensor<2xf32>) {
  // expected-error@+1 {{'stablehlo.map' op C4: result type must be tensor<2xf32>, got tensor<2xf64>}}
  %0 = "stablehlo.map"(%x, %y) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) {dimensions = array<i64: 0>} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf64>
  return
}
