// Every change of a sharding is written out as the partitioner makes it: weights gathered where they are used, partial sums
// whole where they are settled, then cut; a loop's operands and what it returns as it carries them. What is made of ops that
// only follow has no constraint.
// RUN: tessera propagate --reshards %s | FileCheck %s
// Told so, the partitioner exchanges the same.
// RUN: tessera partition --stats %s -o /dev/null 2>&1 | grep bytes > %t.plain
// RUN: tessera propagate --reshards %s | tessera partition --stats -o /dev/null 2>&1 | grep bytes > %t.told
// RUN: diff %t.plain %t.told
// RUN: tessera propagate --reshards --emit=mhlo %s | FileCheck --check-prefix=MHLO %s

sdy.mesh @mesh = <["data"=4]>
// CHECK-LABEL: func.func public @main
// CHECK: %[[W:.*]] = sdy.sharding_constraint %arg1 <@mesh, [{}, {}]>
// CHECK-NEXT: %[[Y:.*]] = stablehlo.dot %arg0, %[[W]] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {}]>]>}
// CHECK-NEXT: %[[YS:.*]] = sdy.sharding_constraint %[[Y]] <@mesh, [{"data"}, {}]>
// CHECK-NEXT: %[[T:.*]] = stablehlo.tanh %[[YS]]
// CHECK-NEXT: %[[G:.*]] = stablehlo.dot_general %arg0, %[[T]]{{.*}} {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>}
// CHECK-NEXT: %[[GS:.*]] = sdy.sharding_constraint %[[G]] <@mesh, [{}, {}]>
// CHECK-NEXT: %[[GD:.*]] = sdy.sharding_constraint %[[GS]] <@mesh, [{"data"}, {}]>
// CHECK-NEXT: return %[[T]], %[[GD]]
// MHLO: stablehlo.custom_call @Sharding(%arg1) {mhlo.sharding = "{replicated}"}
func.func public @main(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>},
                       %w: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>})
    -> (tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>},
        tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}) {
  %0 = stablehlo.dot %x, %w : (tensor<16x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
  %1 = stablehlo.tanh %0 : tensor<16x8xf32>
  %2 = stablehlo.dot_general %x, %1, contracting_dims = [0] x [0] : (tensor<16x8xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
  return %1, %2 : tensor<16x8xf32>, tensor<8x8xf32>
}
