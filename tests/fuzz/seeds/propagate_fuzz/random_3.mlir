module {
sdy.mesh @mesh = <["a"=1, "b"=3, "c"=4, "d"=3]>
func.func private @f0(%v0: tensor<8x3x1xf32>, %v1: tensor<8x3x1xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}p1, {"b", ?}p0, {?}p2]>}, %v2: tensor<12x12x1xf32>) -> (tensor<8x3x1xf32>, tensor<12x12x1x1xf32>) {
%v3 = stablehlo.reshape %v2 : (tensor<12x12x1xf32>) -> tensor<12x12x1x1xf32>
%v5 = sdy.named_computation<"n">(%v0) (%v4: tensor<8x3x1xf32>) {
%v6 = stablehlo.slice %v4 [0:8, 0:2, 0:1] : (tensor<8x3x1xf32>) -> tensor<8x2x1xf32>
%v7 = stablehlo.divide %v6, %v6 : tensor<8x2x1xf32>
%v8 = stablehlo.reverse %v6, dims = [2] : tensor<8x2x1xf32>
sdy.return %v4 : tensor<8x3x1xf32>
} : (tensor<8x3x1xf32>) -> tensor<8x3x1xf32>
%b9 = stablehlo.constant dense<true> : tensor<i1>
%v9 = "stablehlo.if"(%b9) ({
%v10 = stablehlo.reshape %v3 : (tensor<12x12x1x1xf32>) -> tensor<12x12x1x1xf32>
%v12 = sdy.named_computation<"n">(%v0) (%v11: tensor<8x3x1xf32>) {
%v13 = stablehlo.constant dense<1.0> : tensor<1x12xf32>
%v14 = stablehlo.dot_general %v11, %v13, contracting_dims = [2] x [0] : (tensor<8x3x1xf32>, tensor<1x12xf32>) -> tensor<8x3x12xf32>
%v15 = stablehlo.reverse %v13, dims = [1] : tensor<1x12xf32>
%s16 = stablehlo.constant dense<1> : tensor<i32>
%v16 = stablehlo.dynamic_slice %v11, %s16, %s16, %s16, sizes = [8, 3, 1] : (tensor<8x3x1xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<8x3x1xf32>
%i17 = stablehlo.constant dense<0.0> : tensor<f32>
%v17 = stablehlo.reduce(%v14 init: %i17) applies stablehlo.add across dimensions = [1] : (tensor<8x3x12xf32>, tensor<f32>) -> tensor<8x12xf32>
sdy.return %v16 : tensor<8x3x1xf32>
} : (tensor<8x3x1xf32>) -> tensor<8x3x1xf32>
%v19 = sdy.manual_computation(%v2) in_shardings=[<@mesh, [{"c", ?}, {}, {?}]>] out_shardings=[<@mesh, [{"c", ?}, {?}, {?}]>] manual_axes={"c"} (%v18: tensor<3x12x1xf32>) {
%v20 = stablehlo.slice %v18 [0:2, 0:12, 0:1] : (tensor<3x12x1xf32>) -> tensor<2x12x1xf32>
%v21 = stablehlo.maximum %v20, %v20 : tensor<2x12x1xf32>
sdy.return %v18 : tensor<3x12x1xf32>
} : (tensor<12x12x1xf32>) -> tensor<12x12x1xf32>
stablehlo.return %v1 : tensor<8x3x1xf32>
}, {
%v22 = stablehlo.constant dense<1.0> : tensor<12x1x8xf32>
%v23 = stablehlo.dot_general %v2, %v22, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<12x12x1xf32>, tensor<12x1x8xf32>) -> tensor<12x12x8xf32>
%v24 = stablehlo.maximum %v22, %v22 : tensor<12x1x8xf32>
%v25 = stablehlo.constant dense<1.0> : tensor<12x8x6xf32>
%v26 = stablehlo.dot_general %v24, %v25, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<12x1x8xf32>, tensor<12x8x6xf32>) -> tensor<12x1x6xf32>
%v27 = stablehlo.broadcast_in_dim %v25, dims = [0, 1, 2] : (tensor<12x8x6xf32>) -> tensor<12x8x6x4xf32>
%v28 = stablehlo.constant dense<1.0> : tensor<8x3x1xf32>
stablehlo.return %v28 : tensor<8x3x1xf32>
}) : (tensor<i1>) -> tensor<8x3x1xf32>
%v29 = sdy.sharding_constraint %v1 <@mesh, [{"c":(1)2, ?}p0, {"b", ?}, {"a", "c":(2)2}p0]> : tensor<8x3x1xf32>
%v30 = stablehlo.transpose %v3, dims = [2, 3, 1, 0] : (tensor<12x12x1x1xf32>) -> tensor<1x1x12x12xf32>
%v31 = stablehlo.reshape %v1 : (tensor<8x3x1xf32>) -> tensor<8x3x1x1xf32>
%v32 = stablehlo.multiply %v3, %v3 : tensor<12x12x1x1xf32>
return %v29, %v32 : tensor<8x3x1xf32>, tensor<12x12x1x1xf32>
}
func.func public @main(%v33: tensor<6x8xf32>) -> (tensor<6x8xf32>) {
%v34 = stablehlo.optimization_barrier %v33 : tensor<6x8xf32>
%v35 = stablehlo.add %v34, %v34 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], replicated={"d"}>]>} : tensor<6x8xf32>
%v36 = sdy.propagation_barrier %v34 allowed_direction=NONE : tensor<6x8xf32>
%v37 = stablehlo.optimization_barrier %v35 : tensor<6x8xf32>
return %v37 : tensor<6x8xf32>
}
}
