// RUN: tessera parse --drop-shardings %s | FileCheck %s
// CHECK-NOT: sdy
// CHECK-NOT: mhlo.sharding
// CHECK: func.func @main(%arg0: tensor<4xf32> {jax.arg_info = "x"}, %arg1: tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: %0 = stablehlo.add %arg0, %arg1 : tensor<4xf32>
// CHECK-NEXT: return %0 : tensor<4xf32>
module {
sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<4xf32> {jax.arg_info = "x", sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %b: tensor<4xf32> {mhlo.sharding = "{replicated}"}) -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %0 = sdy.sharding_constraint %a <@mesh, [{"x"}]> : tensor<4xf32>
  %1 = stablehlo.add %0, %b {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<4xf32>
  sdy.sharding_group %1 group_id=0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}
}
