// --collectives=fenced: an optimization_barrier before each operand of a scatter, so that XLA merges no slice with the reads that it writes for one.
// RUN: tessera optimize %s --devices 4 --collectives=fenced | FileCheck %s
// RUN: tessera optimize %s --devices 4 --collectives=xla | FileCheck %s
// RUN: tessera optimize %s --devices 4 | FileCheck %s --check-prefix=NONE
// NONE-NOT: optimization_barrier
// CHECK: [[S:%.*]] = stablehlo.dynamic_slice %arg0
// CHECK: [[A:%.*]] = stablehlo.optimization_barrier [[S]] : tensor<3xf32>
// CHECK: [[B:%.*]] = stablehlo.optimization_barrier %arg1 : tensor<3xi32>
// CHECK: "stablehlo.scatter"([[A]], [[B]], %arg2, %arg3, %arg4)
func.func @main(%x: tensor<12xf32>, %y: tensor<3xi32>, %i: tensor<1xi64>, %u: tensor<f32>, %v: tensor<i32>, %at: tensor<i64>) -> (tensor<3xf32>, tensor<3xi32>) {
  %s = stablehlo.dynamic_slice %x, %at, sizes = [3] : (tensor<12xf32>, tensor<i64>) -> tensor<3xf32>
  %r:2 = "stablehlo.scatter"(%s, %y, %i, %u, %v) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<i32>, %c: tensor<f32>, %d: tensor<i32>):
    stablehlo.return %c, %d : tensor<f32>, tensor<i32>
  }) : (tensor<3xf32>, tensor<3xi32>, tensor<1xi64>, tensor<f32>, tensor<i32>) -> (tensor<3xf32>, tensor<3xi32>)
  return %r#0, %r#1 : tensor<3xf32>, tensor<3xi32>
}
