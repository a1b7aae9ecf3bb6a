module {
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4, "d"=1]>
func.func private @f0(%v0: tensor<6x1x2xf32>, %v1: tensor<8x4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}, %v2: tensor<1x4xf32>) -> (tensor<8x4x8xf32>, tensor<8x4x2xf32>) {
%b3 = stablehlo.constant dense<true> : tensor<i1>
%v3 = "stablehlo.if"(%b3) ({
%v4 = stablehlo.optimization_barrier %v0 : tensor<6x1x2xf32>
%v5 = stablehlo.optimization_barrier %v1 : tensor<8x4x8xf32>
%v6 = stablehlo.concatenate %v0, %v4, dim = 2 : (tensor<6x1x2xf32>, tensor<6x1x2xf32>) -> tensor<6x1x4xf32>
stablehlo.return %v1 : tensor<8x4x8xf32>
}, {
%v7 = "stablehlo.sort"(%v0) <{dimension = 2 : i64, is_stable = true}> ({
^bb0(%a: tensor<f32>, %b: tensor<f32>):
%c = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
stablehlo.return %c : tensor<i1>
}) : (tensor<6x1x2xf32>) -> tensor<6x1x2xf32>
%v8 = stablehlo.constant dense<1.0> : tensor<6x1x2xf32>
%p9 = stablehlo.compare LT, %v7, %v8 : (tensor<6x1x2xf32>, tensor<6x1x2xf32>) -> tensor<6x1x2xi1>
%v9 = stablehlo.select %p9, %v7, %v8 : tensor<6x1x2xi1>, tensor<6x1x2xf32>
%v10 = stablehlo.constant dense<1.0> : tensor<8x4x8xf32>
stablehlo.return %v10 : tensor<8x4x8xf32>
}) : (tensor<i1>) -> tensor<8x4x8xf32>
%v11 = stablehlo.constant dense<1.0> : tensor<8x8x2xf32>
%v12 = stablehlo.dot_general %v3, %v11, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<8x4x8xf32>, tensor<8x8x2xf32>) -> tensor<8x4x2xf32>
%p13 = stablehlo.compare LT, %v1, %v3 : (tensor<8x4x8xf32>, tensor<8x4x8xf32>) -> tensor<8x4x8xi1>
%v13 = stablehlo.select %p13, %v1, %v3 : tensor<8x4x8xi1>, tensor<8x4x8xf32>
%v14 = stablehlo.constant dense<1.0> : tensor<4x4x8xf32>
%s15 = stablehlo.constant dense<1> : tensor<i32>
%v15 = stablehlo.dynamic_update_slice %v1, %v14, %s15, %s15, %s15 : (tensor<8x4x8xf32>, tensor<4x4x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<8x4x8xf32>
%v16 = stablehlo.constant dense<1.0> : tensor<8x4x8xf32>
%v17 = stablehlo.add %v1, %v16 : tensor<8x4x8xf32>
%i18 = stablehlo.constant dense<0.0> : tensor<f32>
%v18 = stablehlo.reduce(%v15 init: %i18) applies stablehlo.add across dimensions = [1] : (tensor<8x4x8xf32>, tensor<f32>) -> tensor<8x8xf32>
%v19 = stablehlo.multiply %v1, %v3 : tensor<8x4x8xf32>
%v20 = stablehlo.slice %v11 [0:8, 0:4, 0:2] : (tensor<8x8x2xf32>) -> tensor<8x4x2xf32>
return %v16, %v12 : tensor<8x4x8xf32>, tensor<8x4x2xf32>
}
func.func public @main(%v21: tensor<4x12xf32>) -> (tensor<2x12xf32>) {
%p22 = stablehlo.compare LT, %v21, %v21 : (tensor<4x12xf32>, tensor<4x12xf32>) -> tensor<4x12xi1>
%v22 = stablehlo.select %p22, %v21, %v21 : tensor<4x12xi1>, tensor<4x12xf32>
%v24 = sdy.manual_computation(%v22) in_shardings=[<@mesh, [{"c", ?}, {}]>] out_shardings=[<@mesh, [{"c"}, {?}]>] manual_axes={"c"} (%v23: tensor<1x12xf32>) {
%v25 = stablehlo.maximum %v23, %v23 : tensor<1x12xf32>
sdy.return %v23 : tensor<1x12xf32>
} : (tensor<4x12xf32>) -> tensor<4x12xf32>
%v26 = stablehlo.constant dense<1.0> : tensor<2x12xf32>
%s27 = stablehlo.constant dense<1> : tensor<i32>
%v27 = stablehlo.dynamic_update_slice %v24, %v26, %s27, %s27 : (tensor<4x12xf32>, tensor<2x12xf32>, tensor<i32>, tensor<i32>) -> tensor<4x12xf32>
%v28 = stablehlo.slice %v21 [0:4, 0:6] : (tensor<4x12xf32>) -> tensor<4x6xf32>
%v29 = stablehlo.reverse %v24, dims = [0] : tensor<4x12xf32>
%v30 = stablehlo.negate %v29 : tensor<4x12xf32>
%v31 = stablehlo.slice %v24 [0:2, 0:12] : (tensor<4x12xf32>) -> tensor<2x12xf32>
%i32 = stablehlo.constant dense<0.0> : tensor<f32>
%v32 = stablehlo.reduce(%v22 init: %i32) applies stablehlo.add across dimensions = [0] : (tensor<4x12xf32>, tensor<f32>) -> tensor<12xf32>
return %v26 : tensor<2x12xf32>
}
}
