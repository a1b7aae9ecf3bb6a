// Random numbers do not depend on what is sharded: the local program has those of the whole.
// RUN: tessera partition %s --mesh x=4 --shard 'x=P("x")' --verify 2>&1 | FileCheck %s
// CHECK-DAG: tessera: verified on 4 devices: 2 results agree
// CHECK-DAG: stablehlo.rng
func.func @main(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %a = stablehlo.constant dense<0.0> : tensor<f32>
  %b = stablehlo.constant dense<1.0> : tensor<f32>
  %s = stablehlo.constant dense<8> : tensor<1xi64>
  %0 = stablehlo.rng %a, %b, %s, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<8xf32>
  %1 = stablehlo.add %x, %0 : tensor<8xf32>
  %2 = stablehlo.rng %a, %b, %s, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<8xf32>
  return %1, %2 : tensor<8xf32>, tensor<8xf32>
}
