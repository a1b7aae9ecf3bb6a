// RUN: tessera parse --verify-diagnostics %s

func.func @negative(%x: tensor<2xf32>) {
  // expected-error@+1 {{'stablehlo.exponential' op result_accuracy has atol -1, rtol 0 and ulps 0, expected each to be at least 0}}
  %0 = stablehlo.exponential %x {result_accuracy = #stablehlo.result_accuracy<atol = -1.0, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<2xf32>
  return
}

// -----

func.func @mode(%x: tensor<2xf32>) {
  // expected-error@+1 {{'stablehlo.tanh' op result_accuracy has tolerances and the mode HIGHEST, expected TOLERANCE}}
  %0 = stablehlo.tanh %x {result_accuracy = #stablehlo.result_accuracy<ulps = 2, mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<2xf32>
  return
}

// -----

func.func @fine(%x: tensor<2xf32>) {
  %0 = stablehlo.tanh %x {result_accuracy = #stablehlo.result_accuracy<ulps = 2, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<2xf32>
  return
}
