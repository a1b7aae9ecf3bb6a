// Loops, branches, barriers, manual and named computations: where their shardings stand, and that they are read back.
// RUN: tessera propagate %s > %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: tessera propagate %t.mlir | diff %t.mlir -
sdy.mesh @mesh = <["x"=2, "y"=2]>

// A scalar beside it has a sharding without dimensions: a list is whole.
// CHECK-LABEL: func.func @loop(
// CHECK: stablehlo.while(%iterArg = %c, %iterArg_0 = %arg0) : tensor<i32>, tensor<8x8xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>, <@mesh, [{"x", ?}, {?}]>]>}
func.func @loop(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<8x8xf32> {
  %c = stablehlo.constant dense<3> : tensor<i32>
  %0:2 = stablehlo.while(%i = %c, %v = %a) : tensor<i32>, tensor<8x8xf32>
    cond {
    %1 = stablehlo.compare GT, %i, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    // CHECK: stablehlo.tanh %iterArg_0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}, {?}]>]>}
    %1 = stablehlo.tanh %v : tensor<8x8xf32>
    stablehlo.return %i, %1 : tensor<i32>, tensor<8x8xf32>
  }
  return %0#1 : tensor<8x8xf32>
}

// CHECK-LABEL: func.func @branches(
// CHECK: "stablehlo.if"
// CHECK: }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}, {?}]>, <@mesh, [{?}, {?}]>]>} : (tensor<i1>)
func.func @branches(%p: tensor<i1>, %a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %b: tensor<8x8xf32>)
    -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %0:2 = "stablehlo.if"(%p) ({
    stablehlo.return %a, %b : tensor<8x8xf32>, tensor<8x8xf32>
  }, {
    %1 = stablehlo.negate %a : tensor<8x8xf32>
    stablehlo.return %1, %b : tensor<8x8xf32>, tensor<8x8xf32>
  }) : (tensor<i1>) -> (tensor<8x8xf32>, tensor<8x8xf32>)
  return %0#0, %0#1 : tensor<8x8xf32>, tensor<8x8xf32>
}

// CHECK-LABEL: func.func @barrier(
// CHECK: stablehlo.optimization_barrier {sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>, <@mesh, [{"x", ?}, {?}]>]>} %arg1, %arg0
func.func @barrier(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %t: !stablehlo.token)
    -> (!stablehlo.token, tensor<8x8xf32>) {
  %0:2 = stablehlo.optimization_barrier %t, %a : !stablehlo.token, tensor<8x8xf32>
  return %0#0, %0#1 : !stablehlo.token, tensor<8x8xf32>
}

// Manual axes stand before those that came from inside; a token has none.
// CHECK-LABEL: func.func @manual(
// CHECK-SAME: %arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x", ?}, {?}]>}
// CHECK: sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{"y", "x", ?}, {?}]>, <@mesh, []>] out_shardings=[<@mesh, [{"y", "x", ?}, {?}]>] manual_axes={"y"} (%arg2: tensor<4x8xf32>, %arg3: !stablehlo.token)
func.func @manual(%a: tensor<8x8xf32>, %t: !stablehlo.token) -> tensor<8x8xf32> {
  %0 = sdy.manual_computation(%a, %t) in_shardings=[<@mesh, [{"y", ?}, {?}]>, <@mesh, []>]
      out_shardings=[<@mesh, [{"y", ?}, {?}]>] manual_axes={"y"} (%b: tensor<4x8xf32>, %u: !stablehlo.token) {
    %1 = stablehlo.abs %b {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<4x8xf32>
    sdy.return %1 : tensor<4x8xf32>
  } : (tensor<8x8xf32>, !stablehlo.token) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// CHECK-LABEL: func.func @named(
// CHECK: sdy.named_computation<"f">(%arg0, %arg1) in_shardings=[<@mesh, [{"x", ?}, {?}]>, <@mesh, []>] out_shardings=[<@mesh, [{"x", ?}, {?}]>]
func.func @named(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %s: tensor<f32>) -> tensor<8x8xf32> {
  %0 = sdy.named_computation<"f">(%a, %s) (%b: tensor<8x8xf32>, %u: tensor<f32>) {
    %1 = stablehlo.abs %b : tensor<8x8xf32>
    sdy.return %1 : tensor<8x8xf32>
  } : (tensor<8x8xf32>, tensor<f32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// Nothing is known, nothing is written.
// CHECK-LABEL: func.func @free(
// CHECK-NOT: sdy.sharding
// CHECK: return
func.func @free(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = stablehlo.abs %a : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// CHECK-LABEL: func.func @constraint(
// CHECK: sdy.sharding_constraint %arg0 <@mesh, [{"x", ?}, {"y"}]>
func.func @constraint(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}]>}) -> tensor<8x8xf32> {
  %0 = sdy.sharding_constraint %a <@mesh, [{?}, {"y"}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
