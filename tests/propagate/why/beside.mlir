// One direction: what gives axes gives them to its like, too (an update to what is updated).
// RUN: tessera propagate %s --mesh m=2 --shard 'row=P(None,"m")' --why stack | FileCheck %s
// CHECK: dim 1 "m": from dim 1 of %row, annotated by --shard 'row=P(None,"m")', through
// CHECK-NEXT: dynamic_update_slice at {{.*}}: dim 1 of %row -> dim 1 of %stack
func.func @main(%stack: tensor<3x16xf32>, %row: tensor<1x16xf32>, %i: tensor<i32>) -> tensor<3x16xf32> {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.dynamic_update_slice %stack, %row, %i, %c : (tensor<3x16xf32>, tensor<1x16xf32>, tensor<i32>, tensor<i32>) -> tensor<3x16xf32>
  return %0 : tensor<3x16xf32>
}
