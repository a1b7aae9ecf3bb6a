// RUN: tessera parse --verify-diagnostics %s

func.func @c1() {
  // expected-error@+1 {{C1: the value has type tensor<2xi32> and the result tensor<3xi32>}}
  %0 = "stablehlo.constant"() <{value = dense<1> : tensor<2xi32>}> : () -> tensor<3xi32>
  return
}

// -----

func.func @c1_storage() {
  // expected-error@+1 {{C1: the value has type tensor<2xi32>, expected the storage of}}
  %0 = "stablehlo.constant"() <{value = dense<1> : tensor<2xi32>}> : () -> tensor<2x!quant.uniform<i8:f32, 0.5>>
  return
}
