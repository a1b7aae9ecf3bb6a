module {
sdy.mesh @mesh = <["a"=1, "b"=12, "d"=3]>
sdy.mesh @other = <["a"=4, "b"=3, "c"=8], device_ids=[85, 9, 60, 95, 33, 39, 24, 58, 88, 57, 52, 46, 59, 10, 80, 54, 56, 37, 63, 84, 27, 29, 12, 30, 26, 48, 64, 38, 19, 15, 14, 17, 5, 23, 18, 11, 44, 35, 89, 49, 90, 72, 87, 74, 68, 69, 91, 81, 43, 51, 28, 93, 4, 47, 41, 25, 53, 1, 71, 76, 13, 66, 75, 92, 65, 34, 8, 3, 2, 21, 7, 20, 82, 70, 45, 67, 55, 86, 0, 77, 36, 31, 16, 32, 83, 94, 61, 78, 42, 40, 79, 22, 62, 50, 6, 73]>
func.func public @main(%v0: tensor<4x2x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {?}p0, {?}p1]>}, %v1: tensor<2x8xf32>, %v2: tensor<4x2x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {?}p0, {"a"}p2], replicated={"b":(1)3, "d"}>}) -> (tensor<4xf32>) {
%v3 = stablehlo.divide %v1, %v1 : tensor<2x8xf32>
%i4 = stablehlo.constant dense<0.0> : tensor<f32>
%v4 = stablehlo.reduce(%v1 init: %i4) applies stablehlo.add across dimensions = [1] : (tensor<2x8xf32>, tensor<f32>) -> tensor<2xf32>
%v5 = stablehlo.multiply %v2, %v2 : tensor<4x2x8xf32>
%i6 = stablehlo.constant dense<0.0> : tensor<f32>
%v6 = stablehlo.reduce(%v2 init: %i6) applies stablehlo.maximum across dimensions = [2] : (tensor<4x2x8xf32>, tensor<f32>) -> tensor<4x2xf32>
%v7 = stablehlo.reshape %v2 : (tensor<4x2x8xf32>) -> tensor<1x4x2x8xf32>
%v8 = stablehlo.optimization_barrier %v4 : tensor<2xf32>
%v9 = sdy.sharding_constraint %v3 <@mesh, [{?}, {"d", "a", ?}p1]> : tensor<2x8xf32>
%v10 = stablehlo.constant dense<1.0> : tensor<2x8x2xf32>
%v11 = stablehlo.dot_general %v9, %v10, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<2x8xf32>, tensor<2x8x2xf32>) -> tensor<2x2xf32>
%v12 = stablehlo.constant dense<1.0> : tensor<2x4xf32>
%v13 = stablehlo.dot_general %v4, %v12, contracting_dims = [0] x [0] : (tensor<2xf32>, tensor<2x4xf32>) -> tensor<4xf32>
%v14 = stablehlo.reshape %v13 : (tensor<4xf32>) -> tensor<1x4xf32>
%v15 = stablehlo.transpose %v10, dims = [2, 0, 1] : (tensor<2x8x2xf32>) -> tensor<2x2x8xf32>
%n17 = stablehlo.constant dense<3> : tensor<i32>
%v17:2 = stablehlo.while(%k17 = %n17, %v16 = %v4) : tensor<i32>, tensor<2xf32>
cond {
%c17 = stablehlo.compare LT, %k17, %n17 : (tensor<i32>, tensor<i32>) -> tensor<i1>
stablehlo.return %c17 : tensor<i1>
} do {
%v18 = stablehlo.abs %v9 : tensor<2x8xf32>
%v19 = stablehlo.constant dense<1.0> : tensor<4x4xf32>
%v20 = stablehlo.dot_general %v12, %v19, contracting_dims = [1] x [0] : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
%v21 = stablehlo.negate %v4 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b":(2)6, ?}p1], replicated={"a", "b":(1)2}>]>} : tensor<2xf32>
%v22 = stablehlo.constant dense<1.0> : tensor<2xf32>
stablehlo.return %k17, %v22 : tensor<i32>, tensor<2xf32>
}
%v23 = stablehlo.negate %v17#1 : tensor<2xf32>
%v24 = stablehlo.constant dense<1.0> : tensor<2x8x4xf32>
%v25 = stablehlo.dot_general %v3, %v24, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<2x8xf32>, tensor<2x8x4xf32>) -> tensor<2x4xf32>
%v26 = stablehlo.reshape %v24 : (tensor<2x8x4xf32>) -> tensor<1x2x8x4xf32>
%v27 = stablehlo.multiply %v0, %v0 : tensor<4x2x8xf32>
return %v13 : tensor<4xf32>
}
}
