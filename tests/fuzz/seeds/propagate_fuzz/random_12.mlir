module {
sdy.mesh @mesh = <["a"=8, "b"=4]>
sdy.mesh @other = <["a"=6, "b"=1], device_ids=[5, 2, 4, 0, 1, 3]>
func.func private @f0(%v0: tensor<2x6x4xf32>, %v1: tensor<6x4xf32>, %v2: tensor<8x8xf32>) -> (tensor<2x3x6x4xf32>) {
%v3 = stablehlo.slice %v2 [0:4, 0:8] : (tensor<8x8xf32>) -> tensor<4x8xf32>
%v4 = stablehlo.reshape %v0 : (tensor<2x6x4xf32>) -> tensor<2x24xf32>
%v5 = stablehlo.broadcast_in_dim %v0, dims = [0, 2, 3] : (tensor<2x6x4xf32>) -> tensor<2x3x6x4xf32>
%v6 = stablehlo.reshape %v2 : (tensor<8x8xf32>) -> tensor<8x4x2xf32>
%v7 = stablehlo.constant dense<1.0> : tensor<2x4x4xf32>
%v8 = stablehlo.dot_general %v0, %v7, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x6x4xf32>, tensor<2x4x4xf32>) -> tensor<2x6x4xf32>
%v9 = stablehlo.reshape %v5 : (tensor<2x3x6x4xf32>) -> tensor<6x6x4xf32>
%v10 = stablehlo.divide %v4, %v4 : tensor<2x24xf32>
%v11 = stablehlo.slice %v8 [0:1, 0:6, 0:4] : (tensor<2x6x4xf32>) -> tensor<1x6x4xf32>
return %v5 : tensor<2x3x6x4xf32>
}
func.func public @main(%v12: tensor<1x8x4xf32>) -> (tensor<1x32xf32>) {
%v14 = sdy.named_computation<"n">(%v12) (%v13: tensor<1x8x4xf32>) {
%v15 = sdy.propagation_barrier %v13 allowed_direction=FORWARD : tensor<1x8x4xf32>
%v16 = stablehlo.constant dense<1.0> : tensor<1x8x4xf32>
sdy.return %v16 : tensor<1x8x4xf32>
} : (tensor<1x8x4xf32>) -> tensor<1x8x4xf32>
%v17 = sdy.sharding_constraint %v12 <@other, [{?}, {?}, {?}p1]> : tensor<1x8x4xf32>
%v18 = stablehlo.reshape %v14 : (tensor<1x8x4xf32>) -> tensor<1x32xf32>
%v19 = stablehlo.negate %v18 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b", ?}p1, {}]>]>} : tensor<1x32xf32>
%v20 = stablehlo.constant dense<1.0> : tensor<1x8x4xf32>
%v21 = stablehlo.concatenate %v14, %v20, dim = 1 : (tensor<1x8x4xf32>, tensor<1x8x4xf32>) -> tensor<1x16x4xf32>
return %v19 : tensor<1x32xf32>
}
}
