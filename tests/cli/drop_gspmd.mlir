// RUN: tessera parse --drop-shardings %s | FileCheck %s
// Annotations in GSPMD's words and in those of XLA's round trip go; what a manual computation says stays.

// CHECK: module @dropped attributes {mhlo.frontend_attributes = {kept = "1"}}
module @dropped attributes {mhlo.frontend_attributes = {kept = "1", xla.sdy.meshes = "{mesh = #sdy.mesh<[\"x\"=2]>}"}} {
  // CHECK: func.func @main(%arg0: tensor<4x4xf32>, %arg1: tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK-NEXT: %[[A:.*]] = stablehlo.add %arg0, %arg1 : tensor<4x4xf32>
  // CHECK-NEXT: %[[B:.*]] = stablehlo.multiply %[[A]], %arg0 {mhlo.frontend_attributes = {note = "n"}} : tensor<4x4xf32>
  // CHECK-NEXT: return %[[B]]
  func.func @main(%arg0: tensor<4x4xf32> {mhlo.sharding = "{devices=[2,1]<=[2]}"},
                  %arg1: tensor<4x4xf32> {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding<@mesh, [{\"x\"}, {}]>"}})
      -> (tensor<4x4xf32> {mhlo.sharding = "{replicated}"}) {
    %0 = stablehlo.custom_call @Sharding(%arg0) {mhlo.sharding = "{devices=[1,2]<=[2]}"} : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %1 = stablehlo.custom_call @ShardBarrierFrom(%0) : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %2 = stablehlo.custom_call @ShardBarrierTo(%1) : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %3 = stablehlo.add %2, %arg1 {mhlo.sharding = "{replicated}"} : tensor<4x4xf32>
    %4 = sdy.propagation_barrier %3 allowed_direction=NONE : tensor<4x4xf32>
    %5 = stablehlo.custom_call @xla.sdy.PropagationBarrier(%4) {mhlo.frontend_attributes = {xla.sdy.allowed_direction = "1 : i32"}} : (tensor<4x4xf32>) -> tensor<4x4xf32>
    stablehlo.custom_call @xla.sdy.ShardingGroup(%5) {has_side_effect = true, mhlo.frontend_attributes = {xla.sdy.sharding_group_id = "0 : i64"}} : (tensor<4x4xf32>) -> ()
    %6 = stablehlo.multiply %5, %0 {mhlo.frontend_attributes = {note = "n", xla.sdy.sharding = "#sdy.sharding_per_value<[<@mesh, [{}, {}]>]>"}} : tensor<4x4xf32>
    %7 = stablehlo.custom_call @xla.sdy.FuncResultSharding(%6) {has_side_effect = true} : (tensor<4x4xf32>) -> tensor<4x4xf32>
    return %7 : tensor<4x4xf32>
  }
  // CHECK: func.func @manual(%arg0: tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK-NEXT: stablehlo.custom_call @Sharding(%arg0) {mhlo.sharding = "{devices=[2,1]<=[2]}"}
  // CHECK-NEXT: stablehlo.custom_call @SPMDFullToShardShape({{.*}}) {mhlo.sharding = "{manual}"}
  // CHECK-NEXT: stablehlo.negate %{{.*}} : tensor<2x4xf32>
  // CHECK-NEXT: stablehlo.custom_call @Sharding({{.*}}) {mhlo.sharding = "{manual}"}
  // CHECK-NEXT: stablehlo.custom_call @SPMDShardToFullShape({{.*}}) {mhlo.sharding = "{devices=[2,1]<=[2]}"}
  func.func @manual(%arg0: tensor<4x4xf32> {mhlo.sharding = "{replicated}"}) -> tensor<4x4xf32> {
    %0 = stablehlo.custom_call @Sharding(%arg0) {mhlo.sharding = "{devices=[2,1]<=[2]}"} : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {mhlo.sharding = "{manual}"} : (tensor<4x4xf32>) -> tensor<2x4xf32>
    %2 = stablehlo.negate %1 {mhlo.sharding = "{manual}"} : tensor<2x4xf32>
    %3 = stablehlo.custom_call @Sharding(%2) {mhlo.sharding = "{manual}"} : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %4 = stablehlo.custom_call @SPMDShardToFullShape(%3) {mhlo.sharding = "{devices=[2,1]<=[2]}"} : (tensor<2x4xf32>) -> tensor<4x4xf32>
    return %4 : tensor<4x4xf32>
  }
}
