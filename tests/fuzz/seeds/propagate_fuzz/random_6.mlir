module {
sdy.mesh @mesh = <["a"=4, "b"=4, "c"=4]>
func.func private @f0(%v0: tensor<1x1x4xf32>, %v1: tensor<1x1x4xf32>) -> (tensor<1x1x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c", "a"}p2, {}, {?}]>}, tensor<1x1x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"a", ?}p2]>}) {
%i2 = stablehlo.constant dense<0.0> : tensor<f32>
%v2 = stablehlo.reduce(%v1 init: %i2) applies stablehlo.maximum across dimensions = [0] : (tensor<1x1x4xf32>, tensor<f32>) -> tensor<1x4xf32>
%v3 = stablehlo.transpose %v2, dims = [0, 1] : (tensor<1x4xf32>) -> tensor<1x4xf32>
%v4 = stablehlo.transpose %v0, dims = [0, 1, 2] : (tensor<1x1x4xf32>) -> tensor<1x1x4xf32>
return %v4, %v1 : tensor<1x1x4xf32>, tensor<1x1x4xf32>
}
func.func public @main(%v5: tensor<3xf32>, %v6: tensor<4x8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a", ?}, {}]>}, %v7: tensor<4x8xf32>) -> (tensor<1x1x4xf32>, tensor<4x8xf32>) {
%v8 = stablehlo.divide %v6, %v6 : tensor<4x8x6xf32>
%v10 = sdy.named_computation<"n">(%v7) (%v9: tensor<4x8xf32>) {
%v11 = stablehlo.constant dense<1.0> : tensor<1x1x4xf32>
%v12:2 = func.call @f0(%v11, %v11) : (tensor<1x1x4xf32>, tensor<1x1x4xf32>) -> (tensor<1x1x4xf32>, tensor<1x1x4xf32>)
%v13 = stablehlo.abs %v12#0 : tensor<1x1x4xf32>
%v14 = stablehlo.abs %v12#1 : tensor<1x1x4xf32>
%v15 = stablehlo.divide %v9, %v9 : tensor<4x8xf32>
sdy.return %v9 : tensor<4x8xf32>
} : (tensor<4x8xf32>) -> tensor<4x8xf32>
%v16 = stablehlo.constant dense<1.0> : tensor<1x1x4xf32>
%v17:2 = func.call @f0(%v16, %v16) : (tensor<1x1x4xf32>, tensor<1x1x4xf32>) -> (tensor<1x1x4xf32>, tensor<1x1x4xf32>)
%v18 = stablehlo.abs %v17#0 : tensor<1x1x4xf32>
%v19 = stablehlo.abs %v17#1 : tensor<1x1x4xf32>
%b20 = stablehlo.constant dense<true> : tensor<i1>
%v20 = "stablehlo.if"(%b20) ({
%v21 = stablehlo.constant dense<1.0> : tensor<4x8x4xf32>
%v22 = stablehlo.dot_general %v7, %v21, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<4x8xf32>, tensor<4x8x4xf32>) -> tensor<4x4xf32>
%v23 = sdy.propagation_barrier %v18 allowed_direction=BACKWARD : tensor<1x1x4xf32>
%i24 = stablehlo.constant dense<0.0> : tensor<f32>
%v24 = stablehlo.reduce(%v22 init: %i24) applies stablehlo.maximum across dimensions = [0] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
stablehlo.return %v6 : tensor<4x8x6xf32>
}, {
%v25 = stablehlo.constant dense<1.0> : tensor<1x1x4xf32>
%v26 = stablehlo.add %v19, %v25 : tensor<1x1x4xf32>
stablehlo.return %v6 : tensor<4x8x6xf32>
}) : (tensor<i1>) -> tensor<4x8x6xf32>
return %v18, %v7 : tensor<1x1x4xf32>, tensor<4x8xf32>
}
}
