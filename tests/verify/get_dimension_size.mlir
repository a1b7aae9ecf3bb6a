// RUN: tessera parse --verify-diagnostics %s

func.func @c1(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{'stablehlo.get_dimension_size' op C1: dimension is 2, expected it in [0, 2)}}
  %0 = "stablehlo.get_dimension_size"(%a) <{dimension = 2 : i64}> : (tensor<2x3xf32>) -> tensor<i32>
  return
}
