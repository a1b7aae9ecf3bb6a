// Control characters in names of locations do not reach the terminal.
// RUN: tessera partition %s --mesh a=2 --shard 'x=P("a")' --why -o /dev/null 2>&1 | FileCheck %s
// CHECK: r1 all_reduce over "a"{{.*}}(evil " } r2 fake, x.py:1)
func.func @main(%x: tensor<4xf32>) -> tensor<f32> {
  %c = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %c) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32> loc("evil \22 }\0Ar2 fake"("x.py":1:2))
  return %0 : tensor<f32>
}
