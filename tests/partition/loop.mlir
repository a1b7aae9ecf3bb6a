// A loop whose carry is split: what is exchanged in it stands in the text once and is said to be in a loop.
// RUN: tessera partition %s --mesh x=2,y=2 --shard 'v=P("x")' --shard 'w=P("y")' --verify --stats 2>&1 | FileCheck %s
// RUN: tessera partition %s --mesh x=2,y=2 --shard 'v=P("x")' --shard 'w=P("y")' --json | FileCheck %s --check-prefix=JSON
// RUN: not tessera partition %s --mesh x=2,y=2 --shard 'v=P("x")' --verify --max-steps 5 2>&1 | FileCheck %s --check-prefix=STEPS
// CHECK-DAG: tessera: {{[0-9]+}} reduce_scatter {{.*}} bytes{{.*}}({{[1-9]}} in loops, {{[0-9]+}} runs)
// CHECK-DAG: tessera: verified on 4 devices: 1 result agrees
// CHECK-DAG: stablehlo.while
// JSON: "kind":"reduce_scatter","count":1,"in_loops":1
// STEPS: error: {{.*}}5
func.func @main(%v: tensor<4x6xf32>, %w: tensor<6x6xf32>) -> tensor<4x6xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %carry = %v) : tensor<i32>, tensor<4x6xf32>
  cond {
    %2 = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %2 : tensor<i1>
  } do {
    %2 = stablehlo.dot_general %carry, %w, contracting_dims = [1] x [0] : (tensor<4x6xf32>, tensor<6x6xf32>) -> tensor<4x6xf32>
    %3 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %3, %2 : tensor<i32>, tensor<4x6xf32>
  }
  return %0#1 : tensor<4x6xf32>
}
