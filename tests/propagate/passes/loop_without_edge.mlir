// Arguments of a loop's regions have the sharding of its result even where no edge is about it; only what goes into and out of the
// loop is not tied then.
// RUN: sdy_opt %s -sdy-basic-propagate | FileCheck %s

sdy.mesh @mesh = <["a"=2, "b"=2]>

// CHECK-LABEL: func.func @down(%arg0: tensor<8xf32>)
func.func @down(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: stablehlo.negate %iterArg {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}]>]>}
  %0 = stablehlo.while(%i = %arg0) : tensor<8xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>}
  cond {
    %1 = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.negate %i : tensor<8xf32>
    stablehlo.return %1 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: func.func @up
// CHECK-SAME: -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b", ?}]>})
func.func @up(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: stablehlo.while(%iterArg = %arg0) : tensor<8xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b", ?}]>]>}
  %0 = stablehlo.while(%i = %arg0) : tensor<8xf32>
  cond {
    %1 = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.negate %i {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>} : tensor<8xf32>
    stablehlo.return %1 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}
