// RUN: tessera check %s

func.func @uniform_floats_lie_in_range() {
  %a = stablehlo.constant dense<-1.0> : tensor<f32>
  %b = stablehlo.constant dense<3.0> : tensor<f32>
  %n = stablehlo.constant dense<[50, 20]> : tensor<2xi64>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %r = stablehlo.rng %a, %b, %n, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<50x20xf32>
  %lo = stablehlo.reduce(%r init: %b) applies stablehlo.minimum across dimensions = [0, 1] : (tensor<50x20xf32>, tensor<f32>) -> tensor<f32>
  %hi = stablehlo.reduce(%r init: %a) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<50x20xf32>, tensor<f32>) -> tensor<f32>
  %c = stablehlo.compare GE, %lo, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %d = stablehlo.compare LT, %hi, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
  check.expect_eq_const %c, dense<true> : tensor<i1>
  check.expect_eq_const %d, dense<true> : tensor<i1>
  %e = stablehlo.compare LT, %lo, %z : (tensor<f32>, tensor<f32>) -> tensor<i1>
  check.expect_eq_const %e, dense<true> : tensor<i1>
  return
}

// -----

func.func @one_integer_is_possible() {
  %a = stablehlo.constant dense<4> : tensor<i32>
  %b = stablehlo.constant dense<5> : tensor<i32>
  %n = stablehlo.constant dense<[3]> : tensor<1xi64>
  %r = "stablehlo.rng"(%a, %b, %n) {rng_distribution = #stablehlo<rng_distribution UNIFORM>} : (tensor<i32>, tensor<i32>, tensor<1xi64>) -> tensor<3xi32>
  check.expect_eq_const %r, dense<4> : tensor<3xi32>
  return
}

// -----

func.func @normal_without_spread_is_the_mean() {
  %a = stablehlo.constant dense<2.5> : tensor<f64>
  %b = stablehlo.constant dense<0.0> : tensor<f64>
  %n = stablehlo.constant dense<2> : tensor<2xi64>
  %r = stablehlo.rng %a, %b, %n, distribution = NORMAL : (tensor<f64>, tensor<f64>, tensor<2xi64>) -> tensor<2x2xf64>
  check.expect_eq_const %r, dense<2.5> : tensor<2x2xf64>
  return
}

// -----

func.func @normal_has_its_moments() {
  %a = stablehlo.constant dense<0.0> : tensor<f64>
  %b = stablehlo.constant dense<1.0> : tensor<f64>
  %n = stablehlo.constant dense<[10000]> : tensor<1xi64>
  %k = stablehlo.constant dense<10000.0> : tensor<f64>
  %r = stablehlo.rng %a, %b, %n, distribution = NORMAL : (tensor<f64>, tensor<f64>, tensor<1xi64>) -> tensor<10000xf64>
  %q = stablehlo.multiply %r, %r : tensor<10000xf64>
  %s = stablehlo.reduce(%q init: %a) applies stablehlo.add across dimensions = [0] : (tensor<10000xf64>, tensor<f64>) -> tensor<f64>
  %v = stablehlo.divide %s, %k : tensor<f64>
  %lo = stablehlo.constant dense<0.9> : tensor<f64>
  %hi = stablehlo.constant dense<1.1> : tensor<f64>
  %w = stablehlo.clamp %lo, %v, %hi : tensor<f64>
  check.expect_eq %w, %v : tensor<f64>
  return
}

// -----

func.func @scalar_and_boolean() {
  %a = stablehlo.constant dense<false> : tensor<i1>
  %b = stablehlo.constant dense<true> : tensor<i1>
  %n = stablehlo.constant dense<> : tensor<0xi64>
  %r = stablehlo.rng %a, %b, %n, distribution = UNIFORM : (tensor<i1>, tensor<i1>, tensor<0xi64>) -> tensor<i1>
  check.expect_eq_const %r, dense<false> : tensor<i1>
  return
}
