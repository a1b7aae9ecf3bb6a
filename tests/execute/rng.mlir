// Every run draws the same numbers, as in the evaluator.
// RUN: tessera run %s --all --repeat=3 > %t.compiled
// RUN: tessera run %s --all --repeat=3 --engine=eval > %t.eval
// RUN: cmp %t.compiled %t.eval
func.func @main() -> (tensor<3x4xf32>, tensor<5xf64>) {
  %a = stablehlo.constant dense<-1.0> : tensor<f32>
  %b = stablehlo.constant dense<2.0> : tensor<f32>
  %shape = stablehlo.constant dense<[3, 4]> : tensor<2xi64>
  %0 = stablehlo.rng %a, %b, %shape, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<3x4xf32>
  %c = stablehlo.constant dense<0.0> : tensor<f64>
  %d = stablehlo.constant dense<1.0> : tensor<f64>
  %long = stablehlo.constant dense<[5]> : tensor<1xi64>
  %1 = stablehlo.rng %c, %d, %long, distribution = NORMAL : (tensor<f64>, tensor<f64>, tensor<1xi64>) -> tensor<5xf64>
  return %0, %1 : tensor<3x4xf32>, tensor<5xf64>
}
