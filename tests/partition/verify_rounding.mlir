// What is off because devices add in another order, and is magnified, agrees as far as rounding lets it; a tolerance that is
// said is a bound.
// RUN: tessera partition %s --mesh a=4 --shard '0=P("a")' --verify -o /dev/null 2>&1 | FileCheck %s
// RUN: not tessera partition %s --mesh a=4 --shard '0=P("a")' --verify --tolerance=1e-3 -o /dev/null 2>&1 | FileCheck %s --check-prefix=BOUND
// RUN: tessera partition %s --mesh a=4 --shard '0=P("a")' --verify --json 2>/dev/null | FileCheck %s --check-prefix=JSON
// CHECK: verified on 4 devices: 2 results agree up to rounding
// BOUND: differs from the global program
// JSON: "agree":true{{.*}}"rounded":true
func.func @main(%x: tensor<4096xf32>) -> (tensor<f32>, tensor<4096xf32>) {
  %three = stablehlo.constant dense<3.0> : tensor<4096xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %y = stablehlo.divide %x, %three : tensor<4096xf32>
  %z = stablehlo.reverse %y, dims = [0] : tensor<4096xf32>
  %a = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4096xf32>, tensor<f32>) -> tensor<f32>
  %b = stablehlo.reduce(%z init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4096xf32>, tensor<f32>) -> tensor<f32>
  %d = stablehlo.subtract %a, %b : tensor<f32>
  %big = stablehlo.constant dense<1.0e6> : tensor<f32>
  %r = stablehlo.multiply %d, %big : tensor<f32>
  return %r, %y : tensor<f32>, tensor<4096xf32>
}
