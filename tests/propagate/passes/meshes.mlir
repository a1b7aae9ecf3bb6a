// Meshes inside shardings become ops, equal ones become one; then axes of size 1, open dimensions and
// priorities go.
// RUN: sdy_opt %s -sdy-lift-inlined-meshes | FileCheck %s --check-prefixes=CHECK,LIFT
// RUN: sdy_opt %s -sdy-lift-inlined-meshes -sdy-remove-size-one-axes | FileCheck %s --check-prefixes=CHECK,ONE
// RUN: sdy_opt %s -sdy-lift-inlined-meshes -sdy-remove-size-one-axes -sdy-close-shardings | FileCheck %s --check-prefixes=CHECK,CLOSED

// CHECK:      sdy.mesh @mesh = <["x"=2, "one"=1, "y"=4]>
// CHECK-NEXT: sdy.mesh @mesh_0 = <["a"=8]>
// CHECK-NEXT: sdy.mesh @maximal_mesh_3 = <[], device_ids=[3]>
// CHECK-NEXT: func.func @f
sdy.mesh @mesh = <["x"=2, "one"=1, "y"=4]>
sdy.mesh @again = <["x"=2, "one"=1, "y"=4]>

// LIFT-SAME:   %arg0: tensor<6x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"one"}p1]>}
// LIFT-SAME:   -> (tensor<6x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"y"}]>})
// ONE-SAME:    %arg0: tensor<6x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}
// CLOSED-SAME: -> (tensor<6x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>})
func.func @f(%arg0: tensor<6x8xf32> {sdy.sharding = #sdy.sharding<@again, [{"x"}, {"one"}p1]>}) -> (tensor<6x8xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=2, "one"=1, "y"=4]>, [{?}, {"y"}]>}) {
  // LIFT:   stablehlo.tanh %arg0 {{.*}}<@mesh_0, [{"a"}, {?}p2]>
  // CLOSED: stablehlo.tanh %arg0 {{.*}}<@mesh_0, [{"a"}, {}]>
  %0 = stablehlo.tanh %arg0 {sdy.sharding = #sdy.sharding_per_value<[<mesh<["a"=8]>, [{"a"}, {?}p2]>]>} : tensor<6x8xf32>
  // CHECK:  sdy.sharding_constraint %0 <@maximal_mesh_3, []>
  %1 = sdy.sharding_constraint %0 <mesh<[], device_ids=[3]>, []> : tensor<6x8xf32>
  // LIFT:   stablehlo.abs %1 {{.*}}<@mesh, [{?}, {?}], replicated={"x", "one"}, unreduced={"y"}>
  // ONE:    stablehlo.abs %1 {{.*}}<@mesh, [{?}, {?}], replicated={"x"}, unreduced={"y"}>
  // CLOSED: stablehlo.abs %1 {{.*}}<@mesh, [{}, {}], unreduced={"y"}>
  %2 = stablehlo.abs %1 {sdy.sharding = #sdy.sharding_per_value<[<@again, [{?}, {?}], replicated={"x", "one"}, unreduced={"y"}>]>} : tensor<6x8xf32>
  return %2 : tensor<6x8xf32>
}
