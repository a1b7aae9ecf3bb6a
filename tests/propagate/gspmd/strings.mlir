// RUN: tessera propagate %s | FileCheck %s --check-prefix=SDY
// RUN: tessera propagate --emit=mhlo %s | FileCheck %s --check-prefix=MHLO
// RUN: tessera propagate --emit=mhlo %s | tessera propagate --emit=mhlo | FileCheck %s --check-prefix=MHLO
// GSPMD's strings in, sdy's shardings or strings out; what comes out goes in again and stays as it is.

// SDY: sdy.mesh @mesh = <["axis_0"=2, "axis_1"=2]>
// MHLO: module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32}
// MHLO-NOT: sdy
module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  func.func @main(%arg0: tensor<8x4xf32> {mhlo.sharding = "{devices=[2,1,2]<=[4] last_tile_dim_replicate}"},
                  %arg1: tensor<4x16xf32> {mhlo.sharding = "{devices=[1,2,2]<=[2,2]T(1,0) last_tile_dim_replicate}"}) -> tensor<8x16xf32> {
    // SDY: stablehlo.dot_general {{.*}} {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"axis_0", ?}, {"axis_1", ?}]>]>}
    // MHLO: stablehlo.dot_general {{.*}} {mhlo.sharding = "{devices=[2,2]<=[4]}"}
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>
    // SDY: sdy.sharding_constraint %0 <@mesh, [{}, {"axis_1", ?}]>
    // MHLO: stablehlo.custom_call @Sharding(%0) {backend_config = "unspecified_dims=[1]", mhlo.sharding = "{devices=[1,2,2]<=[2,2]T(1,0) last_tile_dim_replicate}"}
    %1 = stablehlo.custom_call @Sharding(%0) {backend_config = "unspecified_dims=[1]", mhlo.sharding = "{replicated}"} : (tensor<8x16xf32>) -> tensor<8x16xf32>
    // Nothing passes this barrier forward.
    // SDY: sdy.propagation_barrier %1 allowed_direction=BACKWARD
    // SDY-NEXT: stablehlo.tanh %2 : tensor<8x16xf32>
    // MHLO: stablehlo.custom_call @ShardBarrierFrom(%1)
    %2 = stablehlo.custom_call @ShardBarrierFrom(%1) : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %3 = stablehlo.tanh %2 : tensor<8x16xf32>
    return %3 : tensor<8x16xf32>
  }
}
