// RUN: tessera parse --verify-diagnostics %s

func.func @count(%a: tensor<2x3xf32>, %b: tensor<3xi64>, %c: tensor<2xi64>, %d: tensor<2xi64>) {
  // expected-error@+1 {{'stablehlo.real_dynamic_slice' op start_indices has length 3, expected 2, one entry per dimension}}
  %0 = "stablehlo.real_dynamic_slice"(%a, %b, %c, %d) : (tensor<2x3xf32>, tensor<3xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>
  return
}

// -----

func.func @rank(%a: tensor<2x3xf32>, %b: tensor<2xi64>, %c: tensor<2xi64>, %d: tensor<2xi64>) {
  // expected-error@+1 {{'stablehlo.real_dynamic_slice' op the result has rank 1, expected the operand's rank 2}}
  %0 = "stablehlo.real_dynamic_slice"(%a, %b, %c, %d) : (tensor<2x3xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?xf32>
  return
}
