module {
sdy.mesh @mesh = <["a"=4]>
func.func private @f0(%v0: tensor<2x4xf32>) -> (tensor<2x4xf32>) {
%v1 = stablehlo.constant dense<1.0> : tensor<4x1xf32>
%v2 = stablehlo.dot_general %v0, %v1, contracting_dims = [1] x [0] : (tensor<2x4xf32>, tensor<4x1xf32>) -> tensor<2x1xf32>
%v3 = stablehlo.reverse %v0, dims = [1] : tensor<2x4xf32>
%v4 = stablehlo.reshape %v1 : (tensor<4x1xf32>) -> tensor<4x1x1xf32>
%p5 = stablehlo.compare LT, %v3, %v0 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xi1>
%v5 = stablehlo.select %p5, %v3, %v0 : tensor<2x4xi1>, tensor<2x4xf32>
return %v0 : tensor<2x4xf32>
}
func.func public @main(%v6: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %v7: tensor<4xf32>, %v8: tensor<2x4xf32>) -> (tensor<4xf32>) {
%v9 = stablehlo.add %v8, %v8 : tensor<2x4xf32>
%v10 = stablehlo.maximum %v9, %v9 : tensor<2x4xf32>
%s11 = stablehlo.constant dense<1> : tensor<i32>
%v11 = stablehlo.dynamic_slice %v10, %s11, %s11, sizes = [1, 4] : (tensor<2x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
%v12 = stablehlo.concatenate %v8, %v9, dim = 1 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x8xf32>
%v13 = stablehlo.reshape %v8 : (tensor<2x4xf32>) -> tensor<2x1x4xf32>
%v14 = stablehlo.constant dense<1.0> : tensor<2x4x6xf32>
%v15 = stablehlo.dot_general %v8, %v14, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<2x4xf32>, tensor<2x4x6xf32>) -> tensor<2x6xf32>
%v16 = stablehlo.reshape %v11 : (tensor<1x4xf32>) -> tensor<4xf32>
%b17 = stablehlo.constant dense<1> : tensor<i32>
%v17 = "stablehlo.case"(%b17) ({
%v18 = stablehlo.reverse %v9, dims = [0] : tensor<2x4xf32>
%v19 = stablehlo.constant dense<1.0> : tensor<2x4x6xf32>
stablehlo.return %v19 : tensor<2x4x6xf32>
}, {
%v20 = stablehlo.constant dense<1.0> : tensor<1x4x6xf32>
%v21 = stablehlo.dot_general %v11, %v20, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<1x4xf32>, tensor<1x4x6xf32>) -> tensor<1x6xf32>
stablehlo.return %v14 : tensor<2x4x6xf32>
}, {
%v22 = stablehlo.maximum %v11, %v11 : tensor<1x4xf32>
%v23 = stablehlo.constant dense<1.0> : tensor<2x4x6xf32>
stablehlo.return %v23 : tensor<2x4x6xf32>
}) : (tensor<i32>) -> tensor<2x4x6xf32>
%v25 = sdy.named_computation<"n">(%v8) (%v24: tensor<2x4xf32>) {
%v26 = stablehlo.add %v24, %v24 : tensor<2x4xf32>
%v27 = stablehlo.constant dense<1.0> : tensor<2x4xf32>
%v28 = stablehlo.multiply %v24, %v27 : tensor<2x4xf32>
sdy.return %v28 : tensor<2x4xf32>
} : (tensor<2x4xf32>) -> tensor<2x4xf32>
%v30 = sdy.named_computation<"n">(%v7) (%v29: tensor<4xf32>) {
%v31 = stablehlo.reshape %v29 : (tensor<4xf32>) -> tensor<4x1xf32>
%v32 = "stablehlo.sort"(%v29) <{dimension = 0 : i64, is_stable = true}> ({
^bb0(%a: tensor<f32>, %b: tensor<f32>):
%c = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
stablehlo.return %c : tensor<i1>
}) : (tensor<4xf32>) -> tensor<4xf32>
%n34 = stablehlo.constant dense<3> : tensor<i32>
%v34:2 = stablehlo.while(%k34 = %n34, %v33 = %v29) : tensor<i32>, tensor<4xf32>
cond {
%c34 = stablehlo.compare LT, %k34, %n34 : (tensor<i32>, tensor<i32>) -> tensor<i1>
stablehlo.return %c34 : tensor<i1>
} do {
%v35 = stablehlo.slice %v29 [0:2] : (tensor<4xf32>) -> tensor<2xf32>
stablehlo.return %k34, %v32 : tensor<i32>, tensor<4xf32>
}
%v36 = stablehlo.negate %v34#1 : tensor<4xf32>
sdy.return %v32 : tensor<4xf32>
} : (tensor<4xf32>) -> tensor<4xf32>
%v37 = stablehlo.constant dense<1.0> : tensor<4x4xf32>
%v38 = stablehlo.dot_general %v9, %v37, contracting_dims = [1] x [0] : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
%v39 = stablehlo.slice %v25 [0:1, 0:4] : (tensor<2x4xf32>) -> tensor<1x4xf32>
%v40 = sdy.sharding_constraint %v30 <@mesh, [{?}p0]> : tensor<4xf32>
return %v40 : tensor<4xf32>
}
}
