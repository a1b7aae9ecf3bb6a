// A constant is cut as each of its users needs it: one copy per way, none for scalars.
// RUN: tessera propagate %s > %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: tessera propagate %t.mlir | diff %t.mlir -
// RUN: tessera run --engine=eval %s --entry=mask > %t.before
// RUN: tessera run --engine=eval %t.mlir --entry=mask | diff %t.before -
sdy.mesh @mesh = <["x"=2, "y"=2]>

// CHECK-LABEL: func.func @mask(
// CHECK: %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[ROWS:.*]] = stablehlo.iota dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}, {?}]>]>} : tensor<8x8xi32>
// CHECK-NEXT: %[[ROWS_Y:.*]] = stablehlo.iota dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {"y", ?}]>]>} : tensor<8x8xi32>
// CHECK-NEXT: %[[COLS:.*]] = stablehlo.iota dim = 1 {{.*}}{"x", ?}, {?}
// CHECK-NEXT: %[[COLS_Y:.*]] = stablehlo.iota dim = 1 {{.*}}{?}, {"y", ?}
// CHECK-NEXT: %[[M:.*]] = stablehlo.compare GE, %[[ROWS]], %[[COLS]] {{.*}}{"x", ?}, {?}
// CHECK-NEXT: %[[M_Y:.*]] = stablehlo.compare GE, %[[ROWS_Y]], %[[COLS_Y]] {{.*}}{?}, {"y", ?}
// CHECK-NEXT: %[[Z:.*]] = stablehlo.broadcast_in_dim %cst, dims = [] {{.*}}{"x", ?}, {?}
// CHECK-NEXT: %[[Z_Y:.*]] = stablehlo.broadcast_in_dim %cst, dims = [] {{.*}}{?}, {"y", ?}
// CHECK-NEXT: stablehlo.select %[[M]], %arg0, %[[Z]]
// CHECK-NEXT: stablehlo.select %[[M_Y]], %arg1, %[[Z_Y]]
// CHECK-NEXT: stablehlo.select %[[M]], %arg2, %[[Z]]
func.func @mask(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
                %b: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>},
                %c: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
    -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
  %cst = stablehlo.constant dense<0.0> : tensor<f32>
  %rows = stablehlo.iota dim = 0 : tensor<8x8xi32>
  %cols = stablehlo.iota dim = 1 : tensor<8x8xi32>
  %m = stablehlo.compare GE, %rows, %cols : (tensor<8x8xi32>, tensor<8x8xi32>) -> tensor<8x8xi1>
  %z = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
  %0 = stablehlo.select %m, %a, %z : tensor<8x8xi1>, tensor<8x8xf32>
  %1 = stablehlo.select %m, %b, %z : tensor<8x8xi1>, tensor<8x8xf32>
  %2 = stablehlo.select %m, %c, %z : tensor<8x8xi1>, tensor<8x8xf32>
  return %0, %1, %2 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}

// A use inside a loop is a use: the copy stands outside, where the constant does.
// CHECK-LABEL: func.func @outside(
// CHECK: %cst = stablehlo.constant {{.*}}{"x", ?}, {?}
// CHECK-NEXT: %cst_0 = stablehlo.constant {{.*}}{?}, {"y", ?}
// CHECK: stablehlo.add %arg0, %cst {
// CHECK: stablehlo.while
// CHECK: stablehlo.add %{{.*}}, %cst_0 {
func.func @outside(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
                   %b: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}, %p: tensor<i1>)
    -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %cst = stablehlo.constant dense<1.0> : tensor<8x8xf32>
  %0 = stablehlo.add %a, %cst : tensor<8x8xf32>
  %1 = stablehlo.while(%v = %b) : tensor<8x8xf32>
    cond {
    stablehlo.return %p : tensor<i1>
  } do {
    %2 = stablehlo.add %v, %cst : tensor<8x8xf32>
    stablehlo.return %2 : tensor<8x8xf32>
  }
  return %0, %1 : tensor<8x8xf32>, tensor<8x8xf32>
}
