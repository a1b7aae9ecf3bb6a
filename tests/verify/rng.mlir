// RUN: tessera parse --verify-diagnostics %s

func.func @c1(%a: tensor<f32>, %b: tensor<f64>, %n: tensor<1xi64>) {
  // expected-error@+1 {{'stablehlo.rng' op C1: a has element type f32 and b f64, expected equal}}
  %r = "stablehlo.rng"(%a, %b, %n) {rng_distribution = #stablehlo<rng_distribution UNIFORM>} : (tensor<f32>, tensor<f64>, tensor<1xi64>) -> tensor<3xf32>
  return
}

// -----

func.func @c1_result(%a: tensor<f32>, %b: tensor<f32>, %n: tensor<1xi64>) {
  // expected-error@+1 {{'stablehlo.rng' op C1: the result has element type f64, expected that of a, f32}}
  %r = "stablehlo.rng"(%a, %b, %n) {rng_distribution = #stablehlo<rng_distribution UNIFORM>} : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<3xf64>
  return
}

// -----

func.func @c2(%a: tensor<i32>, %b: tensor<i32>, %n: tensor<1xi64>) {
  // expected-error@+1 {{'stablehlo.rng' op C2: a has element type i32, expected a float type for NORMAL}}
  %r = "stablehlo.rng"(%a, %b, %n) {rng_distribution = #stablehlo<rng_distribution NORMAL>} : (tensor<i32>, tensor<i32>, tensor<1xi64>) -> tensor<3xi32>
  return
}

// -----

func.func @c3(%a: tensor<f32>, %b: tensor<f32>, %n: tensor<2xi64>) {
  // expected-error@+1 {{'stablehlo.rng' op C3: shape has length 2, expected the result's rank 1}}
  %r = "stablehlo.rng"(%a, %b, %n) {rng_distribution = #stablehlo<rng_distribution UNIFORM>} : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<3xf32>
  return
}

// -----

func.func @c3_known(%a: tensor<f32>) {
  %shape = stablehlo.constant dense<[2, 3]> : tensor<2xi64>
  // expected-error@+1 {{'stablehlo.rng' op C3: the result's shape is [2, 4], expected [2, 3]}}
  %0 = stablehlo.rng %a, %a, %shape, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<2x4xf32>
  return
}

// -----

func.func @shape(%a: tensor<f32>, %shape: tensor<1xf32>) {
  // expected-error@+1 {{'stablehlo.rng' op operand 2 must be a 1-dimensional tensor of integers, got tensor<1xf32>}}
  %0 = stablehlo.rng %a, %a, %shape, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xf32>) -> tensor<2xf32>
  return
}
