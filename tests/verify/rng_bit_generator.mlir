// RUN: tessera parse --verify-diagnostics %s

func.func @c1(%s: tensor<2xui64>) {
  // expected-error@+1 {{'stablehlo.rng_bit_generator' op C1: output_state has type tensor<3xui64>, expected that of initial_state, tensor<2xui64>}}
  %t, %r = "stablehlo.rng_bit_generator"(%s) {rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>} : (tensor<2xui64>) -> (tensor<3xui64>, tensor<4xui32>)
  return
}

// -----

func.func @c2_threefry(%s: tensor<3xui64>) {
  // expected-error@+1 {{'stablehlo.rng_bit_generator' op C2: initial_state has 3 elements, expected 2}}
  %t, %r = "stablehlo.rng_bit_generator"(%s) {rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>} : (tensor<3xui64>) -> (tensor<3xui64>, tensor<4xui32>)
  return
}

// -----

func.func @c2_philox(%s: tensor<4xui64>) {
  // expected-error@+1 {{'stablehlo.rng_bit_generator' op C2: initial_state has 4 elements, expected 2 or 3}}
  %t, %r = "stablehlo.rng_bit_generator"(%s) {rng_algorithm = #stablehlo<rng_algorithm PHILOX>} : (tensor<4xui64>) -> (tensor<4xui64>, tensor<4xui32>)
  return
}

// -----

func.func @state(%s: tensor<2xf32>) {
  // expected-error@+1 {{'stablehlo.rng_bit_generator' op initial_state has type tensor<2xf32>, expected a vector of ui64}}
  %t, %r = "stablehlo.rng_bit_generator"(%s) {rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>} : (tensor<2xf32>) -> (tensor<2xf32>, tensor<4xui32>)
  return
}

// -----

func.func @output(%s: tensor<2xui64>) {
  // expected-error@+1 {{'stablehlo.rng_bit_generator' op output has type tensor<4xcomplex<f32>>, expected integers or floats}}
  %t, %r = "stablehlo.rng_bit_generator"(%s) {rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>} : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xcomplex<f32>>)
  return
}
