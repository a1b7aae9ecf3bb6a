// Each call propagates for itself; what turns out equal is one function, the others are copies. What is written is at rest.
// RUN: tessera propagate %s > %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: tessera propagate %t.mlir | diff %t.mlir -
// RUN: tessera run --engine=eval %s > %t.before
// RUN: tessera run --engine=eval %t.mlir | diff %t.before -
// RUN: tessera propagate %s | tessera propagate --close | FileCheck %s --check-prefix=CLOSE
sdy.mesh @mesh = <["data"=4, "model"=2]>

// Three layers: two are alike, the third is cut the other way.
// CHECK-LABEL: func.func public @main(
// CHECK-SAME: %arg1: tensor<16x8xf32> {jax.buffer_donor = true, sdy.sharding = #sdy.sharding<@mesh, [{"data", ?}, {?}]>, tf.aliasing_output = 1 : i32}
// CHECK: call @layer(%arg0, %arg1) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data", ?}, {?}]>]>}
// CHECK-NEXT: call @layer(%0, %arg1)
// CHECK-NEXT: call @layer_0(%arg2, %arg1) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {"data", ?}]>]>}
// CLOSE-NOT: ?
func.func public @main(%x: tensor<32x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>},
                       %w: tensor<16x8xf32> {jax.buffer_donor = true, tf.aliasing_output = 1 : i32},
                       %y: tensor<32x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>})
    -> (tensor<32x16xf32>, tensor<16x8xf32>, tensor<32x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"data"}]>}) {
  %0 = call @layer(%x, %w) : (tensor<32x16xf32>, tensor<16x8xf32>) -> tensor<32x16xf32>
  %1 = call @layer(%0, %w) : (tensor<32x16xf32>, tensor<16x8xf32>) -> tensor<32x16xf32>
  %2 = call @layer(%y, %w) : (tensor<32x16xf32>, tensor<16x8xf32>) -> tensor<32x16xf32>
  return %1, %w, %2 : tensor<32x16xf32>, tensor<16x8xf32>, tensor<32x16xf32>
}

func.func private @layer(%x: tensor<32x16xf32>, %w: tensor<16x8xf32>) -> tensor<32x16xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<32x16xf32>, tensor<16x8xf32>) -> tensor<32x8xf32>
  %1 = call @silu(%0) : (tensor<32x8xf32>) -> tensor<32x8xf32>
  %2 = stablehlo.dot_general %1, %w, contracting_dims = [1] x [1] : (tensor<32x8xf32>, tensor<16x8xf32>) -> tensor<32x16xf32>
  return %2 : tensor<32x16xf32>
}

func.func private @silu(%x: tensor<32x8xf32>) -> tensor<32x8xf32> {
  %0 = stablehlo.logistic %x : tensor<32x8xf32>
  %1 = stablehlo.multiply %x, %0 : tensor<32x8xf32>
  return %1 : tensor<32x8xf32>
}
