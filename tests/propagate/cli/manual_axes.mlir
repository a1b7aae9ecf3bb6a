// Inside a manual computation its axes are not to be had, nor in what is called there.
// RUN: split-file %s %t
// RUN: not tessera propagate %t/constraint.mlir 2>&1 | FileCheck %s --check-prefix=CONSTRAINT
// RUN: not tessera propagate %t/call.mlir 2>&1 | FileCheck %s --check-prefix=CALL
// CONSTRAINT: constraint.mlir:4:10: error: axis "a" is manual here, each device has its part along it already: use other axes, or leave it out
// CONSTRAINT: constraint.mlir:3:8: note: it is made manual here
// CALL: call.mlir:2:1: error: axis "a" is manual here
// CALL: call.mlir:7:8: note: it is made manual here

//--- constraint.mlir
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @main(%arg0: tensor<8x2xf32>) -> tensor<8x2xf32> {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"a", ?}, {?}]>] out_shardings=[<@mesh, [{"a", ?}, {?}]>] manual_axes={"a"} (%arg1: tensor<4x2xf32>) {
    %1 = sdy.sharding_constraint %arg1 <@mesh, [{?}, {"a"}]> : tensor<4x2xf32>
    sdy.return %1 : tensor<4x2xf32>
  } : (tensor<8x2xf32>) -> tensor<8x2xf32>
  return %0 : tensor<8x2xf32>
}
//--- call.mlir
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func private @f(%arg0: tensor<4x2xf32>) -> (tensor<4x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}) {
  %0 = stablehlo.tanh %arg0 : tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}
func.func @main(%arg0: tensor<8x2xf32>) -> tensor<8x2xf32> {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"a", ?}, {?}]>] out_shardings=[<@mesh, [{"a", ?}, {?}]>] manual_axes={"a"} (%arg1: tensor<4x2xf32>) {
    %1 = func.call @f(%arg1) : (tensor<4x2xf32>) -> tensor<4x2xf32>
    sdy.return %1 : tensor<4x2xf32>
  } : (tensor<8x2xf32>) -> tensor<8x2xf32>
  return %0 : tensor<8x2xf32>
}
