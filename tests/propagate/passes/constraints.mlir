// A closed constraint that nothing contradicts is its operand's sharding too.
// RUN: sdy_opt %s -sdy-add-data-flow-edges -sdy-apply-sharding-constraints | FileCheck %s
// RUN: sdy_opt %s -sdy-sharding-constraint-to-reshard | FileCheck %s --check-prefix=RESHARD

// RESHARD-COUNT-11: sdy.reshard
// RESHARD-NOT: sdy.sharding_constraint
sdy.mesh @mesh = <["x"=2, "y"=2]>

// CHECK-LABEL: func.func @closed_is_copied
func.func @closed_is_copied(%arg0: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // CHECK-NEXT: stablehlo.tanh %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>}
  %0 = stablehlo.tanh %arg0 : tensor<8x8xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"x"}, {}]> : tensor<8x8xf32>
  %2 = stablehlo.add %0, %1 : tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}

// CHECK-LABEL: func.func @open_or_taken_is_not
// CHECK-SAME: (%arg0: tensor<8x8xf32>, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {?}]>})
func.func @open_or_taken_is_not(%arg0: tensor<8x8xf32>, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {?}]>}) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = sdy.sharding_constraint %arg0 <@mesh, [{"x"}, {?}]> : tensor<8x8xf32>
  %1 = sdy.sharding_constraint %arg1 <@mesh, [{"x"}, {}]> : tensor<8x8xf32>
  return %0, %1 : tensor<8x8xf32>, tensor<8x8xf32>
}

// CHECK-LABEL: func.func @two_of_them
// CHECK-SAME: (%arg0: tensor<8x8xf32>, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
func.func @two_of_them(%arg0: tensor<8x8xf32>, %arg1: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = sdy.sharding_constraint %arg0 <@mesh, [{"x"}, {}]> : tensor<8x8xf32>
  %1 = sdy.sharding_constraint %arg0 <@mesh, [{"y"}, {}]> : tensor<8x8xf32>
  %2 = sdy.sharding_constraint %arg1 <@mesh, [{"x"}, {}]> : tensor<8x8xf32>
  %3 = sdy.sharding_constraint %arg1 <@mesh, [{"x"}, {}]> : tensor<8x8xf32>
  return %0, %1, %2, %3 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}

// What comes behind a chain uses its end; what comes before it and the return do not.
// CHECK-LABEL: func.func @chain
func.func @chain(%arg0: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  // CHECK-NEXT: %0 = stablehlo.negate %arg0 : tensor<8x8xf32>
  // CHECK-NEXT: %1 = stablehlo.sine %0 : tensor<8x8xf32>
  // CHECK-NEXT: %2 = sdy.sharding_constraint %0 <@mesh, [{"x"}, {?}]>
  // CHECK-NEXT: %3 = sdy.sharding_constraint %2 <@mesh, [{"x"}, {"y"}]>
  // CHECK-NEXT: %4 = stablehlo.add %3, %1
  // CHECK-NEXT: %5 = stablehlo.multiply %3, %4
  // CHECK-NEXT: return %0, %5
  %0 = stablehlo.negate %arg0 : tensor<8x8xf32>
  %1 = stablehlo.sine %0 : tensor<8x8xf32>
  %2 = sdy.sharding_constraint %0 <@mesh, [{"x"}, {?}]> : tensor<8x8xf32>
  %3 = sdy.sharding_constraint %2 <@mesh, [{"x"}, {"y"}]> : tensor<8x8xf32>
  %4 = stablehlo.add %0, %1 : tensor<8x8xf32>
  %5 = stablehlo.multiply %3, %4 : tensor<8x8xf32>
  return %0, %5 : tensor<8x8xf32>, tensor<8x8xf32>
}

// The other values of an edge stay free: the constraint moves up to it instead.
// CHECK-LABEL: func.func @edge_stays_free
func.func @edge_stays_free(%arg0: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // CHECK:      %1 = sdy.data_flow_edge %0 : tensor<8x8xf32>
  // CHECK-NEXT: %2 = sdy.sharding_constraint %1 <@mesh, [{"x"}, {}]>
  // CHECK-NEXT: %3 = stablehlo.sine %2
  // CHECK-NEXT: %4 = stablehlo.add %3, %2
  %0 = stablehlo.optimization_barrier %arg0 : tensor<8x8xf32>
  %1 = stablehlo.sine %0 : tensor<8x8xf32>
  %2 = sdy.sharding_constraint %0 <@mesh, [{"x"}, {}]> : tensor<8x8xf32>
  %3 = stablehlo.add %1, %2 : tensor<8x8xf32>
  return %3 : tensor<8x8xf32>
}

// in_shardings of a manual computation are constraints too.
// CHECK-LABEL: func.func @manual
// CHECK-SAME: (%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<8x8xf32>)
func.func @manual(%arg0: tensor<8x8xf32>, %arg1: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // CHECK:      %1 = sdy.data_flow_edge %0 : tensor<8x8xf32>
  // CHECK-NEXT: %2 = sdy.sharding_constraint %1 <@mesh, [{"x"}, {"y"}]>
  // CHECK-NEXT: sdy.manual_computation(%arg0, %2)
  %b = stablehlo.optimization_barrier %arg1 : tensor<8x8xf32>
  %0 = sdy.manual_computation(%arg0, %b) in_shardings=[<@mesh, [{"x"}, {}]>, <@mesh, [{"x"}, {"y"}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%arg2: tensor<4x8xf32>, %arg3: tensor<4x8xf32>) {
    sdy.return %arg2 : tensor<4x8xf32>
  } : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// Sums that are not finished do not travel by themselves.
// CHECK-LABEL: func.func @unreduced
func.func @unreduced(%arg0: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // CHECK: sdy.data_flow_edge %0 sharding=<@mesh, [{?}, {?}], unreduced={"y"}>
  %0 = stablehlo.optimization_barrier %arg0 : tensor<8x8xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"x"}, {}], unreduced={"y"}> : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}
