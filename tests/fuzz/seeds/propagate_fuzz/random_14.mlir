module {
sdy.mesh @mesh = <["a"=2, "b"=4]>
func.func public @main(%v0: tensor<12x2xf32>, %v1: tensor<6x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}p0, {}]>}) -> (tensor<8x2xf32>, tensor<12x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
%v2 = stablehlo.broadcast_in_dim %v0, dims = [0, 1] : (tensor<12x2xf32>) -> tensor<12x2x3xf32>
%v3 = stablehlo.transpose %v0, dims = [0, 1] : (tensor<12x2xf32>) -> tensor<12x2xf32>
%v5 = sdy.named_computation<"n">(%v1) (%v4: tensor<6x12xf32>) {
%v6 = stablehlo.transpose %v4, dims = [1, 0] : (tensor<6x12xf32>) -> tensor<12x6xf32>
%g7 = stablehlo.iota dim = 0 : tensor<4xi32>
%v7 = "stablehlo.gather"(%v6, %g7) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 6>}> : (tensor<12x6xf32>, tensor<4xi32>) -> tensor<4x6xf32>
%v8 = stablehlo.constant dense<1.0> : tensor<6x12xf32>
sdy.return %v8 : tensor<6x12xf32>
} : (tensor<6x12xf32>) -> tensor<6x12xf32>
%v10 = sdy.manual_computation(%v2) in_shardings=[<@mesh, [{"a", ?}, {?}, {?}]>] out_shardings=[<@mesh, [{"a", ?}, {?}, {?}]>] manual_axes={"a"} (%v9: tensor<6x2x3xf32>) {
%i11 = stablehlo.constant dense<0.0> : tensor<f32>
%v11 = stablehlo.reduce(%v9 init: %i11) applies stablehlo.add across dimensions = [2] : (tensor<6x2x3xf32>, tensor<f32>) -> tensor<6x2xf32>
%v12 = stablehlo.optimization_barrier %v9 : tensor<6x2x3xf32>
%i13 = stablehlo.constant dense<0.0> : tensor<f32>
%v13 = stablehlo.reduce(%v9 init: %i13) applies stablehlo.add across dimensions = [2] : (tensor<6x2x3xf32>, tensor<f32>) -> tensor<6x2xf32>
sdy.return %v9 : tensor<6x2x3xf32>
} : (tensor<12x2x3xf32>) -> tensor<12x2x3xf32>
%v14 = stablehlo.constant dense<1.0> : tensor<6x2xf32>
%s15 = stablehlo.constant dense<1> : tensor<i32>
%v15 = stablehlo.dynamic_update_slice %v3, %v14, %s15, %s15 : (tensor<12x2xf32>, tensor<6x2xf32>, tensor<i32>, tensor<i32>) -> tensor<12x2xf32>
%g16 = stablehlo.iota dim = 0 : tensor<8xi32>
%v16 = "stablehlo.gather"(%v14, %g16) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2>}> : (tensor<6x2xf32>, tensor<8xi32>) -> tensor<8x2xf32>
%v17 = stablehlo.transpose %v16, dims = [1, 0] : (tensor<8x2xf32>) -> tensor<2x8xf32>
%v18 = sdy.propagation_barrier %v14 allowed_direction=FORWARD : tensor<6x2xf32>
return %v16, %v0 : tensor<8x2xf32>, tensor<12x2xf32>
}
}
