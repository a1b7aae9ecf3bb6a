module {
sdy.mesh @mesh = <["a"=1, "b"=8], device_ids=[2, 7, 4, 5, 1, 6, 3, 0]>
func.func private @f0(%v0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8x4xf32>) {
%v1 = stablehlo.multiply %v0, %v0 : tensor<8xf32>
%v2 = sdy.propagation_barrier %v1 allowed_direction=NONE : tensor<8xf32>
%v3 = stablehlo.constant dense<1.0> : tensor<8x4xf32>
%v4 = stablehlo.dot_general %v1, %v3, contracting_dims = [0] x [0] : (tensor<8xf32>, tensor<8x4xf32>) -> tensor<4xf32>
%p5 = stablehlo.compare LT, %v4, %v4 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
%v5 = stablehlo.select %p5, %v4, %v4 : tensor<4xi1>, tensor<4xf32>
%v6 = sdy.sharding_constraint %v3 <@mesh, [{?}p2, {"b":(1)2}]> : tensor<8x4xf32>
%g7 = stablehlo.iota dim = 0 : tensor<8xi32>
%v7 = "stablehlo.gather"(%v6, %g7) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<8x4xf32>, tensor<8xi32>) -> tensor<8x4xf32>
%n9 = stablehlo.constant dense<3> : tensor<i32>
%v9:2 = stablehlo.while(%k9 = %n9, %v8 = %v4) : tensor<i32>, tensor<4xf32>
cond {
%c9 = stablehlo.compare LT, %k9, %n9 : (tensor<i32>, tensor<i32>) -> tensor<i1>
stablehlo.return %c9 : tensor<i1>
} do {
%v10 = stablehlo.concatenate %v5, %v8, dim = 0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
%v11 = stablehlo.slice %v10 [0:4] : (tensor<8xf32>) -> tensor<4xf32>
%n13 = stablehlo.constant dense<3> : tensor<i32>
%v13:2 = stablehlo.while(%k13 = %n13, %v12 = %v3) : tensor<i32>, tensor<8x4xf32>
cond {
%c13 = stablehlo.compare LT, %k13, %n13 : (tensor<i32>, tensor<i32>) -> tensor<i1>
stablehlo.return %c13 : tensor<i1>
} do {
%v14 = stablehlo.reshape %v1 : (tensor<8xf32>) -> tensor<8x1xf32>
%v15 = stablehlo.transpose %v8, dims = [0] : (tensor<4xf32>) -> tensor<4xf32>
%v16 = stablehlo.constant dense<1.0> : tensor<8x2xf32>
%s17 = stablehlo.constant dense<1> : tensor<i32>
%v17 = stablehlo.dynamic_update_slice %v6, %v16, %s17, %s17 : (tensor<8x4xf32>, tensor<8x2xf32>, tensor<i32>, tensor<i32>) -> tensor<8x4xf32>
stablehlo.return %k13, %v3 : tensor<i32>, tensor<8x4xf32>
}
%v18 = stablehlo.negate %v13#1 : tensor<8x4xf32>
%v19 = stablehlo.custom_call @own(%v6) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=4}, custom>} : (tensor<8x4xf32>) -> tensor<8x4xf32>
%v20 = stablehlo.constant dense<1.0> : tensor<4xf32>
stablehlo.return %k9, %v20 : tensor<i32>, tensor<4xf32>
}
%v21 = stablehlo.negate %v9#1 : tensor<4xf32>
return %v1, %v7 : tensor<8xf32>, tensor<8x4xf32>
}
func.func public @main(%v22: tensor<8x6x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {?}p2, {?}p0]>}, %v23: tensor<8x6x8xf32>, %v24: tensor<8x6x8xf32>) -> (tensor<8x6x8xf32>, tensor<16x6x8x2xf32>) {
%v25 = stablehlo.broadcast_in_dim %v22, dims = [0, 1, 2] : (tensor<8x6x8xf32>) -> tensor<8x6x8x2xf32>
%g26 = stablehlo.iota dim = 0 : tensor<12xi32>
%v26 = "stablehlo.gather"(%v24, %g26) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 6, 8>}> : (tensor<8x6x8xf32>, tensor<12xi32>) -> tensor<12x6x8xf32>
%v27 = stablehlo.reverse %v23, dims = [0] : tensor<8x6x8xf32>
%v28 = stablehlo.transpose %v24, dims = [0, 1, 2] : (tensor<8x6x8xf32>) -> tensor<8x6x8xf32>
%v29 = stablehlo.transpose %v22, dims = [1, 0, 2] : (tensor<8x6x8xf32>) -> tensor<6x8x8xf32>
%g30 = stablehlo.iota dim = 0 : tensor<4xi32>
%v30 = "stablehlo.gather"(%v25, %g30) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2, 3], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 6, 8, 2>}> : (tensor<8x6x8x2xf32>, tensor<4xi32>) -> tensor<4x6x8x2xf32>
%i31 = stablehlo.constant dense<0.0> : tensor<f32>
%v31 = stablehlo.reduce(%v24 init: %i31) applies stablehlo.maximum across dimensions = [0] : (tensor<8x6x8xf32>, tensor<f32>) -> tensor<6x8xf32>
%v32 = stablehlo.concatenate %v25, %v25, dim = 0 : (tensor<8x6x8x2xf32>, tensor<8x6x8x2xf32>) -> tensor<16x6x8x2xf32>
%i33 = stablehlo.constant dense<0.0> : tensor<f32>
%v33 = stablehlo.reduce(%v26 init: %i33) applies stablehlo.add across dimensions = [1] : (tensor<12x6x8xf32>, tensor<f32>) -> tensor<12x8xf32>
return %v27, %v32 : tensor<8x6x8xf32>, tensor<16x6x8x2xf32>
}
}
