// RUN: tessera propagate --emit=mhlo %s | FileCheck %s
// RUN: tessera propagate --emit=mhlo %s | tessera propagate --emit=mhlo | FileCheck %s
// XLA lifts %w, which the first loop carries unchanged, out of it, and does not shorten the loop's string:
// what is in the loop has one, the loop has none. It was found by compiling a scan of JAX.

sdy.mesh @mesh = <["x"=2, "y"=2]>

// CHECK: stablehlo.while(%iterArg = %arg1, %iterArg_0 = %arg0) : tensor<4x4xf32>, tensor<8x4xf32>{{$}}
// CHECK: stablehlo.dot_general {{.*}} {mhlo.sharding = "{devices=[2,1,2]<=[4] last_tile_dim_replicate}"}
// CHECK: stablehlo.while(%iterArg = %0#1) : tensor<8x4xf32> attributes {mhlo.sharding = "{devices=[2,1,2]<=[4] last_tile_dim_replicate}"}
func.func @main(%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<4x4xf32>, %arg2: tensor<i1>) -> tensor<8x4xf32> {
  %0:2 = stablehlo.while(%w = %arg1, %v = %arg0) : tensor<4x4xf32>, tensor<8x4xf32>
  cond {
    stablehlo.return %arg2 : tensor<i1>
  } do {
    %2 = stablehlo.dot_general %v, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
    stablehlo.return %w, %2 : tensor<4x4xf32>, tensor<8x4xf32>
  }
  %1 = stablehlo.while(%v = %0#1) : tensor<8x4xf32>
  cond {
    stablehlo.return %arg2 : tensor<i1>
  } do {
    %2 = stablehlo.tanh %v : tensor<8x4xf32>
    stablehlo.return %2 : tensor<8x4xf32>
  }
  return %1 : tensor<8x4xf32>
}
