// RUN: tessera propagate %s | FileCheck %s
// RUN: tessera propagate --emit=mhlo %s >%t.1
// RUN: tessera propagate --emit=mhlo %t.1 >%t.2
// RUN: FileCheck %s --check-prefix=MHLO <%t.1
// RUN: diff %t.1 %t.2
// JAX's shard_map over one axis of two, as it was lowered for GSPMD: a manual computation. The other axis is
// propagated through it. Written back it is as it came, and stays so.

// CHECK: sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"axis_0"{{.*}}}, {"axis_1"{{.*}}}]>] out_shardings=[<@mesh, [{"axis_0"{{.*}}}, {"axis_1"{{.*}}}]>] manual_axes={"axis_0"}
// MHLO: stablehlo.custom_call @SPMDFullToShardShape
// MHLO: call @shmap_body
// MHLO: stablehlo.custom_call @SPMDShardToFullShape
module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<8x4xf32> {mhlo.sharding = "{devices=[2,2]<=[4]}"}) -> tensor<8x4xf32> {
    %0 = stablehlo.custom_call @Sharding(%arg0) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{devices=[2,1,2]<=[4] last_tile_dim_replicate}"} : (tensor<8x4xf32>) -> tensor<8x4xf32>
    %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{devices=[1,1,2,2]<=[4] last_tile_dims={manual, replicated}}"} : (tensor<8x4xf32>) -> tensor<4x4xf32>
    %2 = call @shmap_body(%1) : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %3 = stablehlo.custom_call @Sharding(%2) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{devices=[1,1,2,2]<=[4] last_tile_dims={manual, replicated}}"} : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %4 = stablehlo.custom_call @SPMDShardToFullShape(%3) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{devices=[2,1,2]<=[4] last_tile_dim_replicate}"} : (tensor<4x4xf32>) -> tensor<8x4xf32>
    return %4 : tensor<8x4xf32>
  }
  func.func private @shmap_body(%arg0: tensor<4x4xf32>) -> tensor<4x4xf32> {
    %0 = stablehlo.negate %arg0 : tensor<4x4xf32>
    return %0 : tensor<4x4xf32>
  }
}
