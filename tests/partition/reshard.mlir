// A constraint that moves an axis from one dimension to another is one all-to-all; integers agree exactly.
// RUN: tessera partition %s --verify --stats 2>&1 | FileCheck %s
// RUN: tessera partition %s --generic | FileCheck %s --check-prefix=GENERIC
// CHECK-DAG: tessera: 1 all_to_all 1 group of 4 48 bytes
// CHECK-DAG: tessera: verified on 4 devices: 1 result agrees exactly
// CHECK-DAG: @main(%arg0: tensor<2x8xi32> {{.*}} -> (tensor<8x2xi32>
// CHECK-DAG: "stablehlo.all_to_all"(%{{.*}}) <{{{.*}}concat_dimension = 0{{.*}}split_dimension = 1
// CHECK-NOT: sdy.mesh
// CHECK-NOT: sharding_constraint
// GENERIC: "func.func"()
// GENERIC: "func.return"
sdy.mesh @mesh = <["x"=4]>
func.func @main(%a: tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<8x8xi32> {
  %0 = stablehlo.negate %a : tensor<8x8xi32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{}, {"x"}]> : tensor<8x8xi32>
  %2 = stablehlo.multiply %1, %1 : tensor<8x8xi32>
  return %2 : tensor<8x8xi32>
}
