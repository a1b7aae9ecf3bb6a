// An annotation in XLA's spelling is found where it is written; what a constraint says of its operand
// is the constraint's, and Python lines are shown as locations have them.
// RUN: tessera propagate %s --why %1 --why params.w --why train.py:3 | FileCheck %s

// CHECK: %1 : tensor<8x8xf32> <@mesh, [{"axis_0", ?}, {"axis_1", ?}]>
// CHECK-NEXT: dim 0 "axis_0": from dim 0 of %arg0 'x', annotated at {{.*}}gspmd.mlir:16:26, through
// CHECK-NEXT: dot_general at {{.*}}gspmd.mlir:18 (train.py:3): dim 0 of %arg0 'x' -> dim 0 of %1
// CHECK-NEXT: dim 1 "axis_1": from dim 1 of %0, annotated at {{.*}}gspmd.mlir:17:10, through
// CHECK-NEXT: dot_general at {{.*}}gspmd.mlir:18 (train.py:3): dim 1 of %0 -> dim 1 of %1
// CHECK-NEXT: %arg1 'params.w' : tensor<16x8xf32> <@mesh, [{}, {"axis_1"}]>
// CHECK-NEXT: dim 0: no axes: no op that defines or uses this value offers one
// CHECK-NEXT: dim 1 "axis_1": annotated by sharding_constraint at {{.*}}gspmd.mlir:17:10
// CHECK-NEXT: %1 : tensor<8x8xf32>

module @jit_f attributes {mhlo.num_partitions = 8 : i32} {
  func.func public @main(%arg0: tensor<8x16xf32> {mhlo.sharding = "{devices=[4,1,2]<=[8] last_tile_dim_replicate}"} loc("x"), %arg1: tensor<16x8xf32> loc("params['w']")) -> tensor<8x8xf32> {
    %0 = stablehlo.custom_call @Sharding(%arg1) {mhlo.sharding = "{devices=[1,2,4]<=[4,2]T(1,0) last_tile_dim_replicate}"} : (tensor<16x8xf32>) -> tensor<16x8xf32>
    %1 = stablehlo.dot_general %arg0, %0, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32> loc(callsite("f"("train.py":3:4) at "train.py":9:1))
    return %1 : tensor<8x8xf32>
  }
}
