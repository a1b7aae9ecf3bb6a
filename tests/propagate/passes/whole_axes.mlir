// Parts of axes stay out of the main function's open dimensions; closed ones are as the user wrote them.
// RUN: sdy_opt %s -sdy-remove-sub-axes-in-input-output-shardings | FileCheck %s
// RUN: sdy_opt %s -sdy-inline-meshes | FileCheck %s --check-prefix=INLINE

sdy.mesh @mesh = <["x"=4, "y"=2]>

// CHECK: func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2}, {"y", ?}]>}
// CHECK-SAME: -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {}]>})
// CHECK-NEXT: stablehlo.tanh %arg0 {{.*}}<@mesh, [{"x":(1)2, ?}, {?}]>
// INLINE-NOT: sdy.mesh
// INLINE: func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=4, "y"=2]>, [{"x":(1)2}, {"y", "x":(2)2, ?}]>}
func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2}, {"y", "x":(2)2, ?}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2, "y", ?}, {}]>}) {
  %0 = stablehlo.tanh %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x":(1)2, ?}, {?}]>]>} : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
