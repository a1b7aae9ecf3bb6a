// RUN: tessera parse --verify-diagnostics %s

func.func @c1() {
  // expected-error@+1 {{'stablehlo.constant' op C1: the value has type tensor<2xi32> and the result tensor<3xi32>, expected the same}}
  %0 = "stablehlo.constant"() <{value = dense<1> : tensor<2xi32>}> : () -> tensor<3xi32>
  return
}

// -----

func.func @c1_storage() {
  // expected-error@+1 {{'stablehlo.constant' op C1: the value has type tensor<2xi32>, expected the storage type of the result, tensor<2x!quant.uniform<i8:f32, 5.000000e-01>>}}
  %0 = "stablehlo.constant"() <{value = dense<1> : tensor<2xi32>}> : () -> tensor<2x!quant.uniform<i8:f32, 0.5>>
  return
}
