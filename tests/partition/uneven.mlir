// Sizes that do not divide: the last tile is short or empty, what lies beyond its end is never read.
// RUN: tessera partition %s --mesh x=4 --shard 'a=P("x")' --shard 'b=P("x")' --verify 2>&1 | FileCheck %s
// RUN: tessera partition %s --mesh x=8 --shard 'a=P("x")' --verify 2>&1 | FileCheck %s --check-prefix=EIGHT
// RUN: tessera partition %s --mesh x=2,y=3 --shard 'a=P("x", "y")' --verify 2>&1 | FileCheck %s --check-prefix=SIX
// RUN: tessera partition %s --mesh x=3 --shard 'a=P("x")' --verify --tolerance 1e-7 2>&1 | FileCheck %s --check-prefix=TIGHT
// RUN: not tessera partition %s --mesh x=4 --shard 'a=P("x")' --edges=divisible 2>&1 | FileCheck %s --check-prefix=EVEN
// CHECK-DAG: tessera: verified on 4 devices: 3 results agree
// CHECK-DAG: @main(%arg0: tensor<2x5xf32> {jax.arg_info = "a", tessera.global = tensor<7x5xf32>
// EIGHT-DAG: tessera: verified on 8 devices: 3 results agree
// EIGHT-DAG: @main(%arg0: tensor<1x5xf32> {jax.arg_info = "a", tessera.global = tensor<7x5xf32>
// SIX-DAG: tessera: verified on 6 devices: 3 results agree
// SIX-DAG: @main(%arg0: tensor<4x2xf32> {jax.arg_info = "a", tessera.global = tensor<7x5xf32>
// TIGHT: tessera: verified on 3 devices: 3 results agree (floats: |difference| <= 1e-07 (1 + |value|), the largest is 0)
// EVEN: --shard:1:{{[0-9]+}}: error: {{.*}}7
func.func @main(%a: tensor<7x5xf32>, %b: tensor<7x3xi32>) -> (tensor<5x3xf32>, tensor<5xf32>, tensor<i32>) {
  %0 = stablehlo.convert %b : (tensor<7x3xi32>) -> tensor<7x3xf32>
  %1 = stablehlo.dot_general %a, %0, contracting_dims = [0] x [0] : (tensor<7x5xf32>, tensor<7x3xf32>) -> tensor<5x3xf32>
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %2 = stablehlo.reduce(%a init: %least) applies stablehlo.maximum across dimensions = [0] : (tensor<7x5xf32>, tensor<f32>) -> tensor<5xf32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %3 = stablehlo.reduce(%b init: %one) applies stablehlo.add across dimensions = [0, 1] : (tensor<7x3xi32>, tensor<i32>) -> tensor<i32>
  return %1, %2, %3 : tensor<5x3xf32>, tensor<5xf32>, tensor<i32>
}
