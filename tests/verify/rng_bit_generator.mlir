// RUN: tessera parse --verify-diagnostics %s

func.func @c1(%s: tensor<2xui64>) {
  // expected-error@+1 {{C1: }}
  %t, %r = "stablehlo.rng_bit_generator"(%s) {rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>} : (tensor<2xui64>) -> (tensor<3xui64>, tensor<4xui32>)
  return
}

// -----

func.func @c2_threefry(%s: tensor<3xui64>) {
  // expected-error@+1 {{C2: }}
  %t, %r = "stablehlo.rng_bit_generator"(%s) {rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>} : (tensor<3xui64>) -> (tensor<3xui64>, tensor<4xui32>)
  return
}

// -----

func.func @c2_philox(%s: tensor<4xui64>) {
  // expected-error@+1 {{C2: }}
  %t, %r = "stablehlo.rng_bit_generator"(%s) {rng_algorithm = #stablehlo<rng_algorithm PHILOX>} : (tensor<4xui64>) -> (tensor<4xui64>, tensor<4xui32>)
  return
}

// -----

func.func @state(%s: tensor<2xf32>) {
  // expected-error@+1 {{expected a vector of ui64}}
  %t, %r = "stablehlo.rng_bit_generator"(%s) {rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>} : (tensor<2xf32>) -> (tensor<2xf32>, tensor<4xui32>)
  return
}

// -----

func.func @output(%s: tensor<2xui64>) {
  // expected-error@+1 {{expected integers or floats}}
  %t, %r = "stablehlo.rng_bit_generator"(%s) {rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>} : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xcomplex<f32>>)
  return
}
